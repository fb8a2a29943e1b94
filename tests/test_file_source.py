"""The saved notebook as the past of a kernel that was restarted, and what has run since."""

from __future__ import annotations

import json

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_client import KernelClient
from saved_chats import TURN, saved_chat
from scripted_server import text

from msgbook.file_source import file_transcript, session_file, with_file
from msgbook.transcript import SessionMemory, Transcript
from msgbook_format.turn import TURN_MIME


@pytest.fixture(params=["chat.msg.md", "chat.ipynb"])
def chat(request, tmp_path):
    return saved_chat(tmp_path / request.param)


def test_the_running_cell_is_found_by_its_id_and_its_source(chat):
    found = file_transcript(chat, "c", "two")

    assert found is not None
    assert (found.source, found.current["id"]) == ("file", "c")
    assert [cell["id"] for cell in found.earlier] == ["a", "b"]


def test_without_its_id_the_only_cell_with_its_source_is_the_running_one(chat):
    found = file_transcript(chat, "other", "one")

    assert found is not None
    assert found.current["id"] == "a"
    assert file_transcript(chat, None, "one") == found


@pytest.mark.parametrize(("cell_id", "source"), [("a", "one!"), ("x", "two"), (None, "two")])
def test_a_running_cell_that_is_not_surely_there_has_no_past(chat, cell_id, source):
    assert file_transcript(chat, cell_id, source) is None


def test_ids_of_a_file_may_be_anything(tmp_path):
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    cells = [cell | {"id": ["x"], "source": "one"}, cell | {"id": "b", "source": "two"}]
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook))
    memory = SessionMemory()
    memory.remember("q", "zero")

    saved = file_transcript(tmp_path / "a.ipynb", "b", "two")
    found = with_file(Transcript("memory", memory.earlier("b")), saved, memory)

    assert [cell["source"] for cell in found.earlier] == ["zero"]


def test_a_file_that_cannot_be_read_is_no_past(tmp_path):
    (tmp_path / "a.ipynb").write_text("{")

    assert file_transcript(tmp_path / "a.ipynb", "a", "x") is None
    assert file_transcript(tmp_path / "none.msg.md", "a", "x") is None


def test_a_server_names_the_file_of_the_session(chat, tmp_path):
    assert session_file({"JPY_SESSION_NAME": str(chat)}) == chat

    for name in ("", "chat.msg.md", f"{tmp_path}/", f"{tmp_path}/none.ipynb", "/a\0.md", "/x.py"):
        assert session_file({"JPY_SESSION_NAME": name}) is None
    assert session_file({}) is None


def answered(cell_id, source="as saved"):
    outputs = [{"output_type": "display_data", "data": {TURN_MIME: TURN}}]
    return {"id": cell_id, "cell_type": "code", "source": source, "outputs": outputs}


def saved(above, below=("now",)):
    return Transcript("file", [answered(name) for name in above], below=frozenset(below))


def session(*cell_ids, deleted=()):
    memory = SessionMemory()
    memory.forget(deleted)
    for cell_id in cell_ids:
        memory.remember(cell_id, "as run", TURN)
    return Transcript("memory", memory.earlier("now")), memory


def test_after_a_restart_the_past_is_the_file_with_what_has_run_since():
    found, memory = session("b", "new")

    past = with_file(found, saved("abc"), memory)

    assert past.source == "file"
    assert [cell["id"] for cell in past.earlier] == ["a", "b", "new", "c"]
    assert [cell["source"] for cell in past.earlier] == ["as saved", "as run", "as run", "as saved"]


def test_a_session_that_knows_all_answers_does_not_need_the_file():
    found, memory = session("a", "b")

    assert with_file(found, saved("ab"), memory) is found


def test_a_cell_that_was_deleted_in_this_session_stays_deleted_until_it_is_run_again():
    found, memory = session("b", deleted=["a"])
    assert [c["id"] for c in with_file(found, saved("abc"), memory).earlier] == ["b", "c"]

    memory.remember("a", "as run", TURN)
    found = Transcript("memory", memory.earlier("now"))
    assert {c["id"] for c in with_file(found, saved("abc"), memory).earlier} == {"a", "b", "c"}


def test_without_any_past_the_turn_says_so():
    found, memory = session()

    assert "without history" in with_file(found, None, memory).note


def test_where_earlier_turns_knew_the_file_and_this_one_does_not_the_turn_says_so():
    memory = SessionMemory()
    memory.remember("b", "as run", TURN | {"context": {"source": "file", "cells": 1}})
    found = Transcript("memory", memory.earlier("now"))

    past = with_file(found, None, memory)

    assert past.earlier == found.earlier
    assert "this session alone" in past.note
    assert "Save the notebook" in past.note


def test_a_session_that_was_never_made_of_the_file_says_nothing():
    found, memory = session("a", "b")

    assert with_file(found, None, memory) is found


NAMES = st.lists(st.sampled_from("abcdefgh"), unique=True)


@given(NAMES, NAMES, NAMES, NAMES)
def test_the_past_is_in_the_order_of_the_file_and_what_ran_here_counts(above, below, ran, gone):
    below = [name for name in below if name not in above]
    found, memory = session(*ran, deleted=gone)

    past = with_file(found, saved(above, ["now", *below]), memory)

    ids = [cell["id"] for cell in past.earlier]
    assert len(set(ids)) == len(ids)
    assert {c["id"] for c in past.earlier if c["source"] == "as run"} <= set(ran)
    if past.source == "file":
        assert not set(ids) & set(below)
        kept = [name for name in above if name in ids]
        assert [name for name in ids if name in above] == kept
        assert set(ran) - set(below) <= set(ids)
        assert not (set(gone) - set(ran)) & set(ids)
    else:
        assert ids == ran


def test_a_kernel_that_was_restarted_goes_on_from_the_saved_notebook(server, tmp_path):
    """As a client without our page does: it names cells, and the server names the file."""
    server.answers = [text("Yours is Ada."), text("Two questions.")]
    path = tmp_path / "chat.ipynb"
    cells = [nbformat.v4.new_code_cell(source, id=name) for name, source in ("aA", "bB", "cC")]
    cells[0]["outputs"] = [
        nbformat.v4.new_output("display_data", {TURN_MIME: TURN, "text/plain": ""})
    ]
    spec = {"name": "msgbook", "display_name": "Chat (msgbook)", "language": "msgbook"}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": spec}), path)
    settings = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m", "JPY_SESSION_NAME": str(path)}

    with KernelClient(settings, str(tmp_path)) as kernel:
        _, messages = kernel.finish(kernel.start("B", "b"))
        kernel.finish(kernel.start("C", "c"))

    shown = [m for m in messages if m["msg_type"] in ("display_data", "update_display_data")]
    context = shown[-1]["content"]["data"][TURN_MIME]["context"]
    assert (context["source"], context["cells"]) == ("file", 1)
    assert [m["content"] for m in server.messages()[1:]] == ["A", "1", "B", "Yours is Ada.", "C"]
