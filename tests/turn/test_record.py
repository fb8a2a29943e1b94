"""Events become the turn JSON: same events and times, same turn."""

from __future__ import annotations

import itertools
from typing import Any

import nbformat
import pytest

from msgbook.events import (
    ModelFinished,
    Notice,
    ReasoningDelta,
    ReasoningDetails,
    ReferenceCalled,
    RetryWait,
    StepStarted,
    TextDelta,
    ToolApproved,
    ToolCallDelta,
    ToolEdited,
    ToolFinished,
    ToolOutput,
    ToolStarted,
    ToolUpdated,
    TurnEvent,
    TurnFinished,
)
from msgbook.request.history.cell import answer_messages
from msgbook.request.history.summary import SummaryLookup
from msgbook.turn.call_results import INTERRUPTED_RESULT, NOT_RUN_RESULT
from msgbook.turn.record import TurnRecord
from msgbook_format import reads, writes
from msgbook_format.syntax.kernels import KERNELSPEC
from msgbook_format.turn import TURN_MIME


def reduce(*events: TurnEvent) -> dict[str, Any]:
    """The turn after the events, which come one second after the other."""
    nonces = itertools.count(1)
    record = TurnRecord({"agent": "assistant", "model": "m"}, lambda: f"{next(nonces):08x}")
    for at, event in enumerate(events):
        record.apply(event, float(at))
    return dict(record.snapshot())


@pytest.mark.parametrize("decided", [ToolApproved("c9", "user"), ToolEdited("c9", "{}")])
def test_a_decision_about_a_call_that_the_step_does_not_have_names_it(decided):
    with pytest.raises(KeyError, match="step 2, found the id 'c9'"):
        reduce(StepStarted(1), ToolCallDelta(0, "c9", "read", "{}"), StepStarted(2), decided)


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


REFERENCES = (
    ReferenceCalled("r1", "read", '{"path": "a"}'),
    ToolStarted("r1"),
    ToolApproved("r1", "auto"),
    ToolFinished("r1", "success", "A", 0.25),
    ReferenceCalled("r2", "shell", '{"command": "ls"}'),
    ToolStarted("r2"),
    ToolApproved("r2", "pending"),
    ToolApproved("r2", "user"),
    ToolOutput("r2", "a.t"),
    ToolFinished("r2", "success", "a.txt", 1.5),
)
"""A prompt with two references that call tools; the second is asked about."""

ANSWER = (
    StepStarted(1),
    ToolCallDelta(0, "c", "read", "{}"),
    ModelFinished("tool_calls", True, {"input_tokens": 1}),
    ToolStarted("c"),
    ToolApproved("c", "auto"),
    ToolFinished("c", "success", "C", 0.0),
    StepStarted(2),
    TextDelta("done"),
    ModelFinished("stop", True, {"input_tokens": 2}),
    TurnFinished("done", "stop"),
)

CUTS = range(1, len(REFERENCES) + 1)
"""How many of the events there were when the turn ended, or was looked at."""


def sent(turn: dict[str, Any]) -> list[dict[str, Any]]:
    return answer_messages(turn, None, SummaryLookup({}), "p")  # type: ignore[arg-type]


def test_what_the_prompt_calls_stands_before_the_first_step_and_is_answered_like_any_call():
    turn = reduce(*REFERENCES, *ANSWER)

    call, result, *_ = turn["blocks"]
    assert call == {
        "type": "tool_call",
        "step": 0,
        "id": "r1",
        "nonce": "00000001",
        "name": "read",
        "arguments": '{"path": "a"}',
        "history": "exclude",
        "approval": "auto",
    }
    assert result == {
        "type": "tool_result",
        "step": 0,
        "id": "r1",
        "status": "success",
        "duration": 0.25,
        "content": "A",
    }
    assert [(b["step"], b.get("id"), b.get("approval")) for b in turn["blocks"]] == [
        (0, "r1", "auto"),
        (0, "r1", None),
        (0, "r2", "user"),
        (0, "r2", None),
        (1, "c", "auto"),
        (1, "c", None),
        (2, None, None),
    ]
    assert turn["usage"] == {"input_tokens": 3}


