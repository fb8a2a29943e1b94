"""One engine for every mouth: settings, providers and tools, and a turn made of them."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import Any

from msgbook.accounting import estimate, warn_of_length
from msgbook.cells import HISTORY_VALUES, IsMagic, Prompt, any_magic, metadata_of, parse_prompt
from msgbook.config import DEMO_MODEL, Settings, redact, redact_json
from msgbook.errors import ConfigError, MsgbookError, ProviderError
from msgbook.events import Notice, TurnFinished
from msgbook.history import CONTINUE_WORDS, broke_off, build_history, is_continue
from msgbook.messages import Message, request_hash, user
from msgbook.output.record import TurnRecord
from msgbook.provider.base import Provider, Request
from msgbook.provider.retry import RetryingProvider
from msgbook.text import whole
from msgbook.tools.approval import Ask
from msgbook.tools.approvals import Approvals
from msgbook.tools.base import ToolSet
from msgbook.tools.file_tools import FileTools, find_ripgrep
from msgbook.tools.functions import Namespace, python_tool
from msgbook.tools.results import Results
from msgbook.tools.shell import shell_tool
from msgbook.transcript import Transcript, model_above
from msgbook.turn import LIMIT_KEYS, Limits, run_turn

AGENT = "assistant"

SYSTEM_PROMPT = (
    "You are a helpful assistant in a Jupyter notebook. Each user message is a cell of the "
    "notebook, and your answer appears below it, rendered as Markdown with code and LaTeX."
)


_PROMPT_ATTRIBUTES = {"model", "history", *LIMIT_KEYS}

_NO_PAGE = (
    "No open page showed this cell, so the request was made of the turns of this session. "
    "What else stands in the notebook was not sent."
)

_WHOLE = "%continue: no answer above broke off. Write what you want to know instead."


class EmptyMessageError(MsgbookError):
    """There is nothing to send."""


class NothingToContinueError(MsgbookError):
    """There is no answer above that broke off."""


class Engine:
    """Runs turns with one set of settings.

    Args:
        folder: The notebook's folder.
        private: Folders in which tools read nothing without asking.
        approvals: What is allowed; by default what the settings alone allow.
        namespace: The notebook's Python, where there is one.
        problem: Why the settings could not be read; each turn ends with it then.
        sleep: Waits some seconds before a server is asked again.

    Attributes:
        tools: What the models can call; may be added to between turns.
    """

    def __init__(
        self,
        settings: Settings,
        folder: Path,
        *,
        private: tuple[Path, ...] = (),
        approvals: Approvals | None = None,
        namespace: Namespace | None = None,
        problem: ConfigError | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.settings = settings
        self._problem = problem
        self.approvals = approvals or Approvals(settings.approval, folder)
        limits = Limits(**settings.limits)  # type: ignore[arg-type]  # whole where need be
        self._limits, refusals = limits.narrowed(settings.project_limits)
        self._warnings = [*settings.warnings, *(f"The project: {words}" for words in refusals)]
        self._sleep = sleep
        self._provider: Provider | None = None
        self._demo: Provider | None = None
        self._results = Results(folder)
        self._files = FileTools(folder, private, ripgrep=find_ripgrep())
        self.tools = ToolSet(self._files.tools)
        self.tools.add(shell_tool(folder, settings.secrets))
        self.namespace = namespace
        if namespace is not None:
            self.tools.add(python_tool(namespace))
        self._said: set[str] = set()

    def new_record(self) -> TurnRecord:
        """The record of a turn that begins now."""
        started = datetime.now(UTC).isoformat(timespec="seconds")
        head = {"agent": AGENT, "started": started.replace("+00:00", "Z")}
        return TurnRecord(head, lambda: token_hex(4))

    async def run(
        self,
        source: str,
        transcript: Transcript,
        record: TurnRecord,
        is_magic: IsMagic = any_magic,
        ask: Ask | None = None,
    ) -> AsyncIterator[None]:
        """Answer one prompt cell, yielding after each change of `record`.

        Errors that a person can mend end the turn, and the record with it; they are not raised.

        Args:
            source: Of the cell, as written.
            ask: Asks a person about calls that are not free; None where nobody can be asked.
        """
        prompt = Prompt(CONTINUE_WORDS) if is_continue(source) else parse_prompt(source)
        history = build_history(
            transcript.earlier, system_prompt=SYSTEM_PROMPT, agent=AGENT, is_magic=is_magic
        )
        secrets = self.settings.secrets
        messages = redact_json([*history.messages, user(prompt.text)], secrets)
        context = {"source": transcript.source, "cells": history.cells}
        record.set_head(context=context)
        limits, refusals = self._limits.narrowed(prompt.attributes)
        warnings = [Notice(f"%%msg: {words}", "warning") for words in refusals]
        for notice in self._notices(transcript, prompt) + warnings:
            record.apply(notice, time.monotonic())
        wanted = prompt.attributes.get("model") or _cell_model(transcript)
        try:
            if not prompt.text.strip():
                raise EmptyMessageError("The message is empty: write something into the cell.")
            if is_continue(source) and not broke_off(transcript.earlier):
                raise NothingToContinueError(_WHOLE)
            model = await self.model(wanted or model_above(transcript.earlier))
        except MsgbookError as error:
            name = error.name if isinstance(error, ProviderError) else type(error).__name__
            self.finish(record, TurnFinished("error", None, name, str(error)))
            yield
            return
        provider = self.provider_of(model)
        record.set_head(
            model=model,
            provider=provider.name,
            context={**context, "request_hash": request_hash(messages)},
        )
        self._warn_of_length(messages, transcript, record, is_magic)
        yield
        async for _ in run_turn(
            Request(model, messages, redact_json(self.tools.schemas, secrets)),
            record,
            provider=provider,
            tools=self.tools,
            approve=lambda question: self.approvals.decide(question, ask),
            redact=lambda text: redact(whole(text), secrets),
            bound=self._results.capped,
            clock=time.monotonic,
            limits=limits,
        ):
            yield

    def finish(self, record: TurnRecord, end: TurnFinished) -> None:
        """End a turn from outside: an interrupt, or a fault of ours."""
        record.apply(end, time.monotonic())

    async def model(self, wanted: str | None = None) -> str:
        """The model that answers: the wanted one, else the user's, else the server's only one.

        Raises:
            ConfigError: No model is set, and the server offers several; or there are no settings.
            ProviderError: The server cannot be asked.
        """
        if self._problem is not None:
            raise self._problem
        if self.settings.provider is None:
            return DEMO_MODEL
        model = wanted or self.settings.model
        if model:
            return model
        offered = await self.offered_models()
        if len(offered) == 1:
            return offered[0]
        some = ", ".join(offered[:8]) + (", ..." if len(offered) > 8 else "")
        raise ConfigError(
            "No model is chosen. Set MSGBOOK_MODEL, or run %model NAME in a cell above"
            + (f"; the server offers {some}." if offered else "; the server lists none.")
        )

    async def offered_models(self) -> list[str]:
        """Ids of the models that the server offers.

        Raises:
            ConfigError: The settings could not be read.
            ProviderError: The server cannot be asked.
        """
        if self._problem is not None:
            raise self._problem
        return await self.provider_of("").models()

    def provider_of(self, model: str) -> Provider:
        """Who answers for a model; connections are kept for later turns."""
        configured = self.settings.provider
        if self._provider is None and configured is not None and model != DEMO_MODEL:
            from msgbook.provider.openai_chat import OpenAIProvider

            server = OpenAIProvider(configured, secrets=self.settings.secrets)
            self._provider = RetryingProvider(server, sleep=self._sleep, random=random.random)
        if self._provider is not None and model != DEMO_MODEL:
            return self._provider
        if self._demo is None:
            from msgbook.provider.demo import demo_provider

            self._demo = demo_provider()
        return self._demo

    async def close(self) -> None:
        """Close the connections, and end the processes of the file tools."""
        await self._files.close()
        for provider in (self._provider, self._demo):
            if provider is not None:
                await provider.close()

    def _warn_of_length(
        self,
        messages: list[Message],
        transcript: Transcript,
        record: TurnRecord,
        is_magic: IsMagic,
    ) -> None:
        tokens = estimate(messages, self.tools.schemas)
        limit = self.settings.warn_tokens
        if words := warn_of_length(tokens, limit, transcript.earlier, is_magic):
            record.apply(Notice(words, "warning"), time.monotonic())

    def _notices(self, transcript: Transcript, prompt: Prompt) -> list[Notice]:
        """What the user should know: warnings once, a policy that allows all in every turn."""
        warnings = [*self._warnings, *self.approvals.problems()]
        notices = [Notice(text, "warning") for text in warnings if text not in self._said]
        self._said.update(warnings)
        if self.settings.approval == "allow":
            notices.append(Notice("MSGBOOK_APPROVAL=allow: tools run without asking.", "warning"))
        if transcript.unanswered:
            notices.append(Notice(_NO_PAGE, "warning"))
        unknown = sorted(prompt.attributes.keys() - _PROMPT_ATTRIBUTES)
        if unknown:
            words = f"%%msg: {', '.join(unknown)} means nothing here and is ignored."
            notices.append(Notice(words, "warning"))
        history = prompt.attributes.get("history", "include")
        if history.lower() not in HISTORY_VALUES:
            words = f"%%msg: history={history} means nothing; it is taken as include."
            notices.append(Notice(words, "warning"))
        return notices


def _cell_model(transcript: Transcript) -> str | None:
    ours: Any = metadata_of(transcript.current) if transcript.current else {}
    model = ours.get("model")
    return model if isinstance(model, str) and model else None
