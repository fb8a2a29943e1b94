"""docs/jupytext.md: what it configures, and what it registers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from fences import Fence, fences_of
from jupytext.cli import jupytext

PAIRS = fences_of("docs/test_jupytext_page.py::test_a_project_pairs_its_chats")
CHAT = "# %% [^one]\n\n[^one]: [markdown]\n\nWhat is a quine?\n"
READ = f"print([cell.source for cell in jupytext.reads({CHAT!r}, '.msg.md').cells])"


@pytest.mark.parametrize(
    ("fence", "text", "notebook"),
    [
        (PAIRS[0], "chat.msg.md", "chat.ipynb"),
        (PAIRS[1], "chats/chat.msg.md", "notebooks/chat.ipynb"),
    ],
    ids=["one folder", "separate folders"],
)
def test_a_project_pairs_its_chats(
    fence: Fence, text: str, notebook: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(PAIRS) == 2
    (tmp_path / "jupytext.toml").write_text(fence.body)
    (tmp_path / text).parent.mkdir(exist_ok=True)
    (tmp_path / text).write_text(CHAT)

    jupytext(["--sync", str(tmp_path / text)])

    assert (tmp_path / notebook).is_file(), capsys.readouterr().out


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
