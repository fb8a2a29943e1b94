"""What a server sends beside text and calls is kept in the block that it belongs to."""

from __future__ import annotations

from typing import Any

import pytest

from msgbook.events import (
    Citations,
    ModelFinished,
    OutputItem,
    ReasoningDelta,
    StepStarted,
    TextDelta,
    ToolCallDelta,
    TurnEvent,
)
from msgbook.turn.record import TurnRecord
from msgbook_format.turn import Block

SEALED = {"type": "reasoning", "id": "rs_1", "encrypted_content": "c2VhbGVk"}
SEARCH = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
PAGE = {"type": "url_citation", "url": "https://a.example", "title": "A"}


def blocks(*events: TurnEvent) -> list[Block]:
    record = TurnRecord({}, lambda: "0" * 8)
    for at, event in enumerate([StepStarted(1), *events]):
        record.apply(event, float(at))
    return record.snapshot()["blocks"]


def extras(*events: TurnEvent) -> list[tuple[str, Any]]:
    return [(block["type"], block.get("extra")) for block in blocks(*events)]


def test_a_reasoning_item_is_kept_with_the_text_of_its_deltas_and_ends_their_block():
    first, second = blocks(
        ReasoningDelta("let me ", "summary"),
        ReasoningDelta("see", "summary"),
        OutputItem(SEALED),
        ReasoningDelta("and more", "summary"),
    )

    assert (first["text"], first["extra"]) == ("let me see", {"field": "summary", "item": SEALED})
    assert (second["text"], second["extra"]) == ("and more", {"field": "summary"})


def test_hidden_reasoning_is_an_empty_block_for_each_item():
    second = {**SEALED, "id": "rs_2"}

    assert blocks(OutputItem(SEALED), OutputItem(second), TextDelta("a")) == [
        {"type": "reasoning", "step": 1, "text": "", "extra": {"item": SEALED}},
        {"type": "reasoning", "step": 1, "text": "", "extra": {"item": second}},
        {"type": "text", "step": 1, "text": "a"},
    ]


def test_the_keys_of_a_message_and_of_a_call_are_kept_with_text_and_call():
    message = {"type": "message", "phase": "commentary"}
    call = {"type": "function_call", "call_id": "c1", "namespace": "files"}

    assert extras(
        TextDelta("a"),
        OutputItem(message),
        ToolCallDelta(0, "c1", "read", "{}", {"extra_content": 1}),
        ToolCallDelta(1, "c2", "read", "{}"),
        OutputItem(call),
    ) == [
        ("text", {"item": message}),
        ("tool_call", {"call": {"extra_content": 1}, "item": call}),
        ("tool_call", None),
    ]


def test_an_item_of_any_other_type_is_a_notice_about_it():
    (notice,) = blocks(OutputItem(SEARCH))

    assert notice == {
        "type": "notice",
        "step": 1,
        "level": "info",
        "text": "The server searched the web.",
        "extra": {"item": SEARCH},
    }


def test_citations_are_kept_with_the_text_before_them_and_in_the_order_in_which_they_came():
    other = {"url": "https://b.example"}

    assert extras(
        TextDelta("a"),
        Citations([PAGE]),
        TextDelta("b"),
        Citations([other]),
        ToolCallDelta(0, "c", "read", "{}"),
        TextDelta("c"),
        ModelFinished("stop", ended=True),
    ) == [("text", {"annotations": [PAGE, other]}), ("tool_call", None), ("text", None)]
    assert extras(Citations([PAGE])) == [("text", {"annotations": [PAGE]})]


def test_an_item_that_is_complete_late_is_kept_in_its_own_block_and_splits_no_text():
    assert blocks(
        ReasoningDelta("", "summary"), TextDelta("a"), OutputItem(SEALED), TextDelta("b")
    ) == [
        {"type": "reasoning", "step": 1, "text": "", "duration": 1.0, "extra": {"item": SEALED}},
        {"type": "text", "step": 1, "text": "ab"},
    ]


def test_reasoning_under_a_key_of_chat_is_not_taken_for_that_of_an_item():
    assert extras(ReasoningDelta("a", ""), TextDelta("b"), OutputItem(SEALED)) == [
        ("reasoning", {"field": ""}),
        ("text", None),
        ("reasoning", {"item": SEALED}),
    ]


@pytest.mark.parametrize("more", [{"encrypted_content": "x" * 1000}, {"outputs": [["x" * 1000]]}])
def test_what_an_item_holds_counts_as_size(more):
    record = TurnRecord({}, lambda: "0" * 8)
    record.apply(StepStarted(1), 0.0)
    record.apply(OutputItem({**SEALED, **more}), 1.0)

    assert record.size > 1000
