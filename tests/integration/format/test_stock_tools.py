"""nbconvert's own exporters and `jupyter execute` on message files."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from exported_notebooks import conversation

import msgbook_format

if TYPE_CHECKING:
    from pathlib import Path


def jupyter(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a new Python, which reads the `.pth` file."""
    return subprocess.run(
        [sys.executable, "-m", "jupyter", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "chat.msg.md"
    msgbook_format.write(conversation(), path)
    return path


def test_the_stock_exporters_read_message_files_and_replace_no_document(chat: Path) -> None:
    before = chat.read_bytes()
    (chat.parent / "chat.md").write_text("mine")
    for kind, name in (("html", "chat.html"), ("markdown", "chat.nbconvert.md")):
        done = jupyter(chat.parent, "nbconvert", "--to", kind, chat.name)
        assert done.returncode == 0, done.stderr
        assert "It prints" in chat.with_name(name).read_text(encoding="utf-8")
    done = jupyter(chat.parent, "nbconvert", "--to", "script", chat.name)
    assert "What does" in chat.with_name("chat.txt").read_text(encoding="utf-8")
    assert (chat.parent / "chat.md").read_text() == "mine"
    assert chat.read_bytes() == before


def test_the_stock_markdown_exporter_does_not_replace_a_file_with_a_message_section(
    tmp_path: Path,
) -> None:
    path = tmp_path / "plan.md"
    path.write_text("---\nmessage_section: true\n---\n\n## Discussion\n\n# %%\n\nHello\n")
    before = path.read_bytes()
    done = jupyter(tmp_path, "nbconvert", "--to", "markdown", "plan.md")
    assert done.returncode == 0, done.stderr
    assert path.read_bytes() == before
    assert (tmp_path / "plan.nbconvert.md").exists()


def test_jupyter_execute_names_a_file_that_is_no_conversation(tmp_path: Path) -> None:
    (tmp_path / "readme.md").write_text("# Hi\n")
    done = jupyter(tmp_path, "execute", "--inplace", "readme.md")
    assert done.returncode == 2
    assert "readme.md: expected a `.msg.md` file" in done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "readme.md").read_text() == "# Hi\n"
