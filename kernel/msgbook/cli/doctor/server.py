"""Checks of the model's server: answers, streaming, usage and tool calls.

They use the same provider code as turns, so a check that passes here also works there.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any, cast

from msgbook.cli.doctor.answer import OTHER_MODEL, Answer, judge_answer, judge_stream, judge_tools
from msgbook.cli.doctor.findings import Finding, split_advice
from msgbook.errors import ProviderError
from msgbook.events import ModelFinished, ReasoningDelta, TextDelta, ToolCallDelta
from msgbook.messages import user
from msgbook.provider import Provider, Request
from msgbook.text import join_first

CHECKS = ("server", "model", "answer", "stream", "usage", "tools")
"""Checks in their order."""

_MOST_TOKENS = 400
"""Tokens of one answer with its reasoning; more than the answers need."""

_QUESTION = "Write the numbers from 1 to 12, separated by spaces, and nothing else."
_SUM = "Use the tool to add 2 and 3."
_TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "add",
        "description": "Add two whole numbers.",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "required": ["a", "b"],
        },
    },
}

_SHOWN_MODELS = 8


class ServerChecks:
    """Checks one server with one model.

    Args:
        model: Configured model; None for the server's only model.
        seconds: Limit for one request.
        model_origin: Describes what sets the model.
        clock: Returns monotonic seconds.
    """

    def __init__(
        self,
        provider: Provider,
        model: str | None,
        *,
        seconds: float,
        model_origin: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._provider = provider
        self._model = model
        self._model_origin = model_origin
        self._seconds = seconds
        self._clock = clock
        self.usage: dict[str, int] = {}
        """Tokens of all requests so far, as the server reported them."""

    async def run(self) -> AsyncIterator[Finding]:
        """Yield one finding for each of `CHECKS`. Errors of the server are findings too."""
        done = set()
        async for finding in self._found():
            done.add(finding.check)
            yield finding
        for check in CHECKS:
            if check not in done:
                yield Finding(check, "unknown", "not checked, because a check above failed")

    async def _found(self) -> AsyncIterator[Finding]:
        offered: list[str] | None = None
        try:
            async with asyncio.timeout(self._seconds):
                offered = await self._provider.models()
        except TimeoutError:
            yield self._timed_out("server")
            return
        except ProviderError as error:
            # A server may have no list of models, or one that the key may not read.
            lost = error.retry is not None
            yield Finding("server", "fail" if lost else "unknown", *split_advice(str(error)))
            if lost:
                return
        else:
            listed = join_first(offered, _SHOWN_MODELS) or "no models"
            yield Finding("server", "pass", f"it answers and lists {listed}")
        model = self._check_model(offered)
        yield model
        if model.status == "fail":
            return
        answered = False
        async for finding in self._check_answer():
            answered = answered or finding.status == "pass"
            yield finding
        if answered:
            yield await self._check_tools()

    def _check_model(self, offered: list[str] | None) -> Finding:
        if self._model is None and offered is not None and len(offered) == 1:
            self._model = offered[0]
            return Finding(
                "model",
                "pass",
                f"none is set, and {self._model} is the only one that the server offers",
            )
        if self._model is None:
            advice = "Set MSGBOOK_MODEL or model in msgbook.toml, or name a model with --model."
            return Finding("model", "fail", "none is set", advice)
        if not offered:
            return Finding("model", "unknown", f"{self._model}; the server lists no models")
        if self._model in offered:
            return Finding("model", "pass", f"{self._model} is in the server's list")
        words = (
            f"{self._model} is not in the server's list; the next check shows whether it answers"
        )
        return Finding("model", "unknown", words)

    async def _check_answer(self) -> AsyncIterator[Finding]:
        try:
            answer = await self._ask(self._request(_QUESTION))
        except TimeoutError:
            yield self._timed_out("answer")
            return
        except ProviderError as error:
            yield Finding("answer", "fail", *split_advice(str(error)))
            return
        yield judge_answer(answer)
        if not answer.pieces:
            return
        yield judge_stream(answer)
        if answer.end and answer.end.usage:
            counts = ", ".join(f"{n} {key}" for key, n in cast("Any", answer.end.usage).items())
            yield Finding("usage", "pass", counts.replace("_", " "))
        else:
            advice = "%usage shows ? for its turns, and token_budget counts estimated tokens."
            yield Finding("usage", "unknown", "the server reports no tokens", advice)

    async def _check_tools(self) -> Finding:
        try:
            answer = await self._ask(self._request(_SUM, _TOOL))
        except TimeoutError:
            return self._timed_out("tools")
        except ProviderError as error:
            words, _ = split_advice(str(error))
            return Finding(
                "tools", "fail", words, f"{OTHER_MODEL} Without tools the model can only chat."
            )
        return judge_tools(answer)

    def _request(self, question: str, *tools: dict[str, Any]) -> Request:
        origin = self._model_origin
        return Request(self._model or "", [user(question)], [*tools], model_origin=origin)

    async def _ask(self, request: Request) -> Answer:
        """Return one answer, limited in length if the server supports a limit."""
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
        async with asyncio.timeout(self._seconds), aclosing(self._provider.stream(request)) as got:
            async for event in got:
                match event:
                    case TextDelta() | ReasoningDelta():
                        answer.first = answer.first or self._clock() - began
                        answer.pieces += 1
                        answer.text += event.text if isinstance(event, TextDelta) else ""
                    case ToolCallDelta():
                        call = answer.calls.setdefault(event.index, ["", ""])
                        call[0] += event.name
                        call[1] += event.arguments
                    case ModelFinished():
                        answer.end = event
        answer.seconds = self._clock() - began
        for key, count in cast("dict[str, int]", (answer.end and answer.end.usage) or {}).items():
            self.usage[key] = self.usage.get(key, 0) + count
        return answer

    def _timed_out(self, check: str) -> Finding:
        advice = "Is it still loading the model? Try again, or raise --timeout."
        return Finding(check, "fail", f"no complete answer in {self._seconds:g} s", advice)
