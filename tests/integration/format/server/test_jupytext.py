"""Message files through Jupytext's library and command line, each in a process of its own."""

from __future__ import annotations

import os

import nbformat
import pytest
from jupytext_command import TOUR, jupytext
from nbformat import v4

from msgbook_format.syntax import CODE_FIRST_KERNELSPEC


@pytest.mark.smoke
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


HAND_MADE = """\
---
# mine,   spaced
topic: [a,  b]
---

##  %% Hello [^a]
[^a]:  [markdown]   weight=2

What is this?


# %%% [^a-1]

[^a-1]:   [assistant]  time="2026-11-20T10:00:00Z"   model="m"

It is **this**.\x1b[0m\x00\x9b

---
a: [
---
"""
"""Spacing of a person, and an answer that YAML would choke on."""

PAIRED = HAND_MADE.replace(
    "\n---\n\n##", '\njupyter:\n  jupytext:\n    formats: "ipynb,.msg.md:msg"\n---\n\n##'
)


def test_a_command_in_place_changes_what_it_was_asked_to(run, tmp_path):
    text = tmp_path / "a.msg.md"
    text.write_text(HAND_MADE)

    jupytext(
        run,
        "--test --to ipynb a.msg.md",
        "--test-strict --to ipynb a.msg.md",
        "--test-strict --to .msg.md a.msg.md",
        "--opt notebook_metadata_filter=-all a.msg.md",
        "--pipe cat --pipe-fmt .msg.md a.msg.md",
    )
    assert text.read_text() == HAND_MADE

    run("jupytext.cli.jupytext(['--update-metadata', '{\"x\": {\"y\": 1}}', 'a.msg.md'])")
    change = 'jupyter:\n  x:\n    "y": 1\n'
    assert text.read_text() == HAND_MADE.replace("\n---\n\n##", f"\n{change}---\n\n##")
    run("jupytext.cli.jupytext(['--update-metadata', '{\"x\": null}', 'a.msg.md'])")
    assert text.read_text() == HAND_MADE


def test_a_pair_is_made_named_tested_and_taken_apart(run, tmp_path):
    text = tmp_path / "a.msg.md"
    text.write_text(HAND_MADE)

    jupytext(run, "--set-formats ipynb,.msg.md:msg a.msg.md", "--sync a.msg.md", "--sync a.ipynb")
    assert text.read_text() == PAIRED
    shown = run(
        "jupytext.cli.jupytext(['--paired-paths', 'a.msg.md'])\n"
        "jupytext.cli.jupytext(['--paired-paths', 'a.ipynb'])"
    )
    assert shown.split() == ["a.ipynb", "a.msg.md"]

    jupytext(
        run, "--to ipynb --update --output a.ipynb a.msg.md", "--test-strict --to .msg.md a.ipynb"
    )
    run("jupytext.cli.jupytext(['--update-metadata', '{\"jupytext\": null}', 'a.msg.md'])")
    assert text.read_text() == HAND_MADE


def test_names_of_files_say_the_format(run, tmp_path):
    (tmp_path / "a.msg.md").write_text(HAND_MADE)

    jupytext(
        run,
        "--to ipynb a.msg.md",
        "--output b.msg.md a.ipynb",
        "--to md --output c.msg.md a.ipynb",
        "--to md:msg --output d.md a.ipynb",
        "--to .msg.md --output e.msg.md d.md",
    )

    assert {(tmp_path / f"{name}.msg.md").read_text() for name in "bc"} == {HAND_MADE}
    assert "message_section: true\n---\n\n## Discussion\n" in (tmp_path / "d.md").read_text()
    assert "It is **this**." in (tmp_path / "e.msg.md").read_text()


PAIRED_SECTION = (
    '---\nmessage_section: true\njupyter:\n  jupytext:\n    formats: "ipynb,md:msg"\n---\n'
    "# Report\n\n## Discussion\n\n# %% [^a]\n\n[^a]: [markdown]\n\nHi\n"
)


