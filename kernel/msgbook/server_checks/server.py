"""Checks of the model's server: answers, streaming, usage, tool calls and the other API.

They use the same provider code as turns, so a check that passes here also works there.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Any

from msgbook.config import ProviderSettings, Settings, other_api
from msgbook.errors import (
    RESTART,
    ConfigError,
    NoModelListError,
    ProviderError,
    UnusableSettingError,
)
from msgbook.messages import API_TITLES, ApiName
from msgbook.provider import MissingRouteError, server_class
from msgbook.server_checks.answer import (
    ONLY_CHAT,
    OTHER_MODEL,
    TOOLS,
    Answer,
    Finding,
    judge_answer,
    judge_reasoning,
    judge_stream,
    judge_tools,
    judge_usage,
)
from msgbook.server_checks.asking import Asker, new_asker
from msgbook.text import join_first

CHECKS = ("server", "model", "answer", "stream", "usage", "tools")
"""Checks of every server in their order; `api` follows them where there is another one to ask."""

_QUESTION = "Write the numbers from 1 to 12, separated by spaces, and nothing else."
_SUM = "Use the tool to add 2 and 3."
_NAME_MODEL = "set MSGBOOK_MODEL or model in msgbook.toml, or name a model with --model."
_SHOWN_MODELS = 8
"""Models that a finding lists; gateways have hundreds."""


class ServerChecks:
    """Checks one server with one model.

    Args:
        asker: Asks the server.
        model: Configured model; None for the server's only model.
        model_origin: Describes what sets the model.
        other: The API in force, and what asks over the other one; None for a plug-in's server.
        is_unsaved: True for a form's fields: there advice names no setting and no option.
    """

    def __init__(
        self,
        asker: Asker,
        model: str | None,
        *,
        model_origin: str = "",
        other: tuple[ApiChoice, Asker] | None = None,
        is_unsaved: bool = False,
    ) -> None:
        self._asker = asker
        self._model = model
        self._model_origin = model_origin
        self._other = other
        self._name_model = "enter a model." if is_unsaved else _NAME_MODEL
        self._wait = "Try again." if is_unsaved else "Try again, or raise --timeout."
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
                    "server", "fail", words, f"{error.advice} If it is right, {self._name_model}"
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
            advice = f"{self._name_model[:1].upper()}{self._name_model[1:]}"
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
        advice = f"Is the server still loading the model? {self._wait}"
        return Finding(check, "fail", words, advice)


def _not_checked(check: str) -> Finding:
    return Finding(check, "unknown", "not checked, because a check above failed")


# The check of the API: whether the server has the other one, and which of the two shows more. Pure.


_CALLS, _REASONING, _USAGE, _ENCRYPTED = "tool calls", "reasoning", "usage", "encrypted reasoning"
_RANKS = (_CALLS, _REASONING, _USAGE, _ENCRYPTED)
"""What an answer can show, the most important first."""
_REASONS = (_CALLS, _REASONING, _USAGE)
"""What is a reason to change the API. Encrypted reasoning alone is none: nobody can read it."""


@dataclass(frozen=True, slots=True)
class ApiChoice:
    """The API in force, and where the other one would be set."""

    api: ApiName
    other: ApiName
    """The API that is not in force."""
    provider: str
    """Name of the provider."""
    file: str = "msgbook.toml"
    """Name of the configuration file, or its path if it has to be created."""
    is_unsaved: bool = False
    """True for a form's fields, which are in no file yet."""

    @property
    def advice(self) -> str:
        """The line that sets the other API."""
        to_use = f"To use the {API_TITLES[self.other]},"
        setting = f'set api = "{self.other}" in [providers.{self.provider}] of {self.file}'
        if self.is_unsaved:
            return f"{to_use} save, and then {setting}."
        return f"{to_use} {setting}, and {RESTART}."


