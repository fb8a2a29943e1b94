"""What is written is what the notebook shows, whatever was edited; nothing hidden returns."""

from __future__ import annotations

import json

from hypothesis import assume, given
from hypothesis import strategies as st

from format.agent_context.contexts import CONTEXTS
from format.strategies import edits, notebooks
from msgbook_format.extras.agent_context import context_from, notebook_from
from msgbook_format.extras.agent_context.cells import is_empty
from msgbook_format.jsontext import is_same
from msgbook_format.nodes import as_nodes
from msgbook_format.syntax import KERNELSPEC
from msgbook_format.turn import TURN_MIME, without_derived


def shown(cells):
    """Return the cells without what follows from them and what is kept beside them."""
    return [shown_cell(cell) for cell in json.loads(json.dumps(cells))]


def shown_cell(cell):
    metadata = cell["metadata"]
    metadata.pop("trusted", None)
    ours = metadata.get("msgbook")
    if isinstance(ours, dict):
        for key in ("text", "agent_message"):
            ours.pop(key, None)
        if not ours:
            del metadata["msgbook"]
    if metadata.get("editable") is False:
        del metadata["editable"]
    if isinstance(cell.get("outputs"), list):
        cell["outputs"] = without_derived(cell["outputs"])
    # Ids that follow from a source follow from the new one.
    cell.pop("id", None)
    return cell


def assert_shows(written, cells):
    cells = cells[:-1] if cells and is_empty(cells[-1]) else cells
    found, expected = shown(notebook_from(written)["cells"]), shown(cells)
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        for key in one.keys() | other.keys():
            assert is_same(one.get(key), other.get(key)), key


@given(CONTEXTS, st.lists(edits, max_size=3))
def test_an_edited_notebook_is_written_as_it_is_shown(context, changes):
    notebook = as_nodes(json.loads(json.dumps(notebook_from(context))))
    for change in changes:
        change(notebook["cells"])

    written = context_from(notebook, {})

    assert_shows(written, notebook["cells"])


@given(notebooks)
def test_any_conversation_comes_back(notebook):
    notebook = json.loads(json.dumps(notebook))
    notebook["metadata"]["kernelspec"] = dict(KERNELSPEC)
    assume(all(map(is_complete, notebook["cells"])))

    written = context_from(notebook, {})

    assert_shows(written, notebook["cells"])
    assert is_same(context_from(notebook_from(written), {}), written)


def is_complete(cell):
    """Return whether a cell is as nbformat has it; the generator makes others, too."""
    is_code = cell["cell_type"] == "code"
    return (
        cell["cell_type"] in ("code", "markdown", "raw")
        and isinstance(cell.get("source"), str)
        and isinstance(cell.get("metadata"), dict)
        and isinstance(cell["metadata"].get("msgbook", {}), dict)
        and cell["metadata"].get("msgbook") != {}
        and (not is_code or isinstance(cell.get("outputs"), list))
        and (not is_code or "execution_count" in cell)
    )


def messages_after(change, context):
    notebook = notebook_from(context)
    change(notebook["cells"])
    return context_from(notebook, {})["context"]


def test_an_edited_answer_replaces_the_text_and_keeps_unknown_keys():
    answer = {"role": "assistant", "content": [{"type": "text", "text": "old"}], "refusal": None}
    context = {"metadata": {}, "context": [{"role": "user", "content": "Hi"}, answer]}

    def edit(cells):
        cells[0]["outputs"][0]["data"][TURN_MIME]["blocks"][0]["text"] = "new"

    assert messages_after(edit, context)[1] == {
        "role": "assistant",
        "content": "new",
        "refusal": None,
    }


def test_an_edited_prompt_leaves_no_part_and_no_reference_behind():
    secret = '\n<content_reference>\n{ "files": {"a": "secret"} }\n</content_reference>'
    parts = [{"type": "text", "text": "Look"}, {"type": "video", "data": "secret"}]
    context = {
        "metadata": {},
        "context": [
            {"role": "user", "content": f"Read{secret}"},
            {"role": "user", "content": parts, "name": "me"},
        ],
    }

    def edit(cells):
        for cell in cells:
            cell["source"] = "New text"

    assert messages_after(edit, context) == [
        {"role": "user", "content": "New text"},
        {"role": "user", "content": "New text", "name": "me"},
    ]


def test_an_edited_note_loses_the_messages_that_it_was_made_from():
    inner = [{"role": "assistant", "content": "old"}]
    note = {"role": "assistant", "content": "old", "metadata": {"mutsumi_interaction": inner}}

    def edit(cells):
        cells[0]["source"] = "new"

    assert messages_after(edit, {"metadata": {}, "context": [note]}) == [
        {"role": "assistant", "content": "new"}
    ]


def test_changed_macros_are_written_where_they_were_and_new_ones_as_items():
    context = {
        "metadata": {
            "macroContext": {"A": "1", "B": "2"},
            "contextItems": [{"type": "macro", "key": "ROLE", "content": "chat"}, {"type": "file"}],
        },
        "context": [],
    }
    notebook = notebook_from(context)
    macros = notebook["metadata"]["msgbook"]["macros"]
    assert macros == {"A": "1", "B": "2", "ROLE": "chat"}
    notebook["metadata"]["msgbook"]["macros"] = {"A": "3", "ROLE": "coder", "C": "4"}

    assert context_from(notebook, {})["metadata"] == {
        "macroContext": {"A": "3"},
        "contextItems": [
            {"type": "macro", "key": "ROLE", "content": "coder"},
            {"type": "file"},
            {"type": "macro", "key": "C", "content": "4"},
        ],
    }
