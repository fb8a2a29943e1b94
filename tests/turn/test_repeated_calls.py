"""Calls that repeat: with the same failure, or step by step with the same result."""

from __future__ import annotations

import pytest
from scripted_turn import (
    SAID,
    ScriptedModel,
    ScriptedTool,
    calls,
    echo,
    fail,
    numbered,
    results,
    run,
)


def texts(turn):
    """The notices of a turn."""
    return [block["text"] for block in turn["blocks"] if block["type"] == "notice"]


async def one(_arguments):
    return "the same"


def test_the_same_call_with_the_same_result_three_times_in_a_row_ends_the_turn():
    model = ScriptedModel(calls(("read", {"path": "a.txt"})))

    turn = run(model, ScriptedTool("read", one))

    assert (turn["status"], turn["finish_reason"]) == ("incomplete", "repeated_failure")
    assert len(results(turn)) == len(model.requests) == 3
    (told,) = texts(turn)
    assert "the same call of 'read' 3 times in a row and got the same result each time" in told
    assert "%continue" in told


def test_a_result_that_changes_goes_on():
    answers = [calls(("poll", {}))] * 8

    turn = run(ScriptedModel(*answers, SAID), ScriptedTool("poll", numbered()))

    assert (turn["status"], len(results(turn))) == ("done", 8)


@pytest.mark.parametrize(
    "between",
    [[("t", 2)], [("u", 1)], [("t", 1), ("u", 1)]],
    ids=["other arguments", "another tool", "one more call"],
)
def test_a_step_with_another_call_in_between_is_no_repetition(between):
    again = calls(("t", 1))
    model = ScriptedModel(again, again, calls(*between), again, again, SAID)

    turn = run(model, ScriptedTool("t", one), ScriptedTool("u", one))

    assert turn["status"] == "done"


def test_equal_calls_side_by_side_are_one_repetition_since_the_model_has_seen_no_result():
    step = calls(*[("t", 1)] * 4)

    turn = run(ScriptedModel(step, step, SAID), ScriptedTool("t", one, read_only=True))
    assert (turn["status"], len(results(turn))) == ("done", 8)

    turn = run(ScriptedModel(step), ScriptedTool("t", one, read_only=True))
    assert (turn["finish_reason"], len(results(turn))) == ("repeated_failure", 12)


def test_several_calls_repeat_if_the_whole_step_does():
    step = calls(("t", 1), ("u", 1))

    turn = run(ScriptedModel(step), ScriptedTool("t", one), ScriptedTool("u", one))

    assert turn["finish_reason"] == "repeated_failure"
    assert "the same 2 calls of 't', 'u' 3 times in a row" in texts(turn)[0]


def test_a_step_goes_on_that_makes_one_call_again_and_another_one_anew():
    steps = [calls(("read", "plan"), ("do", number)) for number in range(6)]

    turn = run(ScriptedModel(*steps, SAID), ScriptedTool("read", one), ScriptedTool("do", echo))

    assert turn["status"] == "done"


def test_calls_that_fail_in_turns_are_a_repetition_too():
    turn = run(
        ScriptedModel(calls(("t", 1), ("u", 1))), ScriptedTool("t", fail), ScriptedTool("u", fail)
    )

    assert (turn["finish_reason"], len(results(turn))) == ("repeated_failure", 6)


def test_a_model_that_goes_on_after_two_equal_steps_is_let_be():
    again = calls(("t", 1))

    turn = run(ScriptedModel(again, again, SAID), ScriptedTool("t", one))

    assert turn["status"] == "done"


def test_names_of_a_model_are_one_short_line_in_the_notice():
    wild = "x\n\x1b[31m" * 50

    turn = run(ScriptedModel(calls((wild, 1))))

    (told,) = texts(turn)
    assert ("\n" in told, "\x1b" in told, len(told) < 300) == (False, False, True)
