"""The loop of a turn: its calls, what they put out, who allows them, and an interrupt."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from scripted_turn import SAID, ScriptedModel, ScriptedTool, calls, echo, numbered, results, run

from msgbook.approval import ApprovalRequest, Decision, Question
from msgbook.events import (
    ModelFinished,
    ReasoningDelta,
    ReasoningDetails,
    TextDelta,
    ToolCallDelta,
)
from msgbook.provider import Request
from msgbook.tools import CallContext, ToolSet
from msgbook.turn import run_turn
from msgbook.turn.record import TurnRecord


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


@pytest.mark.parametrize("said", [[], [ReasoningDelta(" ")], [TextDelta("\n\n")]])
def test_an_answer_without_a_word_is_told(said):
    turn = run(ScriptedModel([*said, ModelFinished("stop", ended=True)]))

    assert turn["status"] == "done"
    assert [b["text"] for b in turn["blocks"] if b["type"] == "notice"] == [
        "The model ended its answer without any text."
    ]


def test_an_answer_of_nothing_but_reasoning_names_the_servers_parser():
    turn = run(ScriptedModel([ReasoningDelta("It is 5."), ModelFinished("stop", ended=True)]))

    assert turn["status"] == "done"
    (notice,) = [b["text"] for b in turn["blocks"] if b["type"] == "notice"]
    assert "only reasoning" in notice
    assert "--reasoning-parser" in notice


def test_a_turn_that_ends_with_its_calls_has_said_what_it_did():
    turn = run(
        ScriptedModel(calls(("echo", {})), [ModelFinished("stop", ended=True)]),
        ScriptedTool("echo", echo),
    )

    assert turn["status"] == "done"
    assert not [b for b in turn["blocks"] if b["type"] == "notice"]


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


def test_calls_that_wait_for_leave_when_the_turn_is_stopped_are_said_not_to_have_run():
    made: list[str] = []
    turns: list[Any] = []

    async def act(arguments: str) -> str:
        made.append(arguments)
        return ""

    async def leave(_: Question) -> Decision:
        turns[0].cancel()
        await asyncio.Event().wait()
        raise AssertionError

    turn = run(
        ScriptedModel(calls(("a", {}), ("b", {}), ("write", {}))),
        ScriptedTool("a", act, read_only=True, asks=True),
        ScriptedTool("b", act, read_only=True, asks=True),
        ScriptedTool("write", act),
        approve=leave,
        started=turns.append,
    )

    words = "(not run: the turn was stopped before the call was approved)"
    assert results(turn) == [("c0", "interrupted", words), ("c1", "interrupted", words)]
    said = [(b.get("approval"), "unfinished" in b) for b in turn["blocks"][:3]]
    assert said == [("denied", False), ("denied", False), (None, True)]
    assert made == []


def test_a_call_that_was_denied_when_the_turn_is_stopped_was_denied():
    turns: list[Any] = []

    async def deny(_: Question) -> Decision:
        turns[0].cancel()
        return Decision("denied", "no")

    turn = run(
        ScriptedModel(calls(("t", {})), [asyncio.Event()]),  # type: ignore[list-item]
        ScriptedTool("t", echo, asks=True),
        approve=deny,
        started=turns.append,
    )

    assert (turn["status"], results(turn)) == ("interrupted", [("c0", "denied", "no")])


def test_the_time_of_a_stopped_tool_is_the_time_that_it_ran():
    now = [0.0]
    turns: list[Any] = []

    async def allow(_: Question) -> Decision:
        now[0] += 60
        return Decision("user")

    async def hang(_: str) -> str:
        now[0] += 1.5
        turns[0].cancel()
        await asyncio.Event().wait()
        return ""

    turn = run(
        ScriptedModel(calls(("t", {}))),
        ScriptedTool("t", hang, asks=True),
        clock=lambda: now[0],
        approve=allow,
        started=turns.append,
    )

    assert turn["blocks"][-1]["duration"] == 1.5
    assert turn["duration"] == 61.5


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


@pytest.mark.parametrize(
    "error",
    [
        ValueError("odd"),
        SystemExit(3),
        TimeoutError("slow"),
        BaseException("odd"),
        GeneratorExit("odd"),
    ],
)
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
            context.require(ApprovalRequest("it changes secret.txt", preview="-a secret\n+b\n"))
            return await self.act(arguments)

    async def allow(question: Question) -> Decision:
        asked.append(question)
        return Decision("user")

    turn = run(ScriptedModel(calls(("t", 1)), SAID), Asking("t", echo), approve=allow)

    assert [question.approval_request for question in asked] == [
        ApprovalRequest("it changes [redacted].txt", preview="-a [redacted]\n+b\n")
    ]
    assert results(turn)[0][1] == "success"


def test_a_call_that_became_another_one_since_it_was_allowed_is_asked_about_again():
    class Changing(ScriptedTool):
        async def call(self, arguments: str, context: CallContext) -> Any:
            context.require(ApprovalRequest("it writes", preview=previews.pop(0)))
            return "written"

    asked: list[str] = []

    async def note(question: Question) -> Decision:
        asked.append(question.approval_request.preview)
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


def test_a_tool_is_told_its_call_and_updates_keys_of_its_result_while_it_runs():
    class Updating(ScriptedTool):
        async def call(self, arguments: str, context: CallContext) -> Any:
            context.update({"agents": [{"uuid": context.call_id}]})
            return await self.act(arguments)

    turn = run(ScriptedModel(calls(("t", {})), SAID), Updating("t", echo))

    [result] = [block for block in turn["blocks"] if block["type"] == "tool_result"]
    assert (result["agents"], result["content"]) == ([{"uuid": "c0"}], "{}")


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

    run(model, ScriptedTool("t", numbered()))

    sent = [m for m in model.requests[-1].messages if m["role"] == "assistant"]
    keys = [{k: v for k, v in m.items() if k.startswith("reasoning")} for m in sent]
    assert keys == [
        {"reasoning": "a"},
        {"reasoning_details": details},
        {"reasoning_details": details},
        {"reasoning_content": "d"},
    ]
    assert all(m["tool_calls"][0]["extra_content"] == {"google": {"s": 1}} for m in sent)
