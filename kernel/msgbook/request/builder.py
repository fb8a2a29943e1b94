"""Requests of one conversation: a prompt, its context and the cells above it become messages, to be sent or only shown.

A request is made in stages. One that has nothing to do for this prompt is not entered, and its modules are imported
by the first request that needs them.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgbook.agents import Agent, ProjectFiles, read_project
from msgbook.approval import Roots, followed_project
from msgbook.config import may_contain, redact, redact_json
from msgbook.messages import Message
from msgbook.notebook import (
    Cell,
    Prompt,
    Transcript,
    may_define,
    may_record,
    metadata_of,
    once,
    source_of,
)
from msgbook.provider import Request
from msgbook.request.active_agent import ActiveAgent, AgentChooser
from msgbook.request.blobs import Blobs
from msgbook.request.history import (
    ABOVE,
    CONTEXT_KEYS,
    History,
    Reader,
    SentRequest,
    known_summaries,
    with_late_contexts,
)
from msgbook.request.prompt_checks import list_left_out
from msgbook.request.records import (
    RecordedContext,
    check_recorded_texts,
    files_by_key,
    list_recorded_texts,
)
from msgbook.request.services import UNKNOWN_MODEL, RequestServices, Summaries, warn_once
from msgbook.request.token_estimates import MessageTokens
from msgbook.text import repair_surrogates
from msgbook.tools import Results
from msgbook_format.syntax import CellRule
from msgbook_format.typed import as_list

if TYPE_CHECKING:
    from msgbook.request.above import PromptsAbove
    from msgbook.request.context.context_builder import ContextBuilder
    from msgbook.request.reference_sources import ReadsAbove


@dataclass(frozen=True, slots=True)
class PreparedRequest:
    """A request that is ready to be sent."""

    active_agent: ActiveAgent
    request: History
    context: dict[str, Any]
    """The turn's `context`, as it is recorded."""

    digests: Set[str]
    """Digests of the texts to keep, so that the request can be built again."""
    reasoned: Callable[[], list[Message]] | None = None
    """Returns the request's messages with the reasoning of earlier turns; None if they have it."""


