"""Checks of the model's server: answers, streaming, usage, tool calls and the other API.

They use the same provider code as turns, so a check that passes here also works there.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from msgbook.errors import NoModelListError, ProviderError, UnusableSettingError
from msgbook.provider import MissingRouteError
from msgbook.server_checks.answer import (
    ONLY_CHAT,
    OTHER_MODEL,
    TOOLS,
    Answer,
    judge_answer,
    judge_reasoning,
    judge_stream,
    judge_tools,
    judge_usage,
)
from msgbook.server_checks.api import ApiChoice, judge_apis, judge_no_answer, judge_only_api
from msgbook.server_checks.asking import Asker
from msgbook.server_checks.findings import Finding
from msgbook.text import join_first

CHECKS = ("server", "model", "answer", "stream", "usage", "tools")
"""Checks of every server in their order; `api` follows them where there is another one to ask."""

_QUESTION = "Write the numbers from 1 to 12, separated by spaces, and nothing else."
_SUM = "Use the tool to add 2 and 3."
_NAME_MODEL = "set MSGBOOK_MODEL or model in msgbook.toml, or name a model with --model."
_SHOWN_MODELS = 8


class ServerChecks:
    """Checks one server with one model.

    Args:
        asker: Asks the server.
        model: Configured model; None for the server's only model.
        model_origin: Describes what sets the model.
        other: The API in force, and what asks over the other one; None for a plug-in's server.
    """

    def __init__(
        self,
        asker: Asker,
        model: str | None,
        *,
        model_origin: str = "",
        other: tuple[ApiChoice, Asker] | None = None,
    ) -> None:
        self._asker = asker
        self._model = model
        self._model_origin = model_origin
        self._other = other
        self._seen: Answer | None = None
        self._lacks_api = False

    async def run(self) -> AsyncIterator[Finding]:
        """Yield a finding for each of the checks, and for what the server refuses of a request."""
        left = [*CHECKS, "api"] if self._other else [*CHECKS]
        async for finding in self._found():
            while finding.check in left and left[0] != finding.check:
                yield _not_checked(left.pop(0))
            if finding.check in left:
                left.remove(finding.check)
            yield finding
        for check in left:
            yield _not_checked(check)

    async def _found(self) -> AsyncIterator[Finding]:
        offered: list[str] | None = None
        try:
            offered = await self._asker.models()
        except TimeoutError:
            yield self._timed_out("server")
            return
        except ProviderError as error:
            # A server may have no list of models, one that fails, or one that the key may not read.
            may_pass = error.retry is not None or self._model is None
            lost = may_pass and not isinstance(error, NoModelListError)
            if lost or isinstance(error, UnusableSettingError):
                yield Finding("server", "fail", error.what, error.advice)
                return
            words = f"no list of models: {error.what}"
            if self._model is None and error.advice:
                yield Finding(
                    "server", "fail", words, f"{error.advice} If it is right, {_NAME_MODEL}"
                )
                return
            # The next check shows whether the URL is right.
            yield Finding("server", "unknown", words)
        else:
            listed = join_first(offered, _SHOWN_MODELS) or "no models"
            yield Finding("server", "pass", f"reachable; lists {listed}")
        model = self._check_model(offered)
        yield model
        if model.status == "fail":
            return
        answered = False
        async for finding in self._check_answer():
            answered = answered or (finding.check == "answer" and finding.status != "fail")
            yield finding
        if answered:
            yield await self._check_tools()
        if self._other and (answered or self._lacks_api):
            yield await self._check_api(*self._other)

    def _check_model(self, offered: list[str] | None) -> Finding:
        if self._model is None and offered is not None and len(offered) == 1:
            self._model = offered[0]
            return Finding(
                "model",
                "pass",
                f"none is set; using {self._model}, the only model that the server offers",
            )
        if self._model is None:
            advice = f"{_NAME_MODEL[:1].upper()}{_NAME_MODEL[1:]}"
            return Finding("model", "fail", "none is set", advice)
        if not offered:
            return Finding("model", "unknown", f"{self._model}; the server lists no models")
        if self._model in offered:
            return Finding("model", "pass", f"{self._model} is in the server's list")
        words = f"{self._model} is not in the server's list; the next check tries it anyway"
        return Finding("model", "unknown", words)

    async def _check_answer(self) -> AsyncIterator[Finding]:
        try:
            answer = await self._ask(_QUESTION)
        except TimeoutError:
            yield self._timed_out("answer")
            return
        except ProviderError as error:
            self._lacks_api = isinstance(error, MissingRouteError)
            # The check of the other API knows more.
            advice = "" if self._lacks_api and self._other else error.advice
            yield Finding("answer", "fail", error.what, advice)
            return
        self._seen = answer
        for notice in answer.refused:
            yield Finding("request", "note", notice)
        for notice in answer.notices:
            yield Finding("notice", "note", notice)
        found = judge_answer(answer)
        yield found
        if found.status == "fail" and not answer.pieces:
            return
        yield judge_stream(answer)
        yield judge_usage(answer)
        if reasoning := judge_reasoning(answer):
            yield reasoning

    async def _check_tools(self) -> Finding:
        try:
            answer = await self._ask(_SUM, *TOOLS)
        except TimeoutError:
            return self._timed_out("tools")
        except ProviderError as error:
            return Finding("tools", "fail", error.what, f"{OTHER_MODEL} {ONLY_CHAT}")
        self._seen = answer
        return judge_tools(answer)

    async def _check_api(self, choice: ApiChoice, other: Asker) -> Finding:
        """Ask the last question over the other API, if the server has it."""
        answers = self._seen is not None
        try:
            theirs = await self._ask(_SUM, *TOOLS, asker=other)
        except TimeoutError:
            why = f"no complete answer within {other.seconds:g} s"
            return judge_no_answer(choice, why, answers=answers)
        except MissingRouteError:
            return judge_only_api(choice, answers=answers)
        except ProviderError as error:
            return judge_no_answer(choice, error.what, answers=answers)
        return judge_apis(choice, self._seen, theirs)

    async def _ask(
        self, question: str, *tools: dict[str, Any], asker: Asker | None = None
    ) -> Answer:
        model, origin = self._model or "", self._model_origin
        return await (asker or self._asker).ask(model, question, *tools, model_origin=origin)

    def _timed_out(self, check: str) -> Finding:
        words = f"no complete answer within {self._asker.seconds:g} s"
        advice = "Is the server still loading the model? Try again, or raise --timeout."
        return Finding(check, "fail", words, advice)


def _not_checked(check: str) -> Finding:
    return Finding(check, "unknown", "not checked, because a check above failed")
