"""The turn that a recorded stream makes, without a network."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, get_args

import httpx2
from messages_bodies import as_message
from responses_bodies import as_response
from scripted_turn import ScriptedTool

from msgbook.approval import Decision, Question
from msgbook.config import ProviderSettings
from msgbook.errors import ProviderError
from msgbook.events import StepStarted
from msgbook.messages import ApiName
from msgbook.provider import Request
from msgbook.provider.apis import find_api
from msgbook.provider.servers import server_class
from msgbook.tools import ToolSet
from msgbook.turn import run_turn
from msgbook.turn.record import TurnRecord

STREAMS = Path(__file__).parent.parent / "provider" / "streams"
CASSETTE = Path(__file__).parent.parent / "chats" / "demo.cassette.jsonl"


class Transport(httpx2.AsyncBaseTransport):
    """Answers the first request with a stream, and each further one with a short text."""

    def __init__(self, body: bytes, last: bytes, reads: int) -> None:
        self._bodies = iter([body])
        self._last = last
        self._reads = reads
        self.requests: list[dict[str, Any]] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(json.loads(request.content))
        body = next(self._bodies, self._last)

        async def reads() -> AsyncIterator[bytes]:
            for start in range(0, len(body), self._reads):
                yield body[start : start + self._reads]

        headers = {"content-type": "text/event-stream"}
        return httpx2.Response(200, headers=headers, content=reads(), request=request)


_LAST: dict[str, bytes] = {
    "chat": b'data: {"choices": [{"index": 0, "delta": {"content": "(end)"}, "finish_reason": "stop"}]}\n\n',
    "responses": b'data: {"type": "response.completed", "response": {"output": []}}\n\n',
    "anthropic": b'data: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "(end)"}}\n\n'
    b'data: {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}\n\n',
}


class StreamedTurn:
    """A turn whose first answer was a stream.

    Args:
        secrets: Redacted from what the server says.
        reads: Bytes of each read of the connection.
    """

    def __init__(
        self, api: ApiName, body: bytes, *, secrets: tuple[str, ...] = (), reads: int = 1_000_000
    ) -> None:
        self.runs: list[tuple[str, str]] = []
        """Names and arguments of the calls that ran."""
        self._transport = Transport(body, _LAST[api], reads)
        self.turn: Any = asyncio.run(self._run(api, secrets))

    @property
    def requests(self) -> list[dict[str, Any]]:
        return self._transport.requests

    def texts(self, kind: str) -> list[str]:
        """The texts of the blocks of one type."""
        key = "message" if kind == "error" else "text"
        return [block[key] for block in self.turn["blocks"] if block["type"] == kind]

    @property
    def said(self) -> dict[str, Any]:
        """What a reader gets of the first answer, however a server numbers it."""
        blocks = [block for block in self.turn["blocks"] if block.get("step", 1) == 1]
        reasonings = [block for block in blocks if block["type"] == "reasoning"]
        return {
            "text": "".join(b["text"] for b in blocks if b["type"] == "text"),
            "reasoning": [b["text"] for b in reasonings if b["text"]],
            "runs": self.runs,
            "status": self.turn["status"],
            "errors": [block["message"] for block in blocks if block["type"] == "error"],
            "notices": [block["text"] for block in blocks if block["type"] == "notice"],
        }

    async def _run(self, api: ApiName, secrets: tuple[str, ...]) -> Any:
        settings = ProviderSettings("streamed", "http://127.0.0.1/v1", api=api)
        provider = server_class(settings)(
            settings, transport=lambda _http: self._transport, secrets=secrets, linger=0.0
        )
        record = TurnRecord({"model": "m"}, lambda: "00000000")
        times = itertools.count()
        turn = run_turn(
            Request("m", [{"role": "user", "content": "hi"}]),
            record,
            provider=provider,
            tools=_AnyTool(self.runs),
            approve=_no,
            redact=lambda text: text,
            clock=lambda: float(next(times)),
        )
        async for _ in turn:
            pass
        await provider.close()
        return record.snapshot()


class _AnyTool(ToolSet):
    """Has a tool of any name, which says `ok`."""

    def __init__(self, runs: list[tuple[str, str]]) -> None:
        super().__init__()
        self._runs = runs

    def find(self, name: str) -> Any:
        async def act(arguments: str) -> str:
            self._runs.append((name, arguments))
            return "ok"

        return ScriptedTool(name, act)


async def _no(_question: Question) -> Decision:
    return Decision("denied")


def recorded_streams() -> dict[str, tuple[ApiName, bytes]]:
    """Each recorded stream of the tests by a name, with its API."""
    found: dict[str, tuple[ApiName, bytes]] = {}
    for api in get_args(ApiName):
        for path in sorted((STREAMS / api).glob("*.sse")):
            found[f"{api}/{path.stem}"] = (api, path.read_bytes())
    for number, body in enumerate(_cassette_bodies(), 1):
        found[f"chat/cassette-{number}"] = ("chat", body)
        found[f"responses/cassette-{number}"] = (
            "responses",
            as_response(body.decode(), {"model": "m"}).encode(),
        )
        found[f"anthropic/cassette-{number}"] = (
            "anthropic",
            as_message(body.decode(), {"model": "m"}).encode(),
        )
    return found


def _cassette_bodies() -> list[bytes]:
    lines = map(json.loads, CASSETTE.read_text().splitlines())
    return [
        "".join(text for _, text in line["events"]).encode() for line in lines if "events" in line
    ]


def decoded_turn(api: ApiName, body: bytes) -> tuple[Any, str]:
    """The turn of one answer and the words of its error, without a provider; calls do not run."""
    numbers = itertools.count(1)
    decoder = find_api(api).new_decoder(lambda: f"made_{next(numbers)}")
    record = TurnRecord({"model": "m"}, lambda: "00000000")
    record.apply(StepStarted(1), 0.0)
    error = ""
    try:
        for event in itertools.chain(decoder.feed(body), decoder.end()):
            record.apply(event, 0.0)
    except ProviderError as failure:
        error = str(failure)
        for event in decoder.flush():
            record.apply(event, 0.0)
    return record.snapshot(), error


def recorded(api: ApiName, name: str) -> StreamedTurn:
    """Return the turn of a recorded stream."""
    return StreamedTurn(api, (STREAMS / api / f"{name}.sse").read_bytes())
