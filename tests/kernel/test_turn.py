"""The loop of a turn, with a scripted model and scripted tools."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from msgbook.events import (
    ModelFinished,
    ReasoningDelta,
    ReasoningDetails,
    StreamEvent,
    TextDelta,
    ToolCallDelta,
    TurnFinished,
)
from msgbook.output.record import TurnRecord
from msgbook.provider.base import Request
from msgbook.tools.approval import Decision, Question
from msgbook.tools.base import CallContext, Need, ToolError, ToolSet
from msgbook.turn import Limits, run_turn


@dataclass
class ScriptedTool:
    """A tool that does what it is given."""

    name: str
    act: Callable[[str], Awaitable[Any]]
    read_only: bool = False
    asks: bool = False
    shows: Sequence[str] = ()
    schema: dict[str, Any] = field(default_factory=dict)

    async def call(self, arguments: str, context: CallContext) -> Any:
        if self.asks:
            context.require(Need("it writes"))
        if self.shows:
            for text in self.shows:
                context.show(text)
                await asyncio.sleep(0)
        return await self.act(arguments)


class ScriptedModel:
    """Each request gets the next answer; the last one again and again."""

    name = "scripted"

    def __init__(self, *answers: Sequence[StreamEvent]) -> None:
        self._answers = answers
        self.requests: list[Request] = []

    async def stream(self, request: Request) -> AsyncGenerator[StreamEvent]:
        self.requests.append(request)
        for event in self._answers[min(len(self.requests), len(self._answers)) - 1]:
            if isinstance(event, asyncio.Event):
                await event.wait()
            else:
                yield event

    async def models(self) -> list[str]:
        return []

    async def close(self) -> None: ...


def calls(*made: tuple[str, Any]) -> list[StreamEvent]:
    """An answer that calls tools; the second word is a call's arguments."""
    events: list[StreamEvent] = [
        ToolCallDelta(i, f"c{i}", name, json.dumps(arguments))
        for i, (name, arguments) in enumerate(made)
    ]
    return [*events, ModelFinished("tool_calls", True)]


SAID = [TextDelta("done"), ModelFinished("stop", True)]


def run(
    model: ScriptedModel,
    *tools: ScriptedTool,
    limits: Limits = Limits(),  # noqa: B008
    clock: Callable[[], float] = lambda: 0.0,
    started: Callable[[Any], None] = lambda task: None,
    approve: Callable[..., Awaitable[Decision]] | None = None,
    started_with: Callable[[TurnRecord], None] = lambda record: None,
) -> dict[str, Any]:
    """The turn; `started` is given its task, which it may cancel."""
    nonces = itertools.count(1)
    record = TurnRecord({}, lambda: f"{next(nonces):08x}")
    started_with(record)

    async def allow(_question: Question) -> Decision:
        return Decision("user")

    async def turn() -> None:
        started(asyncio.current_task())
        async for _ in run_turn(
            Request("m", []),
            record,
            provider=model,
            tools=ToolSet(tools),  # type: ignore[arg-type]
            approve=approve or allow,
            redact=lambda text: text.replace("secret", "[redacted]"),
            clock=clock,
            limits=limits,
        ):
            pass

    async def interruptible() -> None:
        try:
            await turn()
        except asyncio.CancelledError:
            record.apply(TurnFinished("interrupted"), clock())

    asyncio.run(interruptible())
    return dict(record.snapshot())


def results(turn: dict[str, Any]) -> list[tuple[str, str, Any]]:
    blocks = [block for block in turn["blocks"] if block["type"] == "tool_result"]
    return [(block["id"], block["status"], block["content"]) for block in blocks]


async def echo(arguments: str) -> str:
    return arguments


async def fail(_arguments: str) -> str:
    raise ToolError("no such file")


def test_reads_run_side_by_side_and_answer_in_the_order_of_the_calls():
    second_ran = asyncio.Event()

    async def first(_: str) -> str:
        await second_ran.wait()
        return "first"

    async def second(_: str) -> str:
        second_ran.set()
        return "second"

    model = ScriptedModel(calls(("first", {}), ("second", {})), SAID)
    turn = run(
        model,
        ScriptedTool("first", first, read_only=True),
        ScriptedTool("second", second, read_only=True),
    )

    assert results(turn) == [("c0", "success", "first"), ("c1", "success", "second")]
    assert [m["tool_call_id"] for m in model.requests[1].messages[1:]] == ["c0", "c1"]


