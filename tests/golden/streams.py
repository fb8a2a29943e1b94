"""Answers of servers as bytes: the turn, its Markdown, its text on a terminal, and what a page is sent."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from completions import DONE, tool
from completions import delta as chunk
from completions import finish as end
from completions import sse as chat_sse
from responses import added, arguments, completed, event, message, reasoning, summary, text
from responses import call as function_call
from responses import done as item_done
from responses import sse as responses_sse
from streamed_turns import recorded_streams
from virtual_time import VirtualTimeLoop

from msgbook.display.console import TextDisplay
from msgbook.display.publish import TurnDisplay
from msgbook.errors import ProviderError
from msgbook.events import (
    ModelFinished,
    Notice,
    RetryWait,
    StepStarted,
    ToolApproved,
    ToolCallDelta,
    ToolFinished,
    ToolOutput,
    ToolStarted,
    TurnEvent,
    TurnFinished,
)
from msgbook.messages import ApiName
from msgbook.provider.apis import find_api
from msgbook.turn import TurnRecord
from msgbook_format.turn import bundle

from .world import Record, World


def _error(api: ApiName, **fields: Any) -> bytes:
    body: dict[str, Any] = {"error": {"message": "Overloaded.", **fields}}
    return (
        chat_sse(body)
        if api == "chat"
        else responses_sse(event("failed", response={"error": body["error"], "status": "failed"}))
    )


ODD: Mapping[str, tuple[ApiName, bytes]] = {
    "chat/refusal": ("chat", chat_sse(chunk(refusal="I "), chunk(refusal="cannot."), end(), DONE)),
    "chat/filtered": ("chat", chat_sse(chunk(content="Half"), end("content_filter"), DONE)),
    "chat/no-end": ("chat", chat_sse(chunk(content="Half"))),
    "chat/error": ("chat", chat_sse(chunk(content="Half")) + _error("chat", code=503)),
    "chat/think-tags": ("chat", chat_sse(chunk(content="<think>I "), chunk(content="think</th"), chunk(content="ink>So."), end(), DONE)),
    "chat/call-in-text": ("chat", chat_sse(chunk(content='<tool_call>{"name": "read", "arguments": {"path": "a"}}</tool_call>'), end(), DONE)),
    "chat/calls": ("chat", chat_sse(chunk(content="I read."), tool(0, "a", "read", '{"pa'), tool(1, "b", "grep", "{}"), tool(0, arguments='th": 1}'), end("tool_calls"), DONE)),
    "chat/calls-without-ids": ("chat", chat_sse(tool(None, None, "read", "{}"), tool(None, None, "read", "{}"), end("tool_calls"), DONE)),
    "chat/junk": ("chat", b": comment\n\ndata: {not json}\n\ndata: [1]\n\ndata: null\n\n" + chat_sse(chunk(content="x"), end(), DONE)),
    "chat/sources": ("chat", chat_sse(chunk(content="As said.", annotations=[{"type": "url_citation", "url_citation": {"url": "https://e.org/a", "title": "A", "start_index": 0, "end_index": 2}}]), {"choices": [], "citations": ["https://e.org/b"]}, end(), DONE)),
    "responses/refusal": ("responses", responses_sse(added(message()), event("refusal.delta", item_id="msg_1", output_index=0, content_index=0, delta="No."), completed(message(content=[{"type": "refusal", "refusal": "No."}])))),
    "responses/no-end": ("responses", responses_sse(added(message()), text("Half"))),
    "responses/error": ("responses", responses_sse(added(message()), text("Half")) + _error("responses", code="server_error")),
    "responses/incomplete": ("responses", responses_sse(added(message()), text("Half"), completed(message("Half"), status="incomplete", incomplete_details={"reason": "max_output_tokens"}))),
    "responses/reasoning": ("responses", responses_sse(added(reasoning()), summary("I think."), item_done(reasoning("I think.", encrypted_content="abc")), added(function_call(), 1), arguments("{}", index=1), item_done(function_call(args="{}"), 1), completed(reasoning("I think.", encrypted_content="abc"), function_call(args="{}")))),
    "responses/search": ("responses", responses_sse(added({"type": "web_search_call", "id": "ws_1", "status": "in_progress"}), item_done({"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "bees"}}), added(message(), 1), text("Bees.", index=1), completed(message("Bees.")))),
}  # fmt: skip
"""Answers that none of the recorded streams has."""


class _Pages:
    """A page that keeps what it is sent."""

    count = 1

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def send(self, message: dict[str, Any]) -> None:
        self.sent.append(json.loads(json.dumps(message)))


def _decoded(api: ApiName, body: bytes) -> Iterator[list[TurnEvent]]:
    """The events of an answer, as its lines come."""
    numbers = itertools.count(1)
    decoder = find_api(api).new_decoder(lambda: f"made_{next(numbers)}")
    try:
        for line in body.splitlines(keepends=True):
            yield list(decoder.feed(line))
        yield list(decoder.end())
    except ProviderError as error:
        yield list(decoder.flush())
        yield [TurnFinished("error", None, type(error).__name__, str(error))]


def record_events(steps: Iterator[list[TurnEvent]]) -> Record:
    """What is saved of events, and shown: each of the steps comes a tenth of a second after the one before."""
    record = Record()
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        runner.run(_show(steps, record))
    return record


async def _show(steps: Iterator[list[TurnEvent]], record: Record) -> None:
    nonces = itertools.count(1)
    turn = TurnRecord({"model": "m", "agent": "assistant"}, lambda: f"{next(nonces):08x}")
    pages, bundles, printed = _Pages(), list[Any](), list[str]()

    def send(kind: str, content: dict[str, Any]) -> None:
        bundles.append(kind)

    def write(_kind: str, content: dict[str, Any]) -> None:
        printed.append(content["text"])

    display = TurnDisplay(turn, bundle, send, "display", pages=pages, cell_id="cell")
    display.follow()
    terminal = TextDisplay(turn, write)
    turn.apply(StepStarted(1), 0.0)
    now = 0.0
    for events in steps:
        now += 0.125
        for one in events:
            turn.apply(one, now)
        display.changed()
        terminal.changed()
        await asyncio.sleep(0.125)
    if turn.snapshot()["status"] == "running":
        turn.apply(TurnFinished("done"), now)
    display.finish()
    terminal.finish()
    found = bundle(turn.snapshot())
    record.add("turn", turn.snapshot())
    record.add("text/markdown", found["text/markdown"])
    record.add("text/plain", found["text/plain"])
    record.add("terminal", "".join(printed))
    record.add("messages to the page", [json.dumps(m, ensure_ascii=False) for m in pages.sent])
    record.add("displays", bundles)


def _run(api: ApiName, body: bytes, _world: World) -> Record:
    return record_events(_decoded(api, body))


def _long_turn(_world: World) -> Record:
    """All that can happen beside the answers: calls of all ends, retries, notices."""
    steps: list[list[TurnEvent]] = [
        [Notice("Long.", "warning"), Notice("So you know.")],
        [RetryWait(1, 3, 2.0, "The server is busy")],
        [RetryWait(1, 3, 0.0, "The server is busy")],
        [ToolCallDelta(0, "a", "read", '{"path": "a"}'), ToolCallDelta(1, "b", "write", "{}")],
        [ToolCallDelta(2, "c", "shell", '{"command": "make"}'), ModelFinished("tool_calls", True)],
        [ToolApproved("a", "auto"), ToolStarted("a")],
        [ToolFinished("a", "success", "\n".join(f"line {n}" for n in range(30)), 0.5)],
        [ToolApproved("b", "denied"), ToolFinished("b", "denied", "Denied by the user.", 0.0)],
        [ToolApproved("c", "user"), ToolStarted("c"), ToolOutput("c", "1%\r")],
        [ToolOutput("c", "100%\n"), ToolFinished("c", "error", "100%\n[exit code 2]", 1.25)],
        [StepStarted(2), *next(iter(_decoded("chat", chat_sse(chunk(content="It is **here**.")))))],
        [ModelFinished("stop", True), TurnFinished("done")],
    ]
    return record_events(iter(steps))


SCENARIOS = {
    **{
        name.replace("/", "-"): partial(_run, api, body)
        for name, (api, body) in {**recorded_streams(), **ODD}.items()
        if "cassette" not in name
    },
    **{
        f"{name.replace('/', '-')}-cut": partial(_run, api, body[: len(body) // 2])
        for name, (api, body) in recorded_streams().items()
        if name.endswith("/openai")
    },
    "all-events": _long_turn,
}