@pytest.mark.parametrize(
    "command",
    [
        "--from md:msg --to ipynb a.md",
        "--set-formats ipynb,md:msg a.md",
        "--to md:msg a.md",
        "--sync a.md",
        "--sync a.ipynb",
    ],
)
def test_an_ordinary_md_file_is_never_taken_over(run, tmp_path, command):
    (tmp_path / "a.md").write_text(PAIRED_SECTION)
    jupytext(run, "--sync a.md")
    text = PAIRED_SECTION.replace("message_section: true\n", "")
    (tmp_path / "a.md").write_text(text)
    age = (tmp_path / "a.ipynb").stat().st_mtime - 10
    os.utime(tmp_path / "a.ipynb", (age, age))
    before = (tmp_path / "a.ipynb").read_bytes()

    told = run(f"sys.stderr = sys.stdout\nassert jupytext.cli.jupytext({command.split()!r}) == 1")

    assert "expected a `.msg.md` file" in told
    assert (tmp_path / "a.md").read_text() == text
    assert (tmp_path / "a.ipynb").read_bytes() == before


def test_standard_input_is_a_message_file_if_the_command_line_says_so(run, tmp_path):
    (tmp_path / "a.msg.md").write_text(HAND_MADE)

    run(
        "sys.stdin = open('a.msg.md')\n"
        "jupytext.cli.jupytext(['--from', '.msg.md', '--to', '.msg.md', '--output', 'b.msg.md', '-'])"
    )

    assert (tmp_path / "b.msg.md").read_text() == HAND_MADE


@pytest.mark.parametrize(
    "configuration",
    [
        ("jupytext.toml", 'formats = "ipynb,.msg.md:msg"'),
        ("jupytext.toml", 'formats = "ipynb,.msg.md"'),
        (".jupytext.py", 'c.formats = "ipynb,.msg.md:msg"'),
    ],
)
def test_a_configuration_pairs_and_leaves_the_text_alone(run, tmp_path, configuration):
    name, content = configuration
    (tmp_path / name).write_text(content)
    (tmp_path / "a.msg.md").write_text(HAND_MADE)

    jupytext(run, "--sync a.msg.md", "--sync a.ipynb")

    assert (tmp_path / "a.msg.md").read_text() == HAND_MADE
    assert "It is **this**." in (tmp_path / "a.ipynb").read_text()


def test_the_newer_notebook_of_a_pair_wins_with_its_outputs(run, tmp_path):
    (tmp_path / "a.msg.md").write_text(PAIRED)
    jupytext(run, "--sync a.msg.md")
    notebook = tmp_path / "a.ipynb"
    notebook.write_text(notebook.read_text().replace("It is **this**.", "It is **that**."))
    os.utime(tmp_path / "a.msg.md", (1, 1))

    jupytext(run, "--sync a.msg.md")

    assert "It is **that**." in (tmp_path / "a.msg.md").read_text()
    assert "It is **that**." in notebook.read_text()


def test_what_a_third_file_of_a_pair_says_is_not_lost(run, tmp_path):
    (tmp_path / "a.msg.md").write_text(HAND_MADE)
    formats = "ipynb,.msg.md:msg,py:percent"
    jupytext(run, f"--set-formats {formats} a.msg.md", "--sync a.msg.md", "--sync a.ipynb")

    assert formats in (tmp_path / "a.ipynb").read_text()
    assert formats in (tmp_path / "a.msg.md").read_text()
    assert (tmp_path / "a.py").exists()
    assert "It is **this**." in (tmp_path / "a.ipynb").read_text()


@pytest.mark.parametrize("frontmatter", ["a: [\n", "a: " + "[" * 5000 + "\n", "\x1b: \x00\n"])
def test_no_frontmatter_and_no_byte_stops_a_command(run, tmp_path, frontmatter):
    text = HAND_MADE.replace("# mine,   spaced\ntopic: [a,  b]\n", frontmatter)
    (tmp_path / "a.msg.md").write_text(text)
    (tmp_path / "b.msg.md").write_text(text)

    jupytext(
        run,
        "--to .msg.md --output c.msg.md a.msg.md",
        "--test-strict --to ipynb a.msg.md",
        "--set-formats ipynb,.msg.md:msg b.msg.md",
        "--sync b.msg.md",
    )

    assert (tmp_path / "c.msg.md").read_text() == text
    assert "It is **this**." in (tmp_path / "b.ipynb").read_text()


