"""The output that docs/commands.md shows is what the command prints, but for numbers of tokens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from msgbook.__main__ import main

PAGE = (Path(__file__).parents[2] / "docs" / "commands.md").read_text("utf-8")
PLAN = """# %% [^one]

[^one]: [markdown]

What is a quine?

# %%% [^one-1]

[^one-1]: [assistant]

A program that prints its own source.

# %% [^two]

[^two]: [markdown]

Write one in Python.
"""


def shown_output(command: str) -> str:
    return PAGE.partition(f"$ {command}\n")[2].partition("```")[0]


def without_token_numbers(output: str) -> str:
    return re.sub(r"\d[\d,]* tokens", "N tokens", output).strip()


def pattern(shown: str) -> str:
    """Return a regular expression for a shown output, in which `...` stands for any text."""
    return ".*".join(map(re.escape, shown.split("...")))


def test_the_preview_looks_as_the_page_shows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-key")
    monkeypatch.setenv("MSGBOOK_MODEL", "qwen3")
    Path("plan.msg.md").write_text(PLAN)

    assert main(["preview", "plan.msg.md"]) == 0

    printed = without_token_numbers(capsys.readouterr().out)
    shown = without_token_numbers(shown_output("msgbook preview plan.msg.md"))
    assert shown.count("\n") > 10
    assert re.fullmatch(pattern(shown), printed, re.DOTALL), printed
