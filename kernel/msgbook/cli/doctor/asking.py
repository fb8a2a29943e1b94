"""Short questions to one server, with the same provider code as turns, and their answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any, cast

from msgbook.cli.doctor.answer import Answer
from msgbook.errors import ProviderError
from msgbook.events import ModelFinished, ReasoningDelta, TextDelta, ToolCallDelta
from msgbook.messages import user
from msgbook.provider import Provider, Request, Wire

_MOST_TOKENS = 400
"""Tokens of one answer with its reasoning; more than the answers need."""


class ListeningWire(Wire):
    """The network as it is; it remembers the type of the last answer."""

    def __init__(self) -> None:
        self.content_type = ""

    async def send(self, request: Any, send: Callable[[], Awaitable[Any]]) -> Any:
        """Return the response to a request."""
        response = await send()
        self.content_type = response.headers.get("content-type", "")
        return response


class Asker:
    """Asks one server and counts the tokens.

    Args:
        seconds: Limit for one request.
        wire: The wire of the provider; None if it is not known how an answer was sent.
        clock: Returns monotonic seconds.
    """

    def __init__(
        self,
        provider: Provider,
        *,
        seconds: float,
        usage: dict[str, int],
        wire: ListeningWire | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._provider = provider
        self.seconds = seconds
        self._usage = usage
        self._wire = wire
        self._clock = clock

    async def models(self) -> list[str]:
        """Return the ids of the models that the server offers.

        Raises:
            ProviderError: The server does not list them.
            TimeoutError: It took too long.
        """
        async with asyncio.timeout(self.seconds):
            return await self._provider.models()

    async def ask(
        self, model: str, question: str, *tools: dict[str, Any], model_origin: str = ""
    ) -> Answer:
        """Return one answer, limited in length if the server supports a limit.

        Raises:
            ProviderError: The server did not answer.
            TimeoutError: It took too long.
        """
        request = Request(model, [user(question)], [*tools], model_origin=model_origin)
        for limit in ("max_completion_tokens", "max_tokens"):
            try:
                options = {limit: _MOST_TOKENS}
                return await self._answer(replace(request, options=options))
            except ProviderError as error:
                if limit not in str(error):
                    raise
        return await self._answer(request)

    async def _answer(self, request: Request) -> Answer:
        answer, began = Answer(), self._clock()
        async with asyncio.timeout(self.seconds), aclosing(self._provider.stream(request)) as got:
            async for event in got:
                match event:
                    case TextDelta() | ReasoningDelta():
                        answer.add_piece(event, self._clock() - began)
                    case ToolCallDelta():
                        call = answer.calls.setdefault(event.index, ["", ""])
                        call[0] += event.name
                        call[1] += event.arguments
                    case ModelFinished():
                        answer.end = event
        answer.seconds = self._clock() - began
        if self._wire is not None and self._wire.content_type:
            answer.is_event_stream = "event-stream" in self._wire.content_type
        for key, count in cast("dict[str, int]", (answer.end and answer.end.usage) or {}).items():
            self._usage[key] = self._usage.get(key, 0) + count
        return answer
