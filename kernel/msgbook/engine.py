"""One engine for every mouth: settings, providers and tools, and a turn made of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex

from msgbook.approval.approver import Approvals
from msgbook.approval.question import Ask
from msgbook.config import Settings, redact, redact_json
from msgbook.errors import ConfigError, MsgbookError, ProviderError
from msgbook.events import Notice, TurnFinished
from msgbook.notebook.cells import IsMagic, Prompt, any_magic
from msgbook.notebook.transcript import Transcript
from msgbook.provider.base import Request
from msgbook.provider.servers import Servers
from msgbook.request import (
    UNKNOWN_MODEL,
    ActiveAgents,
    Conversation,
    PreparedRequest,
    PreviewServices,
    TurnServices,
    oddities,
    overflow,
    prompt_of,
    require_room,
    require_sendable,
)
from msgbook.request.history.prefix import Sent
from msgbook.text import repair_surrogates
from msgbook.tools.base import ToolSet
from msgbook.tools.file_tools import FileTools, find_ripgrep
from msgbook.tools.functions import Namespace, python_tool
from msgbook.tools.results import Results
from msgbook.tools.shell import shell_tool
from msgbook.turn import Limits, run_turn
from msgbook.turn.following import followed
from msgbook.turn.record import TurnRecord
from msgbook_format.agents.definitions import DEFAULT_AGENT


@dataclass(frozen=True, slots=True)
class Preview:
    """A request that has not been sent."""

    prepared: PreparedRequest
    body: Request
    """With what its server is known to refuse left out."""
    notices: tuple[str, ...]
    """What the turn would say before it is sent."""

    @property
    def model(self) -> str | None:
        """None where the server would have to be asked for its models."""
        return None if self.body.model == UNKNOWN_MODEL else self.body.model


class Engine:
    """Runs turns of one conversation with one set of settings.

    Args:
        folder: The notebook's folder.
        private: Paths that tools neither read nor change without asking.
        approvals: What is allowed; by default what the settings alone allow.
        namespace: The notebook's Python, where there is one.
        problem: Why the settings could not be read; each turn ends with it then.
        sleep: Waits some seconds before a server is asked again.
        is_magic: Which magics run as code.
        home: Where the user's own skills are; None for none.

    Attributes:
        servers: Who answers.
        tools: What the models can call; may be added to between turns.
        conversation: What has been read and sent.
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
        is_magic: IsMagic = any_magic,
        home: Path | None = None,
    ) -> None:
        self.settings = settings
        self.servers = Servers(settings, problem=problem, sleep=sleep)
        self.approvals = approvals or Approvals(settings.approval, folder)
        limits = Limits(**settings.limits)  # type: ignore[arg-type]  # whole where need be
        limits, refusals = limits.narrowed(settings.project_limits)
        self._warnings = [*settings.warnings, *(f"The project: {words}" for words in refusals)]
        self._results = Results(folder)
        self._files = FileTools(folder, private, ripgrep=find_ripgrep())
        self.tools = ToolSet(self._files.tools)
        self.tools.add(shell_tool(folder, settings.secrets))
        self.namespace = namespace
        if namespace is not None:
            self.tools.add(python_tool(namespace))
        self.conversation = Conversation(
            folder,
            ActiveAgents(settings, self.servers, limits, self.tools, self._files, folder),
            self._results,
            is_magic=is_magic,
            secrets=settings.secrets,
            private=private,
            home=home,
        )
        self._said: set[str] = set()

    def new_record(self) -> TurnRecord:
        """The record of a turn that begins now."""
        started = datetime.now(UTC).isoformat(timespec="seconds")
        head = {"agent": DEFAULT_AGENT, "started": started.replace("+00:00", "Z")}
        return TurnRecord(head, lambda: token_hex(4))

    async def run(
        self, source: str, transcript: Transcript, record: TurnRecord, ask: Ask | None = None
    ) -> AsyncGenerator[None]:
        """Answer one prompt cell, yielding after each change of `record`.

        Errors that a person can mend end the turn, and the record with it; they are not raised.

        Args:
            source: Of the cell, as written.
            ask: Asks a person about calls that are not free; None where nobody can be asked.
        """
        prompt = prompt_of(source)
        record.set_head(context={"source": transcript.source})
        for notice in self._notices(source, transcript, prompt):
            record.apply(notice, time.monotonic())
        news = asyncio.Event()
        means = self._means(record, news.set, ask)
        preparing = asyncio.ensure_future(self._prepare(source, prompt, transcript, means))
        try:
            async with aclosing(followed(preparing, news)) as happenings:
                async for _ in happenings:
                    yield
            prepared = preparing.result()
        except MsgbookError as error:
            name = error.name if isinstance(error, ProviderError) else type(error).__name__
            self.finish(record, TurnFinished("error", None, name, str(error)))
            yield
            return
        yield
        answerer = prepared.answerer
        turn = run_turn(
            self.body(prepared),
            record,
            provider=answerer.provider,
            tools=answerer.tools,
            approve=means.approve,
            redact=self._redact,
            bound=self._results.capped,
            clock=time.monotonic,
            limits=answerer.limits,
        )
        async with aclosing(turn) as happenings:
            async for _ in happenings:
                yield

    async def preview(self, source: str, transcript: Transcript) -> Preview:
        """The request of a prompt cell, without asking or running anything.

        What would have to run stands as `{"pending": ...}`.

        Raises:
            MsgbookError: There would be no request; the message says why.
        """
        prompt = prompt_of(source)
        require_sendable(source, prompt, transcript)
        means = PreviewServices(
            lambda question: self.approvals.decide(question, None), self.servers.known_model
        )
        prepared = await self.conversation.prepare(source, prompt, transcript, means)
        answerer = prepared.answerer
        too_long = overflow(prepared, transcript.earlier, answerer.tools.schemas)
        return Preview(
            prepared,
            self.servers.adapted(self.body(prepared), answerer.agent.provider),
            (
                *oddities(source, prompt, transcript.current),
                *means.notices,
                *([too_long] if too_long else []),
            ),
        )

    def body(self, prepared: PreparedRequest) -> Request:
        """What is sent, but for what the provider adds."""
        answerer = prepared.answerer
        return Request(
            answerer.model,
            prepared.request.messages,
            redact_json(answerer.tools.schemas, self.settings.secrets),
            answerer.options,
        )

    def finish(self, record: TurnRecord, end: TurnFinished) -> None:
        """End a turn from outside: an interrupt, or a fault of ours."""
        record.apply(end, time.monotonic())

    async def close(self) -> None:
        """Close the connections, and end the processes of the file tools."""
        await self._files.close()
        await self.servers.close()

    def _means(
        self, record: TurnRecord, changed: Callable[[], None], ask: Ask | None
    ) -> TurnServices:
        return TurnServices(
            record,
            self._said,
            changed,
            choose_model=self.servers.model,
            approve=lambda question: self.approvals.decide(question, ask),
            describe=self.namespace.describe if self.namespace is not None else None,
            redact=self._redact,
            bound=self._results.capped,
        )

    async def _prepare(
        self, source: str, prompt: Prompt, transcript: Transcript, means: TurnServices
    ) -> PreparedRequest:
        """The request of a turn, with what it is made of recorded and kept."""
        require_sendable(source, prompt, transcript)
        prepared = await self.conversation.prepare(source, prompt, transcript, means)
        answerer = prepared.answerer
        means.record.set_head(
            agent=answerer.agent.name, model=answerer.model, provider=answerer.provider.name
        )
        require_room(prepared, transcript.earlier, means.say)
        means.record.set_head(context=prepared.context)
        for why in await asyncio.to_thread(self.conversation.blobs.write, prepared.digests):
            means.say(f"What this prompt brought cannot be kept for later requests: {why}.")
        self._remember(prepared, transcript)
        return prepared

    def _redact(self, text: str) -> str:
        return redact(repair_surrogates(text), self.settings.secrets)

    def _remember(self, prepared: PreparedRequest, transcript: Transcript) -> None:
        """Keep what is sent, for `%cache`."""
        running = transcript.current or {}
        sent = Sent(
            prepared.request,
            [*transcript.earlier, running],
            prepared.answerer.model,
            prepared.answerer.agent.name,
            prepared.answerer.tools.schemas,
        )
        self.conversation.sent.append(sent)

    def _notices(self, source: str, transcript: Transcript, prompt: Prompt) -> list[Notice]:
        """What the user should know: warnings once, a policy that allows all in every turn."""
        warnings = [*self._warnings, *self.approvals.problems()]
        notices = [Notice(text, "warning") for text in warnings if text not in self._said]
        self._said.update(warnings)
        if self.settings.approval == "allow":
            notices.append(Notice("MSGBOOK_APPROVAL=allow: tools run without asking.", "warning"))
        if transcript.note:
            notices.append(Notice(transcript.note, "warning"))
        odd = oddities(source, prompt, transcript.current)
        return notices + [Notice(words, "warning") for words in odd]
