"""Short questions to one server, with the same provider code as turns, and their answers."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Any, cast

from msgbook.config import ProviderSettings, Settings, vendor_of
from msgbook.config.settings import Limits
from msgbook.errors import ProviderError
from msgbook.events import (
    AdaptationNotice,
    ModelFinished,
    Notice,
    OutputItem,
    ReasoningDelta,
    ReasoningDetails,
    StreamEvent,
    TextDelta,
    ToolCallDelta,
)
from msgbook.messages import user
from msgbook.provider import (
    Asking,
    Provider,
    Request,
    Wire,
    new_provider,
    turn_options,
)
from msgbook.server_checks.answer import Answer
from msgbook.turn import AnswerSize

_MOST_TOKENS = 400
"""Tokens of one answer with its reasoning; more than the answers need, and few enough that a check costs next to
nothing."""

_LIMITS = re.compile(r"max_(completion_|output_)?tokens")
"""The keys that limit the tokens of an answer, in all APIs."""


class ListeningWire(Wire):
    """The network as it is; it remembers the type of the last answer."""

    def __init__(self) -> None:
        self.content_type = ""

    async def send(self, request: Any, send: Callable[[], Awaitable[Any]]) -> Any:
        """Return the response to a request."""
        self.content_type = ""
        response = await send()
        self.content_type = response.headers.get("content-type", "")
        return response


class Asker:
    """Asks one model of a server over one API and counts the tokens.

    Args:
        provider: Adapts its requests as those of turns do.
        seconds: Limit for one request.
        usage: Tokens of all requests, by name; it is added to.
        options: Options of a turn's requests, by their names in the chat API.
        limit_key: Option that limits the tokens of an answer.
        wire: The wire of the provider; a plug-in's does not use it.
        clock: Returns monotonic seconds.
    """

    def __init__(
        self,
        provider: Provider,
        *,
        seconds: float,
        usage: dict[str, int],
        options: Mapping[str, Any] = {},
        limit_key: str = "max_tokens",
        wire: ListeningWire | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._provider = provider
        self.seconds = seconds
        self._usage = usage
        self._options = dict(options)
        self._limit_key = limit_key
        self._wire = wire or ListeningWire()
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
        limited = {**self._options, self._limit_key: _MOST_TOKENS}
        try:
            return await self._answer(
                Request(model, [user(question)], [*tools], limited, model_origin)
            )
        except ProviderError as error:
            if not _LIMITS.search(str(error)):
                raise
        return await self._answer(
            Request(model, [user(question)], [*tools], self._options, model_origin)
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._provider.close()

    async def _answer(self, request: Request) -> Answer:
        answer, began, size = Answer(), self._clock(), AnswerSize(Limits().answer_limit)
        async with asyncio.timeout(self.seconds), aclosing(self._provider.stream(request)) as got:
            async for whole in got:
                if (event := size.fit(whole)) is not None:
                    _add(answer, event, self._clock() - began)
                if size.notice:
                    break
        answer.seconds = self._clock() - began
        if self._wire.content_type:
            answer.is_event_stream = "event-stream" in self._wire.content_type
        for key, count in cast("dict[str, int]", (answer.end and answer.end.usage) or {}).items():
            self._usage[key] = self._usage.get(key, 0) + count
        return answer


def new_asker(
    server: ProviderSettings, settings: Settings, *, seconds: float, usage: dict[str, int]
) -> Asker:
    """Return what asks a server over the API of its settings.

    Args:
        settings: All settings of the user.
        seconds: Limit for one request.
        usage: Tokens of all requests, by name; it is added to.

    Raises:
        ConfigError: The plug-in of the server cannot be used.
    """
    wire = ListeningWire()
    return Asker(
        Asking(new_provider(server, settings, wire=wire)),
        seconds=seconds,
        usage=usage,
        options=turn_options(server.api),
        limit_key=vendor_of(server.base_url).token_limit,
        wire=wire,
    )


def _add(answer: Answer, event: StreamEvent, seconds: float) -> None:
    match event:
        case TextDelta() | ReasoningDelta():
            answer.add_piece(event, seconds)
        case ToolCallDelta():
            call = answer.calls.setdefault(event.index, ["", ""])
            call[0] += event.name
            call[1] += event.arguments
        case OutputItem():
            is_sealed = event.item.get("type") == "redacted_thinking"
            if is_sealed or event.item.get("encrypted_content"):
                answer.has_encrypted_reasoning = True
        case ReasoningDetails():
            if any(detail.get("type") == "reasoning.encrypted" for detail in event.details):
                answer.has_encrypted_reasoning = True
        case AdaptationNotice():
            answer.refused.append(event.text)
        case Notice():
            answer.notices.append(event.text)
        case ModelFinished():
            answer.end = event
