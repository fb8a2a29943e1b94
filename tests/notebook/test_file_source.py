"""The saved notebook as the past of a cell that no page shows, and what has run since."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from saved_chats import TURN, saved_chat

from msgbook.notebook.saved_notebook import (
    SavedNotebook,
    SavedNotebookReader,
    merge_saved_cells,
    session_notebook_file,
)
from msgbook.notebook.transcript import RequestedCell, SessionMemory, Transcript
from msgbook_format.turn import TURN_MIME


@pytest.fixture(params=["chat.msg.md", "chat.ipynb"])
def chat(request, tmp_path):
    return saved_chat(tmp_path / request.param)


def read(path):
    saved = SavedNotebookReader().read(path)
    assert saved is not None
    return saved


def test_the_running_cell_is_found_by_its_id_though_it_was_edited_since(chat):
    assert read(chat).find_position(RequestedCell("two", "c")) == 2
    assert read(chat).find_position(RequestedCell("two, edited", "c")) == 2


def test_without_its_id_the_only_cell_with_its_source_is_the_running_one(chat):
    assert read(chat).find_position(RequestedCell("one", "other")) == 0
    assert read(chat).find_position(RequestedCell("one")) == 0


@pytest.mark.parametrize(("cell_id", "source"), [("x", "one!"), ("x", "two"), (None, "two")])
def test_a_running_cell_that_is_not_surely_there_has_no_place(chat, cell_id, source):
    assert read(chat).find_position(RequestedCell(source, cell_id)) is None


def test_of_cells_with_one_source_the_client_may_tell_which_it_is(chat):
    assert read(chat).find_position(RequestedCell("two", "x", position=2)) == 2
    assert read(chat).find_position(RequestedCell("two", "x"), saved_id="b") == 1
    assert read(chat).find_position(RequestedCell("two", "x", position=0)) is None


def test_a_notebook_of_another_version_and_odd_ones_are_read_or_none(tmp_path):
    path = tmp_path / "a.ipynb"
    old = {"input": "Hi", "cell_type": "code", "metadata": {}, "outputs": [], "language": "x"}
    sheet = {"worksheets": [{"cells": [old], "metadata": {}}], "metadata": {}}
    path.write_text(json.dumps(sheet | {"nbformat": 3, "nbformat_minor": 0}))
    assert [cell["source"] for cell in read(path).cells] == ["Hi"]

    for odd in ("{", "[]", '{"nbformat": 4, "cells": 1}', '{"nbformat": 4, "cells": [1]}'):
        path.write_text(odd)
        assert SavedNotebookReader().read(path) is None


def test_a_file_is_read_again_only_when_it_has_changed(chat):
    notebooks = SavedNotebookReader()
    first = notebooks.read(chat)
    assert notebooks.read(chat) is first

    os.utime(chat, ns=(1, 1))

    assert notebooks.read(chat) is not first


def test_what_is_no_regular_file_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.ipynb")
    (tmp_path / "endless.ipynb").symlink_to("/dev/zero")

    for name in ("pipe.ipynb", "endless.ipynb", "none.ipynb"):
        assert SavedNotebookReader().read(tmp_path / name) is None


def test_ids_of_a_file_may_be_anything(tmp_path):
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    cells = [cell | {"id": ["x"], "source": "one"}, cell | {"id": "b", "source": "two"}]
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook))

    found = past(read(tmp_path / "a.ipynb"), SessionMemory(), RequestedCell("two", "b"))

    assert [cell["source"] for cell in found.earlier] == ["one"]


def test_a_server_names_the_file_of_the_session(chat, tmp_path):
    assert session_notebook_file({"JPY_SESSION_NAME": str(chat)}) == chat

    for name in ("", "chat.msg.md", f"{tmp_path}/", f"{tmp_path}/none.ipynb", "/a\0.md", "/x.py"):
        assert session_notebook_file({"JPY_SESSION_NAME": name}) is None
    assert session_notebook_file({}) is None


@pytest.mark.parametrize("name", ["a.mtm", "a.mutsumi-notebook"])
def test_the_file_of_an_agent_is_read_like_any_other(tmp_path, name):
    messages = [
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "1"},
        {"role": "user", "content": "two"},
    ]
    path = tmp_path / name
    path.write_text(json.dumps({"metadata": {}, "context": messages}))
    assert session_notebook_file({"JPY_SESSION_NAME": str(path)}) == path

    found = past(read(path), SessionMemory(), RequestedCell("two", None))

    assert [cell["source"] for cell in found.earlier] == ["one"]


def answered(cell_id, source=None, **metadata):
    outputs = [{"output_type": "display_data", "data": {TURN_MIME: TURN}}]
    return {
        "id": cell_id,
        "cell_type": "code",
        "source": source or f"{cell_id}, as saved",
        "metadata": metadata,
        "outputs": outputs,
    }


def note(text):
    return {"id": "note", "cell_type": "markdown", "source": text, "metadata": {}}


OLD, NEW = "before it ran", "after it ran"
"""Versions of the file: what has run here ran while it was as in the first."""
NOW = RequestedCell("now", "now")


def saved(*cells, version=OLD):
    cells = [answered(cell) if isinstance(cell, str) else cell for cell in cells]
    return SavedNotebook(cells, {"msgbook": {"macros": {}}}, version)


def session(*ran, deleted=()):
    memory = SessionMemory()
    memory.forget(deleted, version=OLD)
    for one in ran:
        asked = RequestedCell(f"{one}, as run", one) if isinstance(one, str) else one
        memory.remember(asked, TURN, version=OLD)
    return memory


def past(notebook, memory, asked=NOW):
    return merge_saved_cells(
        Transcript("memory", memory.cells_above(asked.cell_id)), asked, notebook, memory
    )


def sources(found):
    return [cell["source"] for cell in found.earlier]


def test_the_past_is_the_file_with_what_has_run_since():
    found = past(saved("a", "b", "c", "now", "d"), session("b", "new", "d"))

    assert found.source == "file"
    assert sources(found) == ["a, as saved", "b, as run", "new, as run", "c, as saved"]
    assert "save the notebook before you run" in found.notice


def test_a_notebook_that_somebody_may_have_edited_is_said_to_be_as_it_was_saved():
    session = Transcript("memory", [])
    notebook = saved(answered("now", "now"))

    assert merge_saved_cells(session, NOW, notebook, SessionMemory()).notice == ""
    found = merge_saved_cells(session, NOW, notebook, SessionMemory(), is_edited=True)
    assert "were sent as they were saved" in found.notice.replace("\n", " ")


def test_notes_and_the_notebooks_metadata_count_from_the_first_prompt_on():
    notebook = saved(note("Be brief."), "now")

    found = past(notebook, SessionMemory(), RequestedCell("now, as saved", "now"))

    assert sources(found) == ["Be brief."]
    assert found.metadata == notebook.metadata
    assert found.notice == ""


def test_a_file_that_was_written_after_a_cell_ran_is_right_about_it():
    edited, cleared = answered("a", "edited"), answered("b") | {"outputs": []}
    notebook = saved(edited, cleared, answered("now", "now"), version=NEW)

    found = past(notebook, session("a", "b", "deleted and saved"))

    assert found.earlier == [edited, cleared]
    assert found.notice == ""


def test_a_turn_that_was_saved_while_it_ran_is_taken_as_it_ended():
    running = answered("a")
    running["outputs"] = [{"data": {TURN_MIME: TURN | {"status": "running", "blocks": []}}}]

    found = past(saved(running, answered("now", "now"), version=NEW), session("a"))

    assert found.earlier[0]["outputs"][0]["data"][TURN_MIME] == TURN


def test_metadata_of_a_request_counts_where_it_is_not_saved_yet():
    memory = session(RequestedCell("a", "a", {"history": "exclude"}))
    asked = RequestedCell("now", "now", {"agent": "reviewer"})

    found = past(saved(answered("a", "a", tags=["t"]), answered("now", "now")), memory, asked)

    assert found.earlier[0]["metadata"] == {"tags": ["t"], "msgbook": {"history": "exclude"}}
    assert found.current["metadata"] == {"msgbook": {"agent": "reviewer"}}


def test_cells_whose_ids_differ_are_matched_by_their_sources():
    notebook = saved(answered("a", "one"), answered("b", "one"), answered("c", "two"), "now")

    ran = [
        RequestedCell("two", "uri#2"),
        RequestedCell("one", "uri#0"),
        RequestedCell("one", "uri#1"),
        RequestedCell("two"),
    ]

    assert sources(past(notebook, session(*ran))) == ["one", "one", "two"]


def test_a_cell_that_was_deleted_in_this_session_stays_deleted_until_it_is_run_or_saved_again():
    memory = session("b", deleted=["a"])
    assert sources(past(saved("a", "b", "now"), memory)) == ["b, as run"]
    assert sources(past(saved("a", "now", version=NEW), memory)) == ["a, as saved"]

    memory.remember(RequestedCell("a, as run", "a"), TURN, version=OLD)
    assert sources(past(saved("a", "b", "now"), memory)) == ["a, as run", "b, as run"]


def test_cells_of_another_notebook_that_uses_the_kernel_are_none_of_this_one(tmp_path):
    asked = replace(NOW, path=tmp_path / "this.ipynb")
    other = RequestedCell("other", "o", path=tmp_path / "other.ipynb")

    assert sources(past(saved("a", "now"), session(other), asked)) == ["a, as saved"]


@pytest.mark.parametrize("notebook", [None, saved("a")])
def test_where_the_file_does_not_hold_the_running_cell_the_turn_says_so(notebook):
    found = past(notebook, session("b"))
    assert (found.source, sources(found)) == ("memory", ["b, as run"])
    assert "only what this session has run was sent" in found.notice

    assert "starts without history" in past(notebook, SessionMemory()).notice


NAMES = st.lists(st.sampled_from("abcdefgh"), unique=True)


@given(NAMES, NAMES, NAMES, NAMES)
def test_the_past_is_in_the_order_of_the_file_and_what_ran_here_counts(above, below, ran, gone):
    below = [name for name in below if name not in above]

    found = past(saved(*above, "now", *below), session(*ran, deleted=gone))

    ids = [cell["id"] for cell in found.earlier]
    assert found.source == "file"
    assert len(set(ids)) == len(ids)
    assert {c["id"] for c in found.earlier if c["source"].endswith("as run")} == set(ran) & set(ids)
    assert not set(ids) & set(below)
    assert [name for name in ids if name in above] == [
        name for name in above if name in ran or name not in gone
    ]
    assert set(ran) & set(above) <= set(ids)
