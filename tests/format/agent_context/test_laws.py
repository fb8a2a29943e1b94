"""An AgentContext as a notebook and back is the same JSON, also as a text or an `.ipynb` between."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path

import nbformat
import pytest
from hypothesis import given

from format.agent_context.contexts import CONTEXTS
from msgbook_format.document.reader import reads
from msgbook_format.document.writer import writes
from msgbook_format.extras.agent_context import (
    context_from,
    dump_context,
    load_context,
    notebook_from,
)
from msgbook_format.files import reads_ipynb, writes_ipynb
from msgbook_format.jsontext import is_same
from msgbook_format.turn import TURN_MIME

FIXTURES = sorted((Path(__file__).parent / "fixtures").glob("*.mtm"))
USUAL = [path for path in FIXTURES if path.name != "orphans.mtm"]
"""Files whose keys are in the order in which they are written."""


def fixture(path):
    return load_context(path.read_bytes())


def assert_same(found, expected):
    if not is_same(found, expected):
        # A readable difference.
        assert json.dumps(found, indent=1, sort_keys=True) == json.dumps(
            expected, indent=1, sort_keys=True
        )
    assert is_same(found, expected)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_a_file_is_the_same_after_a_notebook(path):
    data = path.read_bytes()

    notebook = notebook_from(load_context(data))

    assert dump_context(context_from(notebook, {}), data) == data
    nbformat.validate(nbformat.from_dict(notebook))


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_a_file_is_the_same_after_a_text(path):
    context = fixture(path)

    assert_same(context_from(reads(writes(notebook_from(context))), {}), context)


@pytest.mark.parametrize("path", USUAL, ids=lambda path: path.name)
def test_a_usual_file_is_written_anew_byte_for_byte(path):
    data = path.read_bytes()

    assert dump_context(context_from(notebook_from(load_context(data)), {})) == data


@given(CONTEXTS)
def test_any_context_is_the_same_after_a_notebook(context):
    given_context = deepcopy(context)
    notebook = notebook_from(context)
    assert_same(context, given_context)

    assert_same(context_from(notebook, {}), context)


@given(CONTEXTS)
def test_any_context_is_the_same_after_a_text(context):
    assert_same(context_from(reads(writes(notebook_from(context))), {}), context)


@given(CONTEXTS)
def test_any_context_is_the_same_after_an_ipynb(context):
    notebook = reads_ipynb(writes_ipynb(notebook_from(context)))

    assert_same(context_from(notebook, {}), context)


def test_a_note_without_content_and_with_messages_in_its_metadata_is_the_same():
    note = {"role": "assistant", "metadata": {"mutsumi_interaction": []}}
    context = {"metadata": {}, "context": [note]}

    assert_same(context_from(notebook_from(context), {}), context)


def test_a_turn_of_no_prompt_below_a_marked_note_is_the_same():
    note = {"role": "assistant", "metadata": {"msgbook": {"cell": {"cell_type": "code"}}}}
    context = {"metadata": {}, "context": [note, {"role": "assistant"}]}

    assert_same(context_from(notebook_from(context), {}), context)


def test_a_block_of_references_of_any_length_is_found_in_linear_time():
    lines = "\n# Source: a" * 50_000
    texts = [
        "<content_reference>" * 50_000 + "</content_reference>",
        f"<content_reference>{lines}" + " " * 50_000,
        f"Look\n<content_reference>{lines}\n</content_reference>\n",
    ]
    context = {"metadata": {}, "context": [{"role": "user", "content": text} for text in texts]}

    notebook = notebook_from(context)

    assert [cell["source"] for cell in notebook["cells"]] == [*texts[:2], "Look"]
    assert_same(context_from(notebook, {}), context)


@given(CONTEXTS)
def test_a_page_that_saves_what_it_opened_changes_no_byte(context):
    data = json.dumps(context).encode()
    notebook = page_json(notebook_from(load_context(data)))

    assert dump_context(context_from(notebook, {}), data) == data


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": {"seconds": 1.0}},
        {"role": "user", "content": [{"seconds": 10**30}, -0.0]},
        {"role": "assistant", "tool_calls": [{"function": {"arguments": {"seconds": 1.0}}}]},
    ],
)
def test_numbers_in_odd_places_survive_a_page(message):
    data = json.dumps({"metadata": {}, "context": [message]}).encode()
    notebook = page_json(notebook_from(load_context(data)))

    assert dump_context(context_from(notebook, {}), data) == data


def page_json(value):
    """Return a JSON value as a page writes it: 1.0 is 1 there, and a large integer is rounded."""

    def number(text):
        found = float(text)
        return int(found) if abs(found) < 1e21 and found.is_integer() else found

    return json.loads(json.dumps(value), parse_float=number, parse_int=number)


@given(CONTEXTS)
def test_two_readings_are_equal_and_have_valid_ids(context):
    first, second = notebook_from(context), notebook_from(context)

    assert_same(first, second)
    ids = [cell["id"] for cell in first["cells"]]
    assert len(set(ids)) == len(ids)


def new_turn():
    turn = {
        "version": 1, "status": "done", "agent": "assistant", "model": "m", "duration": 1.5,
        "blocks": [
            {"type": "reasoning", "step": 1, "text": "Look."},
            {"type": "text", "step": 1, "text": "I look."},
            {"type": "tool_call", "step": 1, "id": "c9", "nonce": "00000001", "name": "read", "arguments": "{}", "approval": "auto"},
            {"type": "notice", "level": "info", "text": "n"},
            {"type": "tool_result", "step": 1, "id": "c9", "status": "success", "content": "found"},
            {"type": "text", "step": 2, "text": "Done."},
        ],
        "context": {"source": "file", "cells": 2},
    }  # fmt: skip
    return {"output_type": "display_data", "data": {TURN_MIME: turn}, "metadata": {}}


def new_prompt():
    cell = {"cell_type": "code", "id": "0f2c-77", "metadata": {}, "execution_count": 3}
    return {**cell, "source": "And now?", "outputs": [new_turn()]}


NEW_MESSAGES = [
    {"role": "user", "content": "And now?"},
    {
        "role": "assistant",
        "content": "I look.",
        "reasoning_content": "Look.",
        "tool_calls": [
            {"id": "c9", "type": "function", "function": {"name": "read", "arguments": "{}"}}
        ],
    },
    {"role": "tool", "tool_call_id": "c9", "name": "read", "content": "found"},
    {"role": "assistant", "content": "Done."},
]


@given(CONTEXTS)
def test_a_new_turn_adds_its_messages_and_changes_nothing_else(context):
    notebook = notebook_from(context)
    notebook["cells"].append(new_prompt())

    written = context_from(notebook, {})

    count = len(context["context"])
    assert_same({**written, "context": written["context"][:count]}, context)
    added = [dict(message) for message in written["context"][count:]]
    added[0].pop("metadata")
    assert_same(added, NEW_MESSAGES)


def test_what_only_the_new_turn_says_is_read_again():
    notebook = notebook_from({"metadata": {}, "context": []})
    notebook["cells"].append(new_prompt())

    again = notebook_from(context_from(notebook, {}))

    (cell,) = again["cells"]
    turn = cell["outputs"][0]["data"][TURN_MIME]
    assert_same(turn, new_turn()["data"][TURN_MIME])
    assert (cell["id"], cell["execution_count"]) == ("0f2c-77", 3)