def test_a_file_that_is_not_utf8_is_named_without_a_traceback(run, tmp_path):
    (tmp_path / "latin.msg.md").write_bytes(b"caf\xe9")

    run("assert jupytext.cli.jupytext(['--to', 'ipynb', 'latin.msg.md']) == 1")

    assert [path.name for path in tmp_path.iterdir()] == ["latin.msg.md"]


def test_the_command_of_ours_runs_jupytexts_command_line(run, tmp_path):
    (tmp_path / "a.msg.md").write_text(HAND_MADE)

    run(
        "from msgbook_format.jupytext_plugin import main\n"
        "assert main(['--to', 'ipynb', 'a.msg.md']) == 0"
    )

    assert (tmp_path / "a.ipynb").exists()


def test_a_sync_writes_no_files_that_only_the_text_names(run, tmp_path):
    text = (
        '---\njupyter:\n  jupytext: {formats: "ipynb,.msg.md:msg,py:percent"}\n---\n\n# %%\n\nHi\n'
    )
    (tmp_path / "conftest.msg.md").write_text(text)
    (tmp_path / "conftest.py").write_text("mine")

    jupytext(
        run, "--sync conftest.msg.md", "--to ipynb --update --output conftest.ipynb conftest.msg.md"
    )
    (tmp_path / "jupytext.toml").write_text('formats = "ipynb,.msg.md:msg"')
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


SCRIPT = """\
# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %%
1 + 1
"""


def test_what_a_command_says_of_itself_is_not_in_its_standard_output(run, tmp_path):
    (tmp_path / "a.py").write_text(SCRIPT)
    jupytext(run, "--to ipynb a.py")

    command = "a.ipynb --to py:percent -o - --opt notebook_metadata_filter=-jupytext"
    printed = run(f"jupytext.cli.jupytext({command.split()!r})")

    assert printed == SCRIPT


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
def test_an_unknown_jupytext_gives_a_warning_and_stays_as_it_is(
    fork_before_jupytext, tmp_path, change, word
):
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
    environment = {**os.environ, "MSGBOOK_NO_AUTOLOAD": "1"}
    done = fork_before_jupytext.run(code, cwd=tmp_path, env=environment)

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "module", ["server.contents", "jupytext_plugin.pairing", "jupytext_plugin.patches"]
)
def test_any_module_of_ours_may_be_the_first_that_imports_jupytext(
    fork_before_jupytext, tmp_path, module
):
    done = fork_before_jupytext.run(f"import msgbook_format.{module}", cwd=tmp_path)

    assert (done.returncode, done.stderr) == (0, "")


def test_a_python_notebook_that_talks_stays_what_it_is_beside_its_script(run, tmp_path):
    turn = {"version": 1, "status": "done", "blocks": [{"type": "text", "text": "An answer."}]}
    answer = v4.new_output("display_data", {"application/vnd.msgbook.turn+json": turn})
    cells = [
        v4.new_code_cell("x = 1", id="a", outputs=[v4.new_output("stream", text="hi")]),
        v4.new_code_cell('%%msg\nWhat is """?', id="b", outputs=[answer]),
        v4.new_code_cell("\n%%msg\nAnd that?", id="c", outputs=[answer]),
        v4.new_code_cell("y = 2", id="d"),
    ]
    notebook = v4.new_notebook(cells=cells, metadata={"kernelspec": CODE_FIRST_KERNELSPEC})
    path, script = tmp_path / "a.ipynb", tmp_path / "a.py"
    nbformat.write(notebook, path)

    jupytext(run, "--set-formats ipynb,py:percent a.ipynb")
    compile(script.read_text(), "a.py", "exec")
    script.write_text(script.read_text().replace("y = 2", "y = 3"))
    os.utime(path, (1, 1))
    jupytext(run, "--sync a.ipynb")

    synced = nbformat.read(path, 4)
    assert [cell.source for cell in synced.cells] == [
        "x = 1",
        '%%msg\nWhat is """?',
        "%%msg\nAnd that?",
        "y = 3",
    ]
    assert [cell.outputs for cell in synced.cells[:3]] == [cell.outputs for cell in cells[:3]]
    assert synced.metadata.kernelspec == CODE_FIRST_KERNELSPEC
