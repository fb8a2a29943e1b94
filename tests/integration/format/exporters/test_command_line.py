"""`jupyter nbconvert` itself, as a person runs it."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import nbformat
import pytest
from exported_notebooks import conversation
from renderers import Page

import msgbook_format

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from forked import ForkServer


NBCONVERT = "from nbconvert.nbconvertapp import main; main()"


@pytest.fixture
def convert(fork_server: ForkServer, tmp_path: Path) -> Callable[..., str]:
    """Runs nbconvert in the test's folder."""

    def run(*arguments: str, text: str = "") -> str:
        command = ["--log-level=ERROR", *arguments]
        done = fork_server.run(NBCONVERT, *command, cwd=tmp_path, stdin=text)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    return run


def convert_anew(folder: Path, *arguments: str) -> str:
    """Run nbconvert in a new Python, which imports all that it needs."""
    # As the installed command does: where it begins, the folder is not in `sys.path` yet.
    command = [sys.executable, "-P", "-m", "nbconvert", "--log-level=ERROR", *arguments]
    run = subprocess.run(
        command, cwd=folder, capture_output=True, encoding="utf-8", check=False, timeout=300
    )
    assert (run.returncode, run.stderr) == (0, "")
    return run.stdout


@pytest.mark.smoke
def test_files_of_both_kinds_are_converted_under_their_own_names(
    convert: Callable[..., str], tmp_path: Path
) -> None:
    msgbook_format.write(conversation(), tmp_path / "one.msg.md")
    msgbook_format.write(conversation(), tmp_path / "two.msg.md")
    nbformat.write(conversation(), tmp_path / "three.ipynb")
    convert("--to", "msghtml", "one.msg.md", "two.msg.md", "three.ipynb")
    assert sorted(path.name for path in tmp_path.glob("*.html")) == [
        "one.html",
        "three.html",
        "two.html",
    ]


def test_text_is_read_from_standard_input_and_the_page_written_to_standard_output(
    convert: Callable[..., str],
) -> None:
    text = msgbook_format.writes(conversation())
    page = convert("--to", "msghtml", "--stdin", "--stdout", text=text)
    assert "It prints" in page


def test_the_stock_exporter_shows_the_answer_with_closed_details(
    convert: Callable[..., str], tmp_path: Path
) -> None:
    nbformat.write(conversation(), tmp_path / "chat.ipynb")
    page = convert("--to", "html", "--stdout", "chat.ipynb")
    assert page.count("<details>") == 2
    assert "<details open" not in page
    assert "It prints one." in Page(page).text


def test_what_the_exporter_needs_is_not_imported_from_the_folder(tmp_path: Path) -> None:
    """nbconvert looks there first; what it needs itself is not ours to say."""
    trace = tmp_path / "imported"
    for name in (
        "IPython",
        "codeop",
        "getopt",
        "ipython_pygments_lexers",
        "markdown_it",
        "secrets",
        "yaml",
    ):
        (tmp_path / f"{name}.py").write_text(f"open({str(trace)!r}, 'a').write(__name__)\n")
    msgbook_format.write(conversation(), tmp_path / "one.msg.md")

    convert_anew(tmp_path, "--to", "msghtml", "one.msg.md")

    assert (tmp_path / "one.html").exists()
    assert not trace.exists(), trace.read_text()


def test_modules_of_the_folder_that_the_user_names_are_imported(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from nbconvert.preprocessors import Preprocessor\n"
        "class Loud(Preprocessor):\n"
        "    def preprocess(self, nb, resources):\n"
        "        import other\n"
        "        nb.cells[0].source = other.WORD\n"
        "        return nb, resources\n"
    )
    (tmp_path / "other.py").write_text("WORD = 'from the folder'\n")
    msgbook_format.write(conversation(), tmp_path / "one.msg.md")
    named = "--MsgHTMLExporter.preprocessors=['mine.Loud']"

    page = convert_anew(tmp_path, "--to", "msghtml", "--stdout", named, "one.msg.md")

    assert "from the folder" in page


def test_one_switch_of_nbconvert_holds_for_all_exporters(
    convert: Callable[..., str], tmp_path: Path
) -> None:
    msgbook_format.write(conversation(), tmp_path / "chat.msg.md")
    for exporter in ("msghtml", "msgmarkdown", "msgslides", "msgnotebook"):
        switches = ("--MsgExporter.reasoning=False", "--MsgExporter.tools=False")
        text = convert("--to", exporter, "--stdout", *switches, "chat.msg.md")
        assert "It prints" in text
        assert "Let me" not in text
        assert "📝" not in text
