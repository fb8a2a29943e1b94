"""The table of the kinds of blocks; `kinds.spec.ts` tests the page's table with the same fixture."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from msgbook_format.turn import KINDS, TEXTS, TOOL_CALLS, Kind, kind_of, to_markdown

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