@pytest.mark.parametrize(
    ("events", "status", "content"),
    [
        (1, None, None),
        (2, "interrupted", INTERRUPTED_RESULT),
        (4, "success", "A"),
        (5, None, None),
        (7, "interrupted", NOT_RUN_RESULT),
        (8, "interrupted", INTERRUPTED_RESULT),
        (9, "interrupted", f"a.t\n{INTERRUPTED_RESULT}"),
    ],
)
def test_an_interrupt_leaves_no_call_of_the_prompt_open(events, status, content):
    turn = reduce(*REFERENCES[:events], TurnFinished("interrupted"))

    call = [block for block in turn["blocks"] if block["type"] == "tool_call"][-1]
    results = [b for b in turn["blocks"] if b["type"] == "tool_result" and b["id"] == call["id"]]
    assert call.get("unfinished", False) == (not results)
    assert [(b["step"], b["status"], b["content"]) for b in results] == (
        [(0, status, content)] if status else []
    )


@pytest.mark.parametrize(
    ("approvals", "duration"),
    [((), 1.0), (("auto",), 2.0), (("pending",), None), (("pending", "user"), 1.0)],
)
def test_a_stopped_tool_took_as_long_as_it_ran_and_no_time_where_it_was_not_run(
    approvals, duration
):
    turn = reduce(
        StepStarted(1),
        ToolCallDelta(0, "c", "shell", "{}"),
        ToolStarted("c"),
        *(ToolApproved("c", approval) for approval in approvals),
        TurnFinished("interrupted"),
    )

    assert turn["blocks"][-1].get("duration") == duration


def test_a_call_of_the_prompt_that_was_not_made_is_no_open_call_when_the_model_is_asked():
    turn = reduce(*REFERENCES[:5], *ANSWER)

    calls = [block for block in turn["blocks"] if block["type"] == "tool_call"]
    unfinished = [(call["id"], call.get("unfinished", False)) for call in calls]
    assert unfinished == [("r1", False), ("r2", True), ("c", False)]


@pytest.mark.parametrize("events", CUTS)
@pytest.mark.parametrize("end", [(), (TurnFinished("interrupted"),)], ids=["running", "stopped"])
def test_no_call_of_the_prompt_is_ever_sent_as_a_message(events, end):
    assert sent(reduce(*REFERENCES[:events], *end)) == []


def test_what_a_model_said_after_the_calls_of_the_prompt_is_sent_as_without_them():
    assert sent(reduce(*REFERENCES, *ANSWER)) == sent(reduce(*ANSWER)) != []


@pytest.mark.parametrize("events", CUTS)
@pytest.mark.parametrize(
    "end",
    [(), (TurnFinished("interrupted"),), (TurnFinished("error", None, "E", "no"),), ANSWER],
    ids=["running", "stopped", "failed", "answered"],
)
def test_a_turn_with_calls_of_the_prompt_survives_the_text_file(events, end):
    turn = reduce(Notice("mind"), *REFERENCES[:events], *end)
    output = nbformat.v4.new_output("display_data", {TURN_MIME: turn})
    cell = nbformat.v4.new_code_cell("@[shell{}]", id="p", outputs=[output])
    text = writes(nbformat.v4.new_notebook(cells=[cell], metadata={"kernelspec": KERNELSPEC}))

    read = reads(text)

    assert TURN_MIME not in text
    assert read.cells[0].outputs[0]["data"][TURN_MIME] == turn
    assert writes(read) == text


def test_keys_that_a_running_tool_updates_stay_in_its_result_and_are_not_sent():
    turn = reduce(
        StepStarted(1),
        ToolCallDelta(0, "c", "dispatch_subagents", "{}"),
        ModelFinished("tool_calls", True),
        ToolStarted("c"),
        ToolUpdated("c", {"agents": [{"uuid": "u", "status": "running"}]}),
        ToolUpdated("c", {"agents": [{"uuid": "u", "status": "done"}]}),
        ToolFinished("c", "success", "report", 1.0),
        TurnFinished("done"),
    )

    [result] = [block for block in turn["blocks"] if block["type"] == "tool_result"]
    assert result["agents"] == [{"uuid": "u", "status": "done"}]
    assert result["content"] == "report"
    assert "uuid" not in str(sent(turn))


def test_keys_of_a_tool_that_is_stopped_stay_in_its_result():
    turn = reduce(
        StepStarted(1),
        ToolCallDelta(0, "c", "dispatch_subagents", "{}"),
        ModelFinished("tool_calls", True),
        ToolStarted("c"),
        ToolUpdated("c", {"agents": []}),
        TurnFinished("interrupted"),
    )

    result = turn["blocks"][-1]
    assert (result["agents"], result["content"]) == ([], INTERRUPTED_RESULT)
