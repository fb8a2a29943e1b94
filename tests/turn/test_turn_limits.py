"""What ends a turn: failing calls that repeat, steps, tokens, time; and who may lower the limits."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from scripted_turn import SAID, ScriptedModel, ScriptedTool, calls, echo, fail, results, run

from msgbook.approval import Decision, Question
from msgbook.config import Limits
from msgbook.config.prices import Price
from msgbook.events import ModelFinished, RetryWait, TextDelta, UsageReported
from msgbook.turn import Budgets, Purse


def test_three_identical_failing_calls_in_a_row_end_the_turn():
    model = ScriptedModel(calls(("f", 1)))

    turn = run(model, ScriptedTool("f", fail))

    assert (turn["status"], turn["finish_reason"]) == ("incomplete", "repeated_failure")
    assert len(results(turn)) == len(model.requests) == 3
    assert "same failing call of 'f' 3 times" in turn["blocks"][-1]["text"]


def test_they_count_within_one_step_too_and_the_rest_is_not_run():
    turn = run(ScriptedModel(calls(*[("f", 1)] * 5)), ScriptedTool("f", fail))

    assert turn["finish_reason"] == "repeated_failure"
    assert len(results(turn)) == 3
    unfinished = [b.get("unfinished", False) for b in turn["blocks"] if b["type"] == "tool_call"]
    assert unfinished == [False, False, False, True, True]


@pytest.mark.parametrize("between", [[("ok", 1)], [("f", 2)]], ids=["a success", "other arguments"])
def test_something_else_in_between_is_no_repetition(between):
    answers = [calls(("f", 1)), calls(("f", 1)), calls(*between), calls(("f", 1)), SAID]

    turn = run(ScriptedModel(*answers), ScriptedTool("f", fail), ScriptedTool("ok", echo))

    assert turn["status"] == "done"


def test_after_max_steps_the_results_stand_and_the_turn_says_so():
    model = ScriptedModel(calls(("t", {})))

    turn = run(model, ScriptedTool("t", echo), limits=Limits(max_steps=2))

    assert (turn["status"], turn["finish_reason"]) == ("incomplete", "max_steps")
    assert len(results(turn)) == len(model.requests) == 2
    assert "2 model calls" in turn["blocks"][-1]["text"]


@pytest.mark.parametrize(
    "end",
    [
        ModelFinished("tool_calls", True, {"input_tokens": 90, "output_tokens": 10}),
        ModelFinished("tool_calls", True, None),
    ],
    ids=["told", "estimated"],
)
def test_a_spent_token_budget_runs_no_tool_and_asks_no_more(end):
    said = [TextDelta("x" * 400), *calls(("t", {}))[:-1], end]
    model = ScriptedModel(said)

    turn = run(model, ScriptedTool("t", echo), limits=Limits(token_budget=100))

    assert (turn["status"], turn["finish_reason"]) == ("incomplete", "budget")
    assert (len(model.requests), results(turn)) == (1, [])
    assert "100 tokens" in turn["blocks"][-1]["text"]


@pytest.mark.parametrize(
    "reason", ["length", "content_filter", "insufficient_system_resource", "incomplete"]
)
def test_calls_of_an_answer_that_is_not_whole_are_not_run(reason):
    answer = [*calls(("t", {}))[:-1], ModelFinished(reason, True)]

    turn = run(ScriptedModel(answer), ScriptedTool("t", echo))

    assert (turn["status"], turn["finish_reason"]) == ("incomplete", reason)
    assert results(turn) == []
    assert turn["blocks"][0]["unfinished"]


PRICE = Price(input=10_000, output=100_000, cached=1_000, cache_write=20_000, web_search=0.5)
"""So that a token is 0.01, 0.1, 0.001, or 0.02."""


def priced(limit: float | None = None, price: Price | None = PRICE, **more: Any) -> Budgets:
    return Budgets(Limits(max_cost=limit), lambda: 0.0, find_price=lambda *_names: price, **more)


def told(**usage: int) -> list[Any]:
    return [*calls(("t", {}))[:-1], ModelFinished("tool_calls", True, usage)]


@pytest.mark.parametrize(
    ("usage", "limit"),
    [
        ({"input_tokens": 90, "output_tokens": 1}, 1.0),
        ({"input_tokens": 90, "cached_tokens": 90, "output_tokens": 1}, 0.19),
        ({"input_tokens": 90, "cache_write_tokens": 90, "output_tokens": 1}, 1.9),
        ({"input_tokens": 90, "output_tokens": 1, "web_searches": 2}, 2.0),
    ],
    ids=["plain", "cached", "written", "searched"],
)
def test_spent_money_runs_no_tool_and_asks_no_more(usage, limit):
    model = ScriptedModel(told(**usage))

    turn = run(model, ScriptedTool("t", echo), budgets=priced(limit))

    assert (turn["status"], turn["finish_reason"]) == ("incomplete", "budget")
    assert (len(model.requests), results(turn)) == (1, [])
    said = turn["blocks"][-1]["text"]
    assert f"max_cost of {limit:g} is used up ({limit:.4f})" in said
    assert "%continue" in said


def test_while_money_is_left_the_turn_goes_on():
    model = ScriptedModel(told(input_tokens=90, output_tokens=1), SAID)

    turn = run(model, ScriptedTool("t", echo), budgets=priced(1.01))

    assert turn["status"] == "done"


def test_tokens_that_were_not_reported_are_estimated_for_their_cost():
    model = ScriptedModel([TextDelta("x" * 4000), *calls(("t", {}))])

    turn = run(model, ScriptedTool("t", echo), budgets=priced(100))

    assert turn["finish_reason"] == "budget"


def failed_attempt(input_tokens: int = 90) -> list[Any]:
    """A server that counts the tokens of an attempt, fails, and is waited for."""
    wait = RetryWait(1, 3, 1.0, "busy")
    usage = UsageReported({"input_tokens": input_tokens, "output_tokens": 1})
    return [usage, wait, replace(wait, seconds=0.5), replace(wait, seconds=0)]


def test_what_a_failed_attempt_cost_is_spent():
    """0.5 for the first attempt, 1 for the second, and the last reports of each count."""
    model = ScriptedModel([*failed_attempt(40), *told(input_tokens=90, output_tokens=1)])

    turn = run(model, ScriptedTool("t", echo), budgets=priced(1.5))

    assert (turn["finish_reason"], results(turn)) == ("budget", [])
    assert "max_cost of 1.5 is used up (1.5000)" in turn["blocks"][-1]["text"]


def test_a_failed_attempt_that_spent_all_is_not_repeated():
    purse = Purse(1.0)
    model = ScriptedModel([*failed_attempt(), TextDelta("Never read."), SAID[-1]])

    turn = run(model, budgets=priced(purse=purse))

    said = [block["text"] for block in turn["blocks"] if block["type"] == "text"]
    assert (turn["status"], turn["finish_reason"], said) == ("incomplete", "budget", [])
    assert purse.spent == pytest.approx(1.0)
    assert turn["usage"]["input_tokens"] == 90


def test_the_money_of_several_turns_is_one():
    purse = Purse(2.0)
    spend = told(input_tokens=90, output_tokens=1)

    first = run(ScriptedModel(spend, SAID), ScriptedTool("t", echo), budgets=priced(purse=purse))
    second = run(ScriptedModel(spend, SAID), ScriptedTool("t", echo), budgets=priced(purse=purse))

    assert (first["status"], second["finish_reason"]) == ("done", "budget")
    assert purse.is_spent
    assert "--max-cost 2" in second["blocks"][-1]["text"]


def test_what_a_sub_agent_costs_is_spent_once():
    purse = Purse(10.0)
    parent = priced(5.0, purse=purse)
    child = Budgets(Limits(), lambda: 0.0, parent, find_price=lambda *_names: PRICE)

    child.count_usage({"input_tokens": 100, "output_tokens": 1}, [], [])

    assert purse.spent == pytest.approx(1.1)
    child.count_usage({"input_tokens": 400, "output_tokens": 0}, [], [])
    assert "shared with the agent that started this one" in (child.notice or "")
    assert "max_cost of 5" in (parent.notice or "")


def test_an_answer_that_is_whole_is_done_whatever_it_cost():
    turn = run(ScriptedModel(SAID), limits=Limits(token_budget=1))

    assert turn["status"] == "done"


def test_a_stream_that_outlasts_the_time_budget_is_cut_and_kept():
    model = ScriptedModel([TextDelta("so far"), asyncio.Event()])  # type: ignore[list-item]

    turn = run(model, limits=Limits(time_budget=0.02))

    assert (turn["status"], turn["finish_reason"]) == ("incomplete", "budget")
    assert turn["blocks"][0]["text"] == "so far"


def test_a_tool_that_outlasts_the_time_budget_is_stopped():
    async def hang(_: str) -> str:
        await asyncio.Event().wait()
        return ""

    turn = run(
        ScriptedModel(calls(("t", {}))), ScriptedTool("t", hang), limits=Limits(time_budget=0.02)
    )

    assert turn["finish_reason"] == "budget"
    assert results(turn)[0][1] == "interrupted"


def test_the_time_in_which_a_person_is_asked_does_not_count():
    now = [0.0]

    async def slowly(_question: Question) -> Decision:
        now[0] += 3600
        return Decision("user")

    turn = run(
        ScriptedModel(calls(("t", {})), SAID),
        ScriptedTool("t", echo, asks=True),
        limits=Limits(time_budget=60),
        clock=lambda: now[0],
        approve=slowly,
    )

    assert turn["status"] == "done"


def test_what_a_notebook_wants_only_lowers_the_limits():
    own = Limits(max_steps=10, time_budget=60)

    limits, refusals = own.narrow(
        {"max_steps": "99", "token_budget": "500", "time_budget": "30", "model": "x"}
    )

    assert limits == Limits(max_steps=10, token_budget=500, time_budget=30)
    assert refusals == ["max_steps=99 is ignored: your own limit is 10."]


@pytest.mark.parametrize("value", ["", "x", "0", "-1", "nan", "inf", None, [3], 10**400])
def test_a_limit_that_is_no_positive_number_is_refused_in_words(value):
    limits, refusals = Limits().narrow({"max_steps": value})

    assert limits == Limits()
    assert "expected a positive number" in refusals[0]
    assert len(refusals[0]) < 200