def test_other_calls_wait_for_those_before_them_reads_included():
    log: list[str] = []

    def tool(name: str, read_only: bool) -> ScriptedTool:
        async def act(_: str) -> str:
            log.append(f"{name} begins")
            for _turn_of_the_loop in range(3):
                await asyncio.sleep(0)
            log.append(f"{name} ends")
            return name

        return ScriptedTool(name, act, read_only)

    made = calls(("read", 1), ("write", 1), ("write", 2), ("read", 2))
    run(ScriptedModel(made, SAID), tool("read", True), tool("write", False))

    names = ["read", "write", "write", "read"]
    assert log == [f"{name} {what}" for name in names for what in ("begins", "ends")]


def test_a_read_that_has_to_be_allowed_does_not_hold_up_its_neighbours():
    async def answer(question: Question) -> Decision:
        private = question.call["name"] == "private"
        return Decision("denied", "no") if private else Decision("user")

    model = ScriptedModel(calls(("private", {}), ("read", {})), SAID)
    turn = run(
        model,
        ScriptedTool("private", echo, read_only=True, asks=True),
        ScriptedTool("read", echo, read_only=True),
        approve=answer,
    )

    assert results(turn) == [("c0", "denied", "no"), ("c1", "success", "{}")]
    approvals = [b["approval"] for b in turn["blocks"] if b["type"] == "tool_call"]
    assert approvals == ["denied", "auto"]


def test_an_interrupt_stops_all_tools_and_keeps_the_results_that_were_there():
    stopped: list[str] = []
    turns: list[Any] = []

    async def hang(_: str) -> str:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append("hang")
        return ""

    async def read(_: str) -> str:
        asyncio.get_running_loop().call_soon(turns[0].cancel)
        return "read"

    turn = run(
        ScriptedModel(calls(("hang", {}), ("read", {}), ("write", {}))),
        ScriptedTool("hang", hang, read_only=True),
        ScriptedTool("read", read, read_only=True),
        ScriptedTool("write", echo),
        started=turns.append,
    )

    assert (turn["status"], stopped) == ("interrupted", ["hang"])
    assert results(turn) == [
        ("c1", "success", "read"),
        ("c0", "interrupted", "(interrupted: the tool did not finish)"),
    ]
    assert turn["blocks"][2]["unfinished"] is True


def test_a_call_is_said_to_be_free_once_it_has_turned_out_to_be():
    async def look(_: str) -> str:
        seen.append(dict(records[0].step_blocks()[0]))
        return "read"

    seen: list[dict[str, Any]] = []
    records: list[TurnRecord] = []
    turn = run(
        ScriptedModel(calls(("t", {})), SAID), ScriptedTool("t", look), started_with=records.append
    )

    assert "approval" not in seen[0]
    assert turn["blocks"][0]["approval"] == "auto"


def test_a_turn_that_nobody_follows_any_more_stops_its_tools():
    async def hang(_: str) -> str:
        await asyncio.Event().wait()
        return ""

    async def leave_early() -> int:
        record = TurnRecord({}, lambda: "00000000")
        turn = run_turn(
            Request("m", []),
            record,
            provider=ScriptedModel(calls(("hang", {}))),
            tools=ToolSet([ScriptedTool("hang", hang, shows=["at work"])]),  # type: ignore[list-item]
            approve=None,  # type: ignore[arg-type]
            redact=str,
            clock=lambda: 0.0,
        )
        async for _ in turn:
            if record.step_blocks()[-1]["type"] == "tool_result":
                break
        await turn.aclose()
        return len(asyncio.all_tasks())

    assert asyncio.run(leave_early()) == 1


@pytest.mark.parametrize("error", [ValueError("odd"), SystemExit(3), TimeoutError("slow")])
def test_whatever_a_tool_raises_is_a_result(error):
    async def act(_: str) -> str:
        raise error

    turn = run(ScriptedModel(calls(("t", {})), SAID), ScriptedTool("t", act))

    assert results(turn) == [("c0", "error", f"{type(error).__name__}: {error}")]
    assert turn["status"] == "done"


def test_results_are_redacted_parts_included():
    async def act(_: str) -> Any:
        image = {"type": "image_url", "image_url": {"url": "data:,"}}
        return [{"type": "text", "text": "a secret"}, image]

    turn = run(ScriptedModel(calls(("t", {})), SAID), ScriptedTool("t", act))

    assert results(turn)[0][2][0]["text"] == "a [redacted]"


def test_questions_are_redacted_and_what_is_allowed_is_what_was_needed():
    asked: list[Question] = []

    class Asking(ScriptedTool):
        async def call(self, arguments: str, context: CallContext) -> Any:
            context.require(Need("it changes secret.txt", preview="-a secret\n+b\n"))
            return await self.act(arguments)

    async def allow(question: Question) -> Decision:
        asked.append(question)
        return Decision("user")

    turn = run(ScriptedModel(calls(("t", 1)), SAID), Asking("t", echo), approve=allow)

    assert [question.need for question in asked] == [
        Need("it changes [redacted].txt", preview="-a [redacted]\n+b\n")
    ]
    assert results(turn)[0][1] == "success"


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