class RequestBuilder:
    """Builds the requests of one notebook.

    Args:
        folder: The notebook's folder.
        home: The folder of the user's own skills; None for none.
        private: Folders in which reading always needs approval.
        secrets: Texts that must neither be sent nor kept.

    Attributes:
        blobs: Texts that earlier turns sent.
        sent: The first requests of the last two turns of this session.
        tokens: Estimates for the messages of the last request.
    """

    def __init__(
        self,
        folder: Path,
        agent_chooser: AgentChooser,
        results: Results,
        *,
        cell_rule: CellRule,
        secrets: Sequence[str],
        private: Sequence[Path] = (),
        home: Path | None = None,
    ) -> None:
        self.agent_chooser = agent_chooser
        self.cell_rule = cell_rule
        self.blobs = Blobs(results)
        self.sent: deque[SentRequest] = deque(maxlen=2)
        self.tokens = MessageTokens()
        self.reader = Reader(
            cell_rule=cell_rule,
            replay=self._replay,
            redact=partial(redact_json, secrets=secrets) if secrets else None,
            may_contain=partial(may_contain, secrets=tuple(secrets)),
        )
        self._folder = folder
        self._home = home
        self._secrets = secrets
        self._roots = partial(Roots, folder, private, results.blobs)

    async def read_project(self) -> ProjectFiles:
        """Read the project's agents, rules and skills as they are now."""
        return await asyncio.to_thread(
            read_project, followed_project(self._folder), self._folder, self._home
        )

    async def prepare(
        self, source: str, prompt: Prompt, transcript: Transcript, services: RequestServices
    ) -> PreparedRequest:
        """Prepare the request of a prompt.

        Args:
            source: Source of its cell.
            prompt: The prompt in the source; not empty.

        Raises:
            MsgbookError: There is no such agent or no model, the server cannot be asked for its
                models, or the context of the prompts above is too large.
        """
        project = await self.read_project()
        active_agent = await self.agent_chooser.choose(
            prompt, transcript, project, services.choose_model, services.ready_servers
        )
        services.check_agent(active_agent)
        for warning in (*project.notices, *active_agent.notices):
            services.warn(warning)
        warn_once(services, list_left_out(transcript.earlier, self._redact_text))
        contexts: list[RecordedContext] = []
        late: dict[str, dict[str, Any]] = {}
        reads = None
        if _may_bring(transcript.earlier):
            reads = self._reads_above(transcript, active_agent.allowed)
            transcript, contexts, late = await self._prompts_above.complete(
                transcript, active_agent.agent, project.rules, reads, services
            )
        above = [recorded for _, recorded in contexts]
        own: dict[str, Any] = {}
        if above or _may_have_context(prompt.text, transcript, active_agent.agent, project):
            own = await self._make_context(
                prompt, transcript, active_agent, project, above, services
            )
        check_recorded_texts(above, self.blobs.length)
        history, summaries = await self._read_history(transcript, active_agent, services)
        context = {
            "source": transcript.source,
            "cells": history.cells,
            **own,
            **({"summaries": summaries} if summaries else {}),
            **({"mcp": active_agent.mcp} if active_agent.mcp else {}),
            **({ABOVE: late} if late else {}),
        }
        if reads is not None:
            await self._prompts_above.report(contexts, files_by_key(context), reads, services)
        message = self.reader.prompt_message(source, context, active_agent.view)
        assert message is not None  # noqa: S101 - the prompt is not empty
        request = history.with_prompt(message, len(transcript.earlier))
        context["request_hash"] = self.reader.request_hash(request)
        digests = {
            digest for texts in (context, *above) for digest, _ in list_recorded_texts(texts)
        }
        reasoned = partial(self._read_reasoned, transcript, active_agent, summaries, message)
        has_it = active_agent.view.reasoning_of is not None
        return PreparedRequest(
            active_agent, request, context, digests, None if has_it else reasoned
        )

    async def restore_texts(self, transcript: Transcript, project: ProjectFiles) -> None:
        """Make missing blobs of the cells above again, as a request would do first."""
        cells = with_late_contexts(transcript.earlier, self.cell_rule)
        reads = self._reads_above(transcript, None)
        await self._prompts_above.restore(cells, project.rules, reads)

    @cached_property
    def _prompts_above(self) -> PromptsAbove:
        from msgbook.request.above import PromptsAbove

        return PromptsAbove(
            self.cell_rule,
            self.blobs,
            self._redact_text,
            partial(redact_json, secrets=self._secrets),
            self.reader.forget,
        )

    def _reads_above(self, transcript: Transcript, allowed: Sequence[Path] | None) -> ReadsAbove:
        from msgbook.request.reference_sources import ReadsAbove

        return ReadsAbove(self._roots(allowed), self.cell_rule, self._redact_text, transcript.path)

    async def _make_context(
        self,
        prompt: Prompt,
        transcript: Transcript,
        active_agent: ActiveAgent,
        project: ProjectFiles,
        above: Sequence[Mapping[str, Any]],
        services: RequestServices,
    ) -> dict[str, Any]:
        """Return what the prompt itself brings, as it is recorded, and keep its texts."""
        found = await self._context_builder(transcript, active_agent, services).build(
            prompt, transcript, agent=active_agent.agent, rules=project.rules, above=above
        )
        for notice in found.notices:
            services.warn(notice.text)
        self.blobs.add(found.blobs, found.session_only)
        context: dict[str, Any] = redact_json(found.context, self._secrets)
        return context

    def _context_builder(
        self, transcript: Transcript, active_agent: ActiveAgent, services: RequestServices
    ) -> ContextBuilder:
        from msgbook.request.context.context_builder import ContextBuilder
        from msgbook.request.context.image_encoding import PixelBudget
        from msgbook.request.reference_sources import ReferenceSources

        sources = ReferenceSources(
            self._roots(active_agent.allowed),
            services.allow_read,
            transcript.earlier,
            self.cell_rule,
            services.describe,
            services.make_tool_runner(active_agent),
            self._redact_text,
            transcript.path,
            as_documents=active_agent.view.documents,
        )
        return ContextBuilder(
            sources, self.cell_rule, self._redact_text, self.blobs.has, PixelBudget()
        )

    def _redact_text(self, text: str) -> str:
        return redact(repair_surrogates(text), self._secrets)

    async def _read_history(
        self, transcript: Transcript, active_agent: ActiveAgent, services: RequestServices
    ) -> tuple[History, Summaries]:
        """Return the messages of the cells above, and the summaries made for them now."""
        known = known_summaries(transcript.earlier)
        history = self.reader.read(transcript.earlier, active_agent.view, known)
        if not history.missing:
            return history, {}
        made = await services.summarize(history.missing, transcript.earlier, active_agent)
        made = redact_json(made, self._secrets)
        known |= _texts_by_source(made)
        return self.reader.read(transcript.earlier, active_agent.view, known), made

    def _read_reasoned(
        self, transcript: Transcript, active_agent: ActiveAgent, made: Summaries, prompt: Message
    ) -> list[Message]:
        """Return the messages of a request with the reasoning that the agent's server sent in earlier turns."""
        view = replace(active_agent.view, reasoning_of=active_agent.provider.name)
        known = {**known_summaries(transcript.earlier), **_texts_by_source(made)}
        history = self.reader.read(transcript.earlier, view, known)
        return history.with_prompt(prompt, len(transcript.earlier)).messages

    def _replay(
        self, text: str, context: Mapping[str, Any], vision: bool
    ) -> str | list[dict[str, Any]]:
        """Return the content of a prompt's message, for this and all later requests."""
        if CONTEXT_KEYS.isdisjoint(context):
            return text
        from msgbook.request.context.content_reference import (
            append_content_reference,
            replay_content_reference,
            with_documents,
        )
        from msgbook.request.context.images import image_content

        images: Any = context.get("images")
        records = as_list(images)
        content = image_content(text, records, self.blobs.load, vision=vision)
        content = with_documents(content, context, self.blobs.load)
        return append_content_reference(content, replay_content_reference(context, self.blobs.load))


