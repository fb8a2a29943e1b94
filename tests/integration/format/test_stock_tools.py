"""nbconvert's own exporters and `jupyter execute` on message files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from exported_notebooks import conversation

import msgbook_format

CONFIGURATION = Path(__file__).parents[3] / "server-config" / "jupyter_execute_config.py"


def jupyter(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a new Python, as installed."""
    return subprocess.run(
        [sys.executable, "-m", "jupyter", *arguments],
        cwd=folder,
        env={**os.environ, **environment},
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


def test_what_keeps_msgbook_out_of_jupytext_keeps_it_out_of_both(chat: Path) -> None:
    for command in (["nbconvert", "--to", "html"], ["execute"]):
        done = jupyter(chat.parent, *command, chat.name, MSGBOOK_NO_AUTOLOAD="1")
        assert done.returncode != 0
        assert "chat.msg" in done.stderr
    assert [path.name for path in chat.parent.iterdir()] == ["chat.msg.md"]


def test_a_jupyter_without_msgbook_reads_the_configuration_without_a_word(tmp_path: Path) -> None:
    """`/usr/local/etc/jupyter` is read by the Jupyter of every environment."""
    code = f"import runpy; runpy.run_path({str(CONFIGURATION)!r})"

    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")
