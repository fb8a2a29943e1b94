"""`read_cell`, `edit_cell` and `insert_cell` on another notebook's file: what they ask, and that all else stays to the byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from file_calls import FileCalls

from msgbook_format import reads

NOTEBOOK = """{
    "metadata": {"kernelspec": {"name": "python3"},   "x": 1.50},
    "nbformat": 4, "nbformat_minor": 5,
    "cells": [
        {"id": "odd",   "cell_type": "code", "metadata": {"execution": {"a": "b"}, "tags": ["\\u00e9"]},
         "source": ["x = 1\\n",
                    "1/0"],
         "execution_count": 3, "outputs": [{"output_type": "stream", "name": "stdout", "text": "hi"}]},
        {"id": "note", "cell_type": "markdown", "metadata": {}, "source": "A note"}
    ]
}"""

CHAT = """\
---
author: me   # as it is
---

# %% Title[^ask]

What is it?

[^ask]: [markdown]

# %%% [^ask-1]

It is 1.

[^ask-1]: [agent]

## %% [^1]

[^1]: [code]   history=include

Some prose.

~~~py
1/0
~~~

# %%% [^1.1]

[^1.1]: [code]

stdout> hi
"""


@pytest.fixture
def files(tmp_path: Path) -> FileCalls:
    (tmp_path / "odd.ipynb").write_text(NOTEBOOK)
    (tmp_path / "chat.msg.md").write_text(CHAT)
    (tmp_path / "plain.md").write_text("# Nothing\n")
    return FileCalls(tmp_path)


def test_reading_is_free_and_a_change_asks_with_a_diff_of_the_cell(files, tmp_path):
    assert (
        files.run("read_cell", path="odd.ipynb") == "#1 odd code: x = 1 1/0\n#2 note note: A note"
    )
    assert files.run("read_cell", path="odd.ipynb", cell="odd") == (
        "[cell #1: code, id odd]\nx = 1\n1/0\n\n[output]\nhi"
    )
    needed = files.approval_request("edit_cell", path="odd.ipynb", cell="odd", old="1/0", new="x")

    assert needed.reason == f"it changes {tmp_path / 'odd.ipynb'}"
    assert needed.path == str(tmp_path / "odd.ipynb")
    assert needed.preview == (
        "--- odd.ipynb cell odd\n+++ odd.ipynb cell odd\n@@ -1,2 +1,2 @@\n x = 1\n-1/0\n+x\n"
    )
    assert (tmp_path / "odd.ipynb").read_text() == NOTEBOOK


def test_an_edited_cell_loses_its_outputs_and_all_else_stays_to_the_byte(files, tmp_path):
    result = files.run_approved(
        "edit_cell", path="odd.ipynb", cell="odd", old="1/0", new="é = 2\ny"
    )

    expected = (
        NOTEBOOK.replace('"1/0"]', '"\\u00e9 = 2\\n",\n                    "y"]')
        .replace('"execution_count": 3', '"execution_count": null')
        .replace('[{"output_type": "stream", "name": "stdout", "text": "hi"}]', "[]")
        .replace('{"execution": {"a": "b"}, "tags"', '{"tags"')
    )
    assert (tmp_path / "odd.ipynb").read_text() == expected
    assert result.endswith("-1/0\n+é = 2\n+y\n")


def test_a_note_is_edited_as_the_string_that_it_is(files, tmp_path):
    files.run_approved("edit_cell", path="odd.ipynb", cell="note", old="A", new="One\n\n")

    assert (tmp_path / "odd.ipynb").read_text() == NOTEBOOK.replace('"A note"', '"One\\n\\n note"')


@pytest.mark.parametrize(("after", "position"), [("", 0), ("odd", 1), ("#2", 2)])
def test_a_new_cell_stands_where_it_was_shown(files, tmp_path, after, position):
    files.run_approved("insert_cell", path="odd.ipynb", after=after, kind="code", source="a\nb")

    written = (tmp_path / "odd.ipynb").read_text()
    cells = json.loads(written)["cells"]
    assert [cell["id"] for cell in cells if cell["id"] in ("odd", "note")] == ["odd", "note"]
    assert cells[position]["source"] == ["a\n", "b"]
    assert cells[position] | {"id": ""} == {
        "id": "", "cell_type": "code", "source": ["a\n", "b"], "metadata": {}, "outputs": [],
        "execution_count": None,
    }  # fmt: skip
    kept = [line for line in written.splitlines() if line in NOTEBOOK.splitlines()]
    assert len(kept) >= len(NOTEBOOK.splitlines()) - 2


def test_a_message_file_changes_in_the_lines_of_the_cell_alone(files, tmp_path):
    files.run_approved("edit_cell", path="chat.msg.md", cell="1", old="1/0", new="1/1")

    written = (tmp_path / "chat.msg.md").read_text()
    assert written == CHAT[: CHAT.index("\n# %%% [^1.1]")].replace("1/0", "1/1")


def test_a_new_note_in_a_message_file_is_one_hunk(files, tmp_path):
    files.run_approved("insert_cell", path="chat.msg.md", after="ask", kind="note", source="Look!")

    written = (tmp_path / "chat.msg.md").read_text()
    at = CHAT.index("## %% [^1]")
    assert written.startswith(CHAT[:at])
    assert written.endswith(CHAT[at:])
    assert [cell["source"] for cell in reads(written)["cells"]][1] == "Look!"


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("edit_cell", {"path": "chat.msg.md", "cell": "ask", "old": "What", "new": "x"}, "it is a message"),
        ("edit_cell", {"path": "chat.msg.md", "cell": "zzzz", "old": "What", "new": "x"}, "no cell in chat.msg.md"),
        ("edit_cell", {"path": "plain.md", "cell": "a", "old": "What", "new": "x"}, "is no notebook"),
        ("edit_cell", {"path": "none.ipynb", "cell": "a", "old": "What", "new": "x"}, "No such file"),
        ("insert_cell", {"path": "chat.msg.md", "after": "ask", "kind": "code", "source": "%model x"}, "would be no code"),
        ("read_cell", {"path": "plain.md"}, "is no notebook"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_said(files, tool, arguments, words):
    assert words in files.error(tool, **arguments)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "\ufeff{}", '{"cells": [], "nbformat": 4}', '{"worksheets": [], "nbformat": 3}',
     '{"cells": [3], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}', "[" * 10_000],
)  # fmt: skip
def test_a_broken_notebook_is_said_and_left_as_it_is(files, tmp_path, text):
    (tmp_path / "b.ipynb").write_text(text)

    for tool, arguments in (
        ("read_cell", {}),
        ("edit_cell", {"cell": "a", "old": "b", "new": "c"}),
        ("insert_cell", {"after": "", "kind": "note", "source": "x"}),
    ):
        assert files.error(tool, path="b.ipynb", **arguments)
    assert (tmp_path / "b.ipynb").read_text() == text


def test_a_notebook_that_changed_while_its_diff_was_looked_at_is_asked_about_again(files, tmp_path):
    arguments = {"path": "odd.ipynb", "cell": "odd", "old": "1/0", "new": "x"}
    needed = files.approval_request("edit_cell", **arguments)
    (tmp_path / "odd.ipynb").write_text(NOTEBOOK.replace("x = 1", "x = 2"))

    again = files.reply("edit_cell", needed, **arguments)

    assert " x = 2\n" in again["approval_request"].preview
    assert "x = 2" in (tmp_path / "odd.ipynb").read_text()


def test_a_notebook_outside_the_folder_asks_each_time(files, tmp_path):
    outside = tmp_path.parent / "outside.ipynb"
    outside.write_text(NOTEBOOK)

    assert files.approval_request("read_cell", path=str(outside)).reason.startswith("it is outside")
    needed = files.approval_request("edit_cell", path=str(outside), cell="odd", old="1/0", new="x")
    assert needed.always_asks
