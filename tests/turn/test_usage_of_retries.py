"""Tokens of a step that is asked again: those of a failed attempt were spent, too."""

from __future__ import annotations

import pytest

from msgbook.events import ModelFinished, RetryWait, StepStarted, TurnFinished, UsageReported
from msgbook.turn.record import TurnRecord


def usage_of(*events):
    record = TurnRecord({"agent": "assistant", "model": "m"}, lambda: "n")
    for event in events:
        record.apply(event, 0.0)
    return record.snapshot().get("usage")


FIRST = UsageReported({"input_tokens": 1000, "output_tokens": 1})
WAITS = [RetryWait(1, 2, 2.0, "busy"), RetryWait(1, 2, 1.0, "busy")]
DONE = ModelFinished("stop", True, {"input_tokens": 10, "output_tokens": 2})


@pytest.mark.parametrize("waits", [WAITS[:1], WAITS])
def test_the_tokens_of_a_failed_attempt_are_added(waits):
    usage = usage_of(StepStarted(1), FIRST, *waits, DONE, TurnFinished("done"))

    assert usage == {"input_tokens": 1010, "output_tokens": 3}


def test_an_attempt_that_reports_nothing_leaves_what_came_and_is_counted():
    end = ModelFinished("stop", True)

    usage = usage_of(StepStarted(1), FIRST, *WAITS, end, TurnFinished("done"))

    assert usage == {"input_tokens": 1000, "output_tokens": 1, "untold_steps": 1}


def test_a_wait_before_the_first_step_counts_for_nothing():
    assert usage_of(*WAITS, StepStarted(1), DONE, TurnFinished("done")) == DONE.usage


def test_reports_of_one_attempt_replace_each_other():
    usage = usage_of(StepStarted(1), *WAITS, FIRST, DONE, TurnFinished("done"))

    assert usage == DONE.usage
