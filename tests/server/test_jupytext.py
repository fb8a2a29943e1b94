"""Message files through Jupytext's library and command line, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
TOUR = (Path(__file__).parents[1] / "format" / "fixtures" / "tour.msg.md").read_text()
COMMAND = """
import sys
from msgbook_format.jupytext_plugin import register
assert register() and register()
import jupytext, jupytext.cli
"""


@pytest.fixture
def run(tmp_path):
    def python(code, *args):
        path = os.pathsep.join([str(ROOT / "jupytext_format"), str(ROOT / "kernel")])
        result = subprocess.run(
            [sys.executable, "-W", "error::UserWarning", "-c", COMMAND + code, *args],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert result.returncode == 0, result.stderr
        return result.stdout

    return python


def jupytext(run, *commands):
    """Run command lines of Jupytext one after the other."""
    run(f"for command in {commands!r}:\n    assert not jupytext.cli.jupytext(command.split())")


def test_the_command_line_goes_there_and_back(run, tmp_path):
    (tmp_path / "chat.msg.md").write_text(TOUR)

    jupytext(
        run,
        "--to ipynb --output chat.ipynb chat.msg.md",
        "--to .msg.md:msg --output back.msg.md chat.ipynb",
        "--test --to .msg.md chat.ipynb",
    )

    assert nbformat.read(tmp_path / "chat.ipynb", 4).cells[1].outputs
    assert (tmp_path / "back.msg.md").read_text() == TOUR


@pytest.mark.parametrize(
    ("formats", "name"), [("ipynb,.msg.md:msg", "a.msg.md"), ("ipynb,md:msg", "a.md")]
)
def test_an_answer_edited_in_the_text_of_a_pair_survives_a_sync(run, tmp_path, formats, name):
    (tmp_path / "chat.msg.md").write_text(TOUR)
    jupytext(run, "--to ipynb --output a.ipynb chat.msg.md", f"--set-formats {formats} a.ipynb")
    text = tmp_path / name
    text.write_text(text.read_text().replace("It prints **a**.", "It prints **b**."))
    os.utime(tmp_path / "a.ipynb", (1, 1))

    jupytext(run, f"--sync {name}")

    assert "It prints **b**." in text.read_text()
    assert "It prints **b**." in (tmp_path / "a.ipynb").read_text()


def test_a_sync_writes_no_files_that_only_the_text_names(run, tmp_path):
    text = (
        '---\njupyter:\n  jupytext: {formats: "ipynb,.msg.md:msg,py:percent"}\n---\n\n# %%\n\nHi\n'
    )
    (tmp_path / "conftest.msg.md").write_text(text)
    (tmp_path / "conftest.py").write_text("mine")

    jupytext(run, "--sync conftest.msg.md")

    assert (tmp_path / "conftest.py").read_text() == "mine"
    assert (tmp_path / "conftest.msg.md").read_text() == text
    assert (tmp_path / "conftest.ipynb").exists()


def test_the_library_reads_and_writes_files_to_the_byte(run, tmp_path):
    data = TOUR.replace("\n", "\r\n").encode()
    (tmp_path / "chat.msg.md").write_bytes(data)
    (tmp_path / "empty.msg.md").write_bytes(b"")

    run(
        "for name in ('chat', 'empty'):\n"
        "    jupytext.write(jupytext.read(name + '.msg.md'), name + '-2.msg.md')"
    )

    assert (tmp_path / "chat-2.msg.md").read_bytes() == data
    assert (tmp_path / "empty-2.msg.md").read_bytes() == b""


def test_an_escape_character_in_an_answer_does_not_break_a_paired_text(run, tmp_path):
    (tmp_path / "a.md").write_text("---\nmessage_section: true\n---\n## Discussion\n\x1b[31mred\n")

    found = run("print(repr(jupytext.read('a.md').cells[0].source))")

    assert found.strip() == repr("\x1b[31mred")


def test_other_markdown_stays_with_jupytexts_own_formats(run, tmp_path):
    text = "# Read me\n\n```python\n# %% a cell\n```\n"
    (tmp_path / "README.md").write_text(text)

    run("jupytext.write(jupytext.read('README.md'), 'README.md')")

    assert (tmp_path / "README.md").read_text().endswith(text)


def test_every_function_that_is_replaced_is_what_it_was_written_for(run):
    run("from msgbook_format.jupytext_plugin import patches\nassert patches.find_problem() is None")


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ("jupytext.__version__ = '99.0'", "jupytext 99.0"),
        ("del jupytext.formats.short_form_one_format", "short_form_one_format"),
        ("sys.modules['jupytext.combine'] = None; del jupytext.combine", "combine"),
    ],
)
def test_an_unknown_jupytext_gives_a_warning_and_stays_as_it_is(change, word):
    code = (
        "import jupytext, sys, warnings\n"
        f"{change}\n"
        "from msgbook_format.jupytext_plugin import register\n"
        "with warnings.catch_warnings(record=True) as seen:\n"
        "    warnings.simplefilter('always')\n"
        "    assert not register()\n"
        f"assert {word!r} in str(seen[-1].message), str(seen[-1].message)\n"
        "assert 'msg' not in jupytext.formats._VALID_FORMAT_NAMES\n"
    )
    path = os.pathsep.join([str(ROOT / "jupytext_format"), str(ROOT / "kernel")])
    environment = {**os.environ, "PYTHONPATH": path, "MSGBOOK_NO_AUTOLOAD": "1"}

    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=60)
