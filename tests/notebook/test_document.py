"""A conversation's file, and the file as a source: what is read, what is never overwritten."""

from __future__ import annotations

import json

import nbformat
import pytest
from saved_chats import TURN, saved_chat

from msgbook.notebook.conversation_file import Document, DocumentError, create_beside
from msgbook_format.errors import FileChangedError


@pytest.fixture(params=["chat.msg.md", "chat.ipynb"])
def chat(request, tmp_path):
    return saved_chat(tmp_path / request.param)


def test_a_turn_is_one_output_and_what_a_kernel_cannot_write_goes_into_metadata(chat):
    document = Document.read(chat)
    summary = {"text": "short", "source": "sha256:0"}
    context = {"source": "file", "cells": 1, "macros": {"A": "1"}, "summaries": {"a": summary}}

    document.put_turn(1, {**TURN, "context": context})
    document.save()

    saved = Document.read(chat)
    assert len(saved.cells[1]["outputs"]) == 1
    assert saved.cells[0]["metadata"]["msgbook"]["summary"] == summary
    assert saved.notebook["metadata"]["msgbook"]["macros"] == {"A": "1"}


@pytest.mark.parametrize(
    "context", [None, 3, {"macros": 3, "summaries": []}, {"summaries": {"a": 1}}]
)
def test_an_odd_context_mirrors_nothing(chat, context):
    document = Document.read(chat)

    document.put_turn(1, {**TURN, "context": context})

    assert "msgbook" not in document.notebook["metadata"]
    assert "summary" not in document.cells[0]["metadata"].get("msgbook", {})


def test_saving_again_and_again_refuses_only_what_others_wrote(chat):
    document = Document.read(chat)
    document.save()
    document.save()
    theirs = chat.read_text() + "\n"
    chat.write_text(theirs)

    with pytest.raises(FileChangedError):
        document.save()

    assert chat.read_text() == theirs
    assert create_beside(chat, document.notebook, ".unsaved").name.startswith("chat.unsaved.")
    assert create_beside(chat, document.notebook, ".unsaved").name.startswith("chat.unsaved-2.")


def test_a_new_file_takes_no_other_ones_place(chat):
    document = Document.new(chat)

    with pytest.raises(FileExistsError):
        document.save()

    assert [cell["source"] for cell in Document.read(chat).cells] == ["one", "two", "two"]


def test_lone_surrogates_and_fields_of_others_survive_in_a_notebook(tmp_path):
    path = tmp_path / "a.ipynb"
    cell = {
        "id": "a",
        "cell_type": "code",
        "source": [],
        "metadata": {},
        "outputs": [],
        "x": "\ud800",
    }
    content = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell], "y": [1]}
    path.write_text(json.dumps(content))

    Document.read(path).save()

    saved = json.loads(path.read_text())
    assert (saved["cells"][0]["x"], saved["y"]) == ("\ud800", [1])


def test_an_old_notebook_is_converted(tmp_path):
    path = tmp_path / "a.ipynb"
    cell = nbformat.v3.new_code_cell(input="x")
    notebook = nbformat.v3.new_notebook(worksheets=[nbformat.v3.new_worksheet(cells=[cell])])
    path.write_text(nbformat.v3.writes_json(notebook))

    assert [cell["source"] for cell in Document.read(path).cells] == ["x"]


@pytest.mark.parametrize(
    "content",
    [
        "", "[]", "3", "null", "{}", "[" * 100_000, '{"nbformat": 9}',
        '{"nbformat": 4, "metadata": {}, "cells": 3}',
        '{"nbformat": 4, "metadata": {}, "cells": [3]}',
        '{"nbformat": 4, "metadata": [], "cells": []}',
        '{"nbformat": 4, "metadata": {}, "cells": [{"cell_type": "code", "source": "", "metadata": {}}]}',
    ],
)  # fmt: skip
def test_what_is_no_notebook_is_said_so(tmp_path, content):
    path = tmp_path / "a.ipynb"
    path.write_text(content)

    with pytest.raises(DocumentError, match="expected a notebook"):
        Document.read(path)
