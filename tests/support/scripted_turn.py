"""The loop of a turn with a scripted model and scripted tools, and what tests ask of a turn."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgbook.approval import ApprovalRequest, Decision, Question
from msgbook.config import Limits
from msgbook.errors import ToolError
from msgbook.events import ModelFinished, StreamEvent, TextDelta, ToolCallDelta, TurnFinished
from msgbook.provider import Request
from msgbook.tools import CallContext, ToolSet
from msgbook.turn import Budgets, run_turn
from msgbook.turn.record import TurnRecord


@dataclass
class ScriptedTool:
    """A tool that does what it is given."""

    name: str
    act: Callable[[str], Awaitable[Any]]
    read_only: bool = False
    asks: bool = False
    shows: Sequence[str] = ()
    ends_turn: bool = False
    keeps_time: bool = False
    schema: dict[str, Any] = field(default_factory=dict)
    recorded: bool = True

    def is_recorded(self, _arguments: str) -> bool:
        return self.recorded

    async def call(self, arguments: str, context: CallContext) -> Any:
        if self.asks:
            context.require(ApprovalRequest("it writes"))
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
    offered: bool = False,
    budgets: Budgets | None = None,
) -> dict[str, Any]:
    """The turn; `started` is given its task, which it may cancel. `offered`: the request has the tools."""
    nonces = itertools.count(1)
    record = TurnRecord({}, lambda: f"{next(nonces):08x}")
    started_with(record)

    async def allow(_question: Question) -> Decision:
        return Decision("user")

    schemas = [{"type": "function", "function": {"name": tool.name}} for tool in tools]

    async def turn() -> None:
        started(asyncio.current_task())
        async for _ in run_turn(
            Request("m", [], schemas if offered else []),
            record,
            provider=model,
            tools=ToolSet(tools),  # type: ignore[arg-type]
            approve=approve or allow,
            redact=lambda text: text.replace("secret", "[redacted]"),
            clock=clock,
            limits=limits,
            budgets=budgets,
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


def numbered() -> Callable[[str], Awaitable[str]]:
    """What a tool does whose result changes with each call."""
    numbers = itertools.count()

    async def count(_arguments: str) -> str:
        return f"result {next(numbers)}"

    return count


async def fail(_arguments: str) -> str:
    raise ToolError("no such file")
