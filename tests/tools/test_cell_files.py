"""`read_cell`, `edit_cell` and `insert_cell` on another notebook's file: what they ask, and that all else stays to the byte."""

from __future__ import annotations

import json
import os
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
        ("edit_cell", {"path": "plain.md", "cell": "a", "old": "What", "new": "x"}, "is not a notebook"),
        ("edit_cell", {"path": "none.ipynb", "cell": "a", "old": "What", "new": "x"}, "No such file"),
        ("insert_cell", {"path": "chat.msg.md", "after": "ask", "kind": "code", "source": "%model x"}, "would not be code"),
        ("read_cell", {"path": "plain.md"}, "is not a notebook"),
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


EDIT = {"cell": "odd", "old": "1/0", "new": "x"}
INSERT = {"after": "odd", "kind": "note", "source": "new"}


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    path = tmp_path.parent / f"{tmp_path.name}-outside.ipynb"
    path.write_text(NOTEBOOK)
    return path


@pytest.mark.parametrize("way", ["link.ipynb", "up/{name}", "sub/../../{name}", "{path}"])
def test_a_link_leads_to_what_is_asked_about_by_its_real_path(files, tmp_path, outside, way):
    (tmp_path / "link.ipynb").symlink_to(outside)
    (tmp_path / "up").symlink_to("..")
    (tmp_path / "sub").mkdir()
    path = way.format(name=outside.name, path=outside)

    for tool, arguments in (("read_cell", {}), ("edit_cell", EDIT), ("insert_cell", INSERT)):
        asked = files.approval_request(tool, path=path, **arguments)
        assert asked.path == str(outside)
        assert asked.always_asks or tool == "read_cell"
    assert outside.read_text() == NOTEBOOK


@pytest.mark.parametrize(("tool", "arguments"), [("edit_cell", EDIT), ("insert_cell", INSERT)])
def test_a_link_that_takes_the_place_of_an_approved_file_is_asked_about_again(
    files, tmp_path, outside, tool, arguments
):
    needed = files.approval_request(tool, path="odd.ipynb", **arguments)
    (tmp_path / "odd.ipynb").unlink()
    (tmp_path / "odd.ipynb").symlink_to(outside)

    again = files.reply(tool, needed, path="odd.ipynb", **arguments)

    assert again["approval_request"].path == str(outside)
    assert outside.read_text() == NOTEBOOK


def test_a_link_in_the_folder_stays_a_link_and_its_file_is_changed(files, tmp_path):
    (tmp_path / "link.ipynb").symlink_to("odd.ipynb")

    needed = files.approval_request("edit_cell", path="link.ipynb", **EDIT)
    files.reply("edit_cell", needed, path="link.ipynb", **EDIT)

    assert needed.path == str(tmp_path / "odd.ipynb")
    assert (tmp_path / "link.ipynb").is_symlink()
    assert "1/0" not in (tmp_path / "odd.ipynb").read_text()


@pytest.mark.parametrize("name", [".env.ipynb", "id_rsa.ipynb", ".ssh/a.ipynb", ".git/config"])
def test_what_may_hold_a_secret_is_asked_about_each_time(files, tmp_path, name):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(NOTEBOOK)

    assert files.approval_request("read_cell", path=name).always_asks


@pytest.mark.parametrize("name", [".msgbook/a.msg.md", ".git/a.ipynb", ".agents/skills/a.ipynb"])
def test_files_that_say_what_happens_later_are_asked_about_each_time(files, tmp_path, name):
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text(CHAT if name.endswith(".md") else NOTEBOOK)
    edit = {**EDIT, "cell": "1"} if name.endswith(".md") else EDIT

    assert files.approval_request("edit_cell", path=name, **edit).always_asks


@pytest.mark.parametrize("kind", ["pipe", "folder", "loop", "device"])
def test_what_is_no_regular_file_is_an_error_at_once(files, tmp_path, kind):
    path = tmp_path / "odd2.ipynb"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to({"loop": path.name, "device": "/dev/zero"}[kind])

    for tool, arguments in (("read_cell", {}), ("edit_cell", EDIT), ("insert_cell", INSERT)):
        reply = files.reply(tool, path=path.name, **arguments)
        if "approval_request" in reply:  # what is outside is asked about first
            reply = files.reply(tool, reply["approval_request"], path=path.name, **arguments)
        assert reply["error"]


@pytest.mark.parametrize(
    "path", ["a\0.ipynb", "~/a.ipynb", "~nobody/a.ipynb", "/" * 9000, "x" * 9000]
)
def test_a_path_that_can_be_none_is_an_error_in_words(files, path):
    for tool, arguments in (("read_cell", {}), ("edit_cell", EDIT), ("insert_cell", INSERT)):
        reply = files.reply(tool, path=path, **arguments)
        assert reply.get("error") or reply["approval_request"].always_asks


def test_an_agent_of_one_folder_asks_about_a_notebook_of_another(tmp_path):
    for name in ("mine", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "odd.ipynb").write_text(NOTEBOOK)
    files = FileCalls(tmp_path, allowed=[tmp_path / "mine"])
    (tmp_path / "mine" / "link.ipynb").symlink_to("../other/odd.ipynb")

    assert "#1 odd" in files.run("read_cell", path="mine/odd.ipynb")
    for path in ("other/odd.ipynb", "mine/link.ipynb"):
        for tool, arguments in (("read_cell", {}), ("edit_cell", EDIT), ("insert_cell", INSERT)):
            asked = files.approval_request(tool, path=path, **arguments)
            assert asked.path == str(tmp_path / "other" / "odd.ipynb")
