"""docs/jupytext.md: what it configures, and what it registers."""

from __future__ import annotations

import os
import subprocess
import sys

from fences import Fence

CHAT = "# %% [^one]\n\n[^one]: [markdown]\n\nWhat is a quine?\n"
READ = f"print([cell.source for cell in jupytext.reads({CHAT!r}, '.msg.md').cells])"


def test_python_registers_the_format_where_it_was_switched_off(fences: list[Fence]) -> None:
    (fence,) = fences

    done = subprocess.run(
        [sys.executable, "-c", f"import jupytext\n{READ}\n{fence.body}\n{READ}"],
        env={**os.environ, "MSGBOOK_NO_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=True,
    )

    before, after = done.stdout.splitlines()
    assert before != after == "['What is a quine?']"
