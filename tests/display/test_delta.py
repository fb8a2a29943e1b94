"""Deltas: whoever applies them has the turn. The page's tests read the same cases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook.display.turn_view import apply, copy_turn, delta
from msgbook.events import (
    ModelFinished,
    Notice,
    ReasoningDelta,
    RetryWait,
    StepStarted,
    TextDelta,
    ToolApproved,
    ToolCallDelta,
    ToolFinished,
    ToolOutput,
    ToolUpdated,
    TurnFinished,
)
from msgbook.turn.calls import LIVE_OUTPUT
from msgbook.turn.record import TurnRecord

CASES = json.loads((Path(__file__).parent / "fixtures" / "turn_deltas.json").read_text("utf-8"))

TEXTS = st.text(max_size=4)
PARTS = st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": TEXTS}), max_size=2)
STEPS = st.lists(
    st.one_of(
        st.builds(TextDelta, TEXTS, st.booleans()),
        st.builds(ReasoningDelta, TEXTS, st.sampled_from(["reasoning_content", "thinking"])),
        st.builds(Notice, TEXTS),
        st.builds(RetryWait, st.just(1), st.just(3), st.floats(0, 3), TEXTS),
        st.just(ModelFinished("stop", True, {"input_tokens": 1})),
        st.just("call"),
        st.builds(ToolApproved, st.just("c"), st.sampled_from(["pending", "user", "denied"])),
        st.builds(ToolOutput, st.just("c"), TEXTS | st.just("x" * LIVE_OUTPUT)),
        st.builds(ToolUpdated, st.just("c"), st.fixed_dictionaries({"agents": PARTS})),
        st.builds(ToolFinished, st.just("c"), st.just("success"), TEXTS | PARTS, st.just(0.5)),
    ),
    max_size=20,
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["title"])
def test_the_cases_that_the_page_is_tested_with(case):
    assert delta(case["before"], case["after"]) == case["ops"]
    assert apply(case["before"], case["ops"]) == case["after"]


@given(STEPS, st.sets(st.integers(0, 20)))
def test_applying_the_deltas_of_a_growing_record_gives_the_record(events, looks):
    record = TurnRecord({"agent": "a"}, lambda: "00000000")
    told = seen = copy_turn(record.snapshot())
    record.apply(StepStarted(1), 0)
    called = False
    for at, event in enumerate([*events, TurnFinished("done", "stop")]):
        if event == "call":
            event = ToolCallDelta(0, "c", "" if called else "shell", "{")
            called = True
        elif (
            isinstance(event, ToolApproved | ToolOutput | ToolUpdated | ToolFinished) and not called
        ):
            continue
        record.apply(event, at)
        if at in looks or isinstance(event, TurnFinished):
            now = record.snapshot()
            ops = json.loads(json.dumps(delta(told, now)))
            seen = apply(seen, ops)
            told = copy_turn(now)
            assert seen == now


def test_a_delta_holds_only_what_is_new():
    before = {"version": 1, "status": "running", "blocks": [{"type": "text", "text": "x" * 10**6}]}
    after = {**before, "blocks": [{"type": "text", "text": "x" * 10**6 + "new"}]}

    assert delta(before, after) == [["append", 0, "text", "new"]]


def test_applying_a_delta_does_not_change_the_old_turn():
    for case in CASES:
        before = json.dumps(case["before"])
        apply(case["before"], case["ops"])
        assert json.dumps(case["before"]) == before