def judge_apis(choice: ApiChoice, ours: Answer | None, theirs: Answer) -> Finding:
    """Judge which API shows more of the answer to the same question.

    Args:
        ours: The answer over the API in force; None if the server does not have it.
        theirs: The answer over the other one.
    """
    if ours is None:
        words = f"the server has only the {API_TITLES[choice.other]}"
        return Finding("api", "fail", words, choice.advice)
    shown, other = _shown(ours), _shown(theirs)
    if shown == other:
        ours_title, title = API_TITLES[choice.api], API_TITLES[choice.other]
        words = f"using the {ours_title}; the {title} returns the same: {_listed(shown)}"
        return Finding("api", "pass", words)
    words = f"{choice.api} returns {_listed(shown)}; {choice.other} returns {_listed(other)}"
    if ours.is_cut or theirs.is_cut:
        return Finding("api", "unknown", f"{words}; this check's token limit cut off an answer")
    if _rank(other) <= _rank(shown):
        return Finding("api", "pass", words)
    return Finding("api", "note", words, choice.advice)


def judge_only_api(choice: ApiChoice, *, answers: bool) -> Finding:
    """Describe a server that does not have the other API.

    Args:
        answers: Whether it answers over the API in force.
    """
    if answers:
        return Finding(
            "api",
            "pass",
            f"using the {API_TITLES[choice.api]}; the server has no {API_TITLES[choice.other]}",
        )
    one, other = (API_TITLES[name] for name in API_TITLES if name in (choice.api, choice.other))
    words = f"the server has neither the {one} nor the {other} at this URL"
    return Finding("api", "fail", words, "Is the base URL right (it usually ends in /v1)?")


def judge_no_answer(choice: ApiChoice, why: str, *, answers: bool) -> Finding:
    """Describe a server that did not answer over the other API, for another reason.

    Args:
        why: What happened.
        answers: Whether it answers over the API in force.
    """
    begins = f"using the {API_TITLES[choice.api]}; " if answers else ""
    return Finding("api", "unknown", f"{begins}over the {API_TITLES[choice.other]}: {why}")


def _shown(answer: Answer) -> list[str]:
    """Return what an answer shows, the most important first."""
    if answer.end is None or not answer.end.ended:
        return []
    seen = {
        _CALLS: answer.has_valid_call,
        _REASONING: answer.has_reasoning,
        _USAGE: bool(answer.end.usage),
        _ENCRYPTED: answer.has_encrypted_reasoning,
    }
    return [name for name in _RANKS if seen[name]]


def _rank(shown: list[str]) -> tuple[bool, ...]:
    return tuple(name in shown for name in _REASONS)


def _listed(shown: list[str]) -> str:
    return ", ".join(shown) or "none of " + ", ".join(_RANKS)


# All checks of one server with its connections, and its list of models.


async def check_server(
    settings: Settings,
    server: ProviderSettings,
    usage: dict[str, int],
    *,
    seconds: float,
    file: str,
) -> AsyncIterator[Finding]:
    """Yield the findings about a server and the model of the settings.

    Args:
        usage: Tokens of all requests, by name; it is added to.
        seconds: Limit for one request.
        file: Configuration file that advice names.
    """
    other_one = other_api(server.api, server.base_url)
    choice = ApiChoice(server.api, other_one, server.name, file, server.is_unsaved)
    async with AsyncExitStack() as closing:

        def asker(api: ApiName) -> Asker:
            new = new_asker(replace(server, api=api), settings, seconds=seconds, usage=usage)
            closing.push_async_callback(new.close)
            return new

        try:
            ours = asker(choice.api)
        except ConfigError as error:
            yield Finding("server", "fail", str(error))
            return
        other = None if server.plugin else (choice, asker(choice.other))
        origin = settings.model_origin
        checks = ServerChecks(
            ours,
            settings.model,
            model_origin=origin,
            other=other,
            is_unsaved=server.is_unsaved,
        )
        async for finding in checks.run():
            yield finding


async def list_models(server: ProviderSettings, *, seconds: float) -> list[str]:
    """Return the models of a server that need not be in the settings.

    Raises:
        ProviderError: The server does not list them.
        TimeoutError: It took too long.
    """
    provider = server_class(server)(server, secrets=(server.api_key,) if server.api_key else ())
    try:
        async with asyncio.timeout(seconds):
            return await provider.models()
    finally:
        await provider.close()
