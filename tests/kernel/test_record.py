"""Events become the turn JSON: same events and times, same turn."""

from __future__ import annotations

import itertools
from typing import Any

from msgbook.events import (
    ModelFinished,
    Notice,
    ReasoningDelta,
    ReasoningDetails,
    RetryWait,
    StepStarted,
    TextDelta,
    ToolApproved,
    ToolCallDelta,
    ToolFinished,
    ToolStarted,
    TurnEvent,
    TurnFinished,
)
from msgbook.output.record import TurnRecord


def reduce(*events: TurnEvent) -> dict[str, Any]:
    """The turn after the events, which come one second after the other."""
    nonces = itertools.count(1)
    record = TurnRecord({"agent": "assistant", "model": "m"}, lambda: f"{next(nonces):08x}")
    for at, event in enumerate(events):
        record.apply(event, float(at))
    return dict(record.snapshot())


def test_blocks_keep_the_order_of_arrival_and_text_is_joined_within_a_block():
    turn = reduce(
        StepStarted(1),
        ReasoningDelta("let "),
        ReasoningDelta("me see"),
        TextDelta(" a "),
        ToolCallDelta(0, "c", "read", '{"path": '),
        ToolCallDelta(0, "c", "", '"x"}'),
        TextDelta("b"),
        ReasoningDelta("hm"),
        ModelFinished("stop", ended=True),
        TurnFinished("done", "stop"),
    )

    assert [(b["type"], b.get("text")) for b in turn["blocks"]] == [
        ("reasoning", "let me see"),
        ("text", " a "),
        ("tool_call", None),
        ("text", "b"),
        ("reasoning", "hm"),
    ]
    assert turn["blocks"][2]["arguments"] == '{"path": "x"}'
    assert turn["blocks"][0]["duration"] == 2.0
    assert (turn["status"], turn["finish_reason"], turn["duration"]) == ("done", "stop", 9.0)


def test_a_running_turn_can_be_looked_at_and_goes_on():
    record = TurnRecord({}, lambda: "0")
    record.apply(StepStarted(1), 0)
    record.apply(TextDelta("a"), 1)

    assert record.snapshot()["status"] == "running"
    assert record.snapshot()["blocks"][0]["text"] == "a"

    record.apply(TextDelta("b"), 2)

    assert record.snapshot()["blocks"][0]["text"] == "ab"


def test_what_is_absent_stays_absent():
    turn = reduce(StepStarted(1), TextDelta("x"), TurnFinished("done"))

    assert "usage" not in turn
    assert "finish_reason" not in turn
    assert turn["blocks"] == [{"type": "text", "step": 1, "text": "x"}]


def test_an_interrupted_turn_leaves_no_call_open():
    turn = reduce(
        StepStarted(1),
        ToolCallDelta(0, "a", "read", "{}"),
        ToolCallDelta(1, "b", "read", "{}"),
        ToolCallDelta(2, "c", "read", "{}"),
        ModelFinished("tool_calls", ended=True),
        ToolStarted("a"),
        ToolApproved("a", "auto"),
        ToolFinished("a", "success", "done", 0.5),
        ToolStarted("b"),
        TurnFinished("interrupted"),
    )

    results = [(b["id"], b["status"]) for b in turn["blocks"] if b["type"] == "tool_result"]
    assert results == [("a", "success"), ("b", "interrupted")]
    assert [b.get("unfinished", False) for b in turn["blocks"][:3]] == [False, False, True]
    assert [b["nonce"] for b in turn["blocks"][:3]] == ["00000001", "00000002", "00000003"]


def test_steps_that_told_no_usage_are_counted_where_others_told():
    told = {"input_tokens": 11, "output_tokens": 7}

    turn = reduce(
        StepStarted(1),
        ModelFinished("tool_calls", True),
        StepStarted(2),
        ModelFinished("tool_calls", True, told),
        StepStarted(3),
        TurnFinished("interrupted"),
    )

    assert turn["usage"] == {**told, "untold_steps": 2}
    assert "usage" not in reduce(StepStarted(1), ModelFinished("stop", True), TurnFinished("done"))


def test_usage_adds_up_over_the_steps():
    turn = reduce(
        StepStarted(1),
        ModelFinished("tool_calls", True, {"input_tokens": 10, "output_tokens": 1}),
        StepStarted(2),
        ModelFinished("stop", True, {"input_tokens": 20, "output_tokens": 2, "cached_tokens": 10}),
        TurnFinished("done"),
    )

    assert turn["usage"] == {"input_tokens": 30, "output_tokens": 3, "cached_tokens": 10}


def test_a_refusal_is_a_text_block_of_its_own():
    turn = reduce(
        StepStarted(1), TextDelta("a"), TextDelta("no", refusal=True), TurnFinished("done")
    )

    assert turn["blocks"][1] == {"type": "text", "step": 1, "text": "no", "refusal": True}


def test_notices_and_errors_are_blocks():
    turn = reduce(Notice("mind", "warning"), TurnFinished("error", None, "APIError", "overloaded"))

    assert turn["blocks"] == [
        {"type": "notice", "level": "warning", "text": "mind"},
        {"type": "error", "name": "APIError", "message": "overloaded"},
    ]


def test_the_waits_of_a_model_call_are_one_notice_and_those_of_the_next_another():
    turn = reduce(
        StepStarted(1),
        RetryWait(1, 3, 1.2, "429"),
        RetryWait(1, 3, 1.0, "429"),
        RetryWait(1, 3, 0, "429"),
        RetryWait(2, 3, 0.4, "503"),
        RetryWait(2, 3, 0, "503"),
        TextDelta("a"),
        StepStarted(2),
        RetryWait(1, 3, 2.0, "500"),
    )

    assert [block["text"] for block in turn["blocks"]] == [
        "Retried (2/3): 503",
        "a",
        "Retrying in 2 s (1/3): 500",
    ]


def test_signed_reasoning_rides_with_the_reasoning_or_else_with_the_first_block():
    signed = ReasoningDetails([{"type": "reasoning.encrypted"}])

    beside = reduce(StepStarted(1), TextDelta("a"), ReasoningDelta("b", "reasoning"), signed)
    alone = reduce(StepStarted(1), ToolCallDelta(0, "c", "f", "", {"s": 1}), signed)

    assert [block.get("extra") for block in beside["blocks"]] == [
        None,
        {"field": "reasoning", "reasoning_details": signed.details},
    ]
    assert alone["blocks"][0]["extra"] == {
        "call": {"s": 1},
        "reasoning_details": signed.details,
    }


def test_an_image_counts_by_its_data():
    record = TurnRecord({}, lambda: "0")
    record.apply(StepStarted(1), 0)
    url = "data:image/png;base64," + "A" * 1000

    image = {"type": "image_url", "image_url": {"url": url}}
    record.apply(ToolFinished("c", "success", [image], 0.0), 1)

    assert record.size > 1000