def test_an_answer_that_is_whole_is_done_whatever_it_cost():
    turn = run(ScriptedModel(SAID), limits=Limits(token_budget=1))

    assert turn["status"] == "done"


def test_a_stream_that_outlasts_the_time_budget_is_cut_and_kept():
    model = ScriptedModel([TextDelta("so far"), asyncio.Event()])  # type: ignore[list-item]

    turn = run(model, limits=Limits(time_budget=0.02))

    assert (turn["status"], turn["finish_reason"]) == ("incomplete", "budget")
    assert turn["blocks"][0]["text"] == "so far"


def test_a_call_that_became_another_one_since_it_was_allowed_is_asked_about_again():
    class Changing(ScriptedTool):
        async def call(self, arguments: str, context: CallContext) -> Any:
            context.require(Need("it writes", preview=previews.pop(0)))
            return "written"

    asked: list[str] = []

    async def note(question: Question) -> Decision:
        asked.append(question.need.preview)
        return Decision("user")

    previews = ["old", "new", "new"]
    turn = run(ScriptedModel(calls(("t", {})), SAID), Changing("t", echo), approve=note)
    assert asked == ["old", "new"]
    assert results(turn) == [("c0", "success", "written")]

    previews = list("abcdefgh")
    turn = run(ScriptedModel(calls(("t", {})), SAID), Changing("t", echo), approve=note)
    assert results(turn)[0][1] == "denied"
    assert len(previews) == 4


def test_the_output_of_a_tool_that_is_stopped_is_kept_and_without_secrets():
    async def hang(_: str) -> str:
        tasks[0].cancel()
        await asyncio.Event().wait()
        return ""

    tasks: list[Any] = []
    turn = run(
        ScriptedModel(calls(("t", {}))),
        ScriptedTool("t", hang, shows=["one ", "sec", "ret ", "three"]),
        started=tasks.append,
    )

    assert turn["status"] == "interrupted"
    content = "one [redacted] three\n(interrupted: the tool did not finish)"
    assert results(turn) == [("c0", "interrupted", content)]


def test_the_result_takes_the_place_of_the_output_that_was_shown():
    shown = ScriptedTool("t", echo, shows=["at work"])
    turn = run(ScriptedModel(calls(("t", {})), SAID), shown)

    assert results(turn) == [("c0", "success", "{}")]


def test_a_tool_that_cancels_itself_has_failed_and_the_turn_goes_on():
    async def give_up(_: str) -> str:
        raise asyncio.CancelledError

    turn = run(ScriptedModel(calls(("t", {})), SAID), ScriptedTool("t", give_up))

    assert results(turn) == [("c0", "error", "The tool cancelled itself.")]
    assert turn["status"] == "done"


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

    limits, refusals = own.narrowed(
        {"max_steps": "99", "token_budget": "500", "time_budget": "30", "model": "x"}
    )

    assert limits == Limits(max_steps=10, token_budget=500, time_budget=30)
    assert refusals == ["max_steps=99 is more than your own limit, 10, allows."]


@pytest.mark.parametrize("value", ["", "x", "0", "-1", "nan", "inf", None, [3], 10**400])
def test_a_limit_that_is_no_positive_number_is_refused_in_words(value):
    limits, refusals = Limits().narrowed({"max_steps": value})

    assert limits == Limits()
    assert "no positive number" in refusals[0]
    assert len(refusals[0]) < 200


def test_reasoning_goes_back_to_its_server_as_it_came():
    details = [{"type": "reasoning.encrypted", "data": "x"}]
    call = ToolCallDelta(0, "c", "t", "{}", {"extra_content": {"google": {"s": 1}}})
    end = ModelFinished("tool_calls", True)
    model = ScriptedModel(
        [ReasoningDelta("a", "reasoning"), call, end],
        [ReasoningDelta("b", ""), call, ReasoningDetails(details), end],
        [call, ReasoningDetails(details), end],
        [ReasoningDelta("d"), call, end],
        SAID,
    )

    run(model, ScriptedTool("t", echo))

    sent = [m for m in model.requests[-1].messages if m["role"] == "assistant"]
    keys = [{k: v for k, v in m.items() if k.startswith("reasoning")} for m in sent]
    assert keys == [
        {"reasoning": "a"},
        {"reasoning_details": details},
        {"reasoning_details": details},
        {"reasoning_content": "d"},
    ]
    assert all(m["tool_calls"][0]["extra_content"] == {"google": {"s": 1}} for m in sent)
