"""The table of the kinds of blocks; `kinds.spec.ts` tests the page's table with the same fixture."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from msgbook_format import reads, writes
from msgbook_format.turn import (
    KINDS,
    TEXTS,
    TOOL_CALLS,
    TOOL_RESULTS,
    Kind,
    bundle,
    kind_of,
    to_markdown,
    turn_of,
)

ROWS = json.loads((Path(__file__).parent / "fixtures" / "kinds.json").read_bytes())
NAMES = [kind.name for kind in KINDS]


def test_both_tables_have_the_same_rows():
    rows = [
        {key: getattr(kind, key) for key in ("name", "content", "sign", "is_answer")}
        for kind in KINDS
    ]
    assert rows == ROWS


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
def test_the_type_of_a_block_names_its_row(kind: Kind):
    block = {"type": kind.name}

    assert kind_of(block) is kind
    assert [other for other in KINDS if block in other] == [kind]


@pytest.mark.parametrize("name", ["", "hologram"])
def test_a_block_of_another_kind_is_in_no_row(name: str):
    block = {"type": name}

    assert kind_of(block).name == ""
    assert not any(block in kind for kind in KINDS)


def test_the_blocks_of_a_kind_are_found_among_others():
    call, text = {"type": "tool_call"}, {"type": "text"}

    assert TEXTS.among([call, text]) == [text]
    assert TOOL_CALLS.among([text]) == []


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
def test_each_kind_has_its_own_markdown(kind: Kind):
    block = {"type": kind.name, kind.content or "data": "words"}

    assert "❔" not in to_markdown({"version": 1, "status": "done", "blocks": [block]})


VALUES = {"text": "words", "seconds": 1.5, "flag": True}


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
def test_a_block_of_each_kind_comes_back_from_a_file(kind: Kind):
    keys = {field.key: VALUES[field.form] for field in kind.fields}
    said = {kind.content: "UklGRg=="} if kind.content else {"data": {"text/plain": "x"}}
    ids = {"id": "call_1"} if kind in (TOOL_CALLS, TOOL_RESULTS) else {}
    step = {"step": 1} if kind.is_of_step else {}
    blocks = [
        {"type": "text", "step": 1, "text": "First."},
        {"type": kind.name, **step, **keys, **ids, **said, "unheard": 1},
    ]
    turn = {"version": 1, "status": "done", "blocks": blocks}
    notebook = reads("# %% [^a]\n\nGo on\n")
    notebook["cells"][0]["outputs"] = [
        {"output_type": "display_data", "data": bundle(turn), "metadata": {}}
    ]

    text = writes(notebook)

    assert turn_of(reads(text)["cells"][0]["outputs"][0]) == turn
    assert ("[nb] block=1" in text) is not bool(kind.content)