_BRINGING = CONTEXT_KEYS | {ABOVE}


def _may_bring(cells: Sequence[Cell]) -> bool:
    # False only if no prompt has a record of what it refers to, or refers to anything.
    return any(map(_cell_may_bring, cells))


@once
def _cell_may_bring(cell: Cell) -> bool:
    return _may_refer(source_of(cell)) or may_record(cell, _BRINGING)


def _may_refer(text: str) -> bool:
    # False only if there are neither references nor images.
    return "@" in text or "![" in text


def _may_have_context(
    text: str, transcript: Transcript, agent: Agent, project: ProjectFiles
) -> bool:
    """Return False only if a prompt has neither references, images, macros nor rules.

    What selects rules counts, too: it may name one that does not exist.
    """
    ours = metadata_of({"metadata": transcript.metadata})
    return (
        _may_refer(text)
        or "#define" in text
        or bool(project.rules)
        or agent.rules is not None
        or "rules" in ours
        or "macros" in ours
        or any(map(may_define, transcript.earlier))
    )


def _texts_by_source(summaries: Summaries) -> dict[str, str]:
    return {summary["source"]: summary["text"] for summary in summaries.values()}


# A request as it would be sent: what a preview shows.


@dataclass(frozen=True, slots=True)
class Preview:
    """A request that has not been sent."""

    source: str
    """Source of the prompt's cell."""
    prepared: PreparedRequest
    body: Request
    """The request without the options that its server is known to refuse."""
    notices: tuple[str, ...]
    """Notices that the turn would show before its first model call."""

    @property
    def model(self) -> str | None:
        """None where the server would have to be asked for its models."""
        return None if self.body.model == UNKNOWN_MODEL else self.body.model
