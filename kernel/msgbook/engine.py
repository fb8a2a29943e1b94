"""One engine for every mouth: settings, providers and tools, and a turn made of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import Any

from msgbook.accounting import estimate, warn_of_length
from msgbook.cells import HISTORY_VALUES, IsMagic, Prompt, any_magic, metadata_of, parse_prompt
from msgbook.config import Settings, redact, redact_json
from msgbook.errors import ConfigError, MsgbookError, ProviderError
from msgbook.events import Notice, TurnFinished
from msgbook.history import CONTINUE_MAGIC, CONTINUE_WORDS, broke_off, build_history, is_continue
from msgbook.messages import Message, request_hash, user
from msgbook.output.record import TurnRecord
from msgbook.provider.base import Request
from msgbook.provider.servers import Servers
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

_ALONE = "%continue stands alone in its cell; write what is to be said into the next one."

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
        servers: Who answers.
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
        self.servers = Servers(settings, problem=problem, sleep=sleep)
        self.approvals = approvals or Approvals(settings.approval, folder)
        limits = Limits(**settings.limits)  # type: ignore[arg-type]  # whole where need be
        self._limits, refusals = limits.narrowed(settings.project_limits)
        self._warnings = [*settings.warnings, *(f"The project: {words}" for words in refusals)]
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
    ) -> AsyncGenerator[None]:
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
            if source.split(maxsplit=1)[0] == CONTINUE_MAGIC and not is_continue(source):
                raise NothingToContinueError(_ALONE)
            if is_continue(source) and not broke_off(transcript.earlier):
                raise NothingToContinueError(_WHOLE)
            model = await self.servers.model(wanted or model_above(transcript.earlier))
        except MsgbookError as error:
            name = error.name if isinstance(error, ProviderError) else type(error).__name__
            self.finish(record, TurnFinished("error", None, name, str(error)))
            yield
            return
        provider = self.servers.provider_of(model)
        record.set_head(
            model=model,
            provider=provider.name,
            context={**context, "request_hash": request_hash(messages)},
        )
        self._warn_of_length(messages, transcript, record, is_magic, limits)
        yield
        turn = run_turn(
            Request(model, messages, redact_json(self.tools.schemas, secrets)),
            record,
            provider=provider,
            tools=self.tools,
            approve=lambda question: self.approvals.decide(question, ask),
            redact=lambda text: redact(whole(text), secrets),
            bound=self._results.capped,
            clock=time.monotonic,
            limits=limits,
        )
        async with aclosing(turn) as happenings:
            async for _ in happenings:
                yield

    def finish(self, record: TurnRecord, end: TurnFinished) -> None:
        """End a turn from outside: an interrupt, or a fault of ours."""
        record.apply(end, time.monotonic())

    async def close(self) -> None:
        """Close the connections, and end the processes of the file tools."""
        await self._files.close()
        await self.servers.close()

    def _warn_of_length(
        self,
        messages: list[Message],
        transcript: Transcript,
        record: TurnRecord,
        is_magic: IsMagic,
        limits: Limits,
    ) -> None:
        tokens = estimate(messages, self.tools.schemas)
        if words := warn_of_length(tokens, limits.warn_tokens, transcript.earlier, is_magic):
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
