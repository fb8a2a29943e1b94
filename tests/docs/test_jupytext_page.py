"""docs/jupytext.md: what it configures, and what it registers."""

from __future__ import annotations

from pathlib import Path

import pytest
from fences import Fence, fences_of
from jupytext.cli import jupytext

PAIRS = fences_of("docs/test_jupytext_page.py::test_a_project_pairs_its_chats")
CHAT = "# %% [^one]\n\n[^one]: [markdown]\n\nWhat is a quine?\n"


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
