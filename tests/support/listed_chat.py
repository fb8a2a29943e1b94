"""What tests of `tests/cli/test_commands.py` and of its neighbour in tests/integration share."""

from __future__ import annotations

CHAT = (
    "# %% Greeting[^hello]\n\n[^hello]: [markdown] agent=\"critic\"\n\nHi\tthere\n\nMore\n\n"
    "# %%% [^hello-1]\n\n[^hello-1]: [guest] model=\"m\"\n\nHello\n\n"
    "# %% [^rule]\n\n[^rule]: [markdown] cell=markdown role=system\n\nBe \x1b[31mbrief\x07.\n\n"
    "# %% [^n]\n\n[^n]: [markdown] cell=markdown\n\nA note\n\n"
    "# %% [^fast]\n\n[^fast]: [code]\n\n```ipython\n%agent new fast models=x\n```\n\n"
    "# %% [^r]\n\n[^r]: [raw]\n\n" + "x" * 200 + "\n"
)  # fmt: skip
