"""One conversation: what it has read, and how a prompt of it becomes a request."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from msgbook.agents.project_files import ProjectFiles, read_project
from msgbook.approval import Roots, followed_project
from msgbook.config import may_hold, redact, redact_json
from msgbook.notebook.cell_names import title_of
from msgbook.notebook.cells import Cell, IsMagic, Prompt
from msgbook.notebook.transcript import Transcript
from msgbook.request.active_agent import ActiveAgent, AgentChooser
from msgbook.request.blobs import Blobs
from msgbook.request.context.content_reference import (
    append_content_reference,
    replay_content_reference,
)
from msgbook.request.context.context_builder import ContextBuilder
from msgbook.request.context.images import image_content
from msgbook.request.history import BROUGHT, History, Reader, contexts_above, known_summaries
from msgbook.request.history.prefix import Sent
from msgbook.request.reference_sources import ReferenceSources
from msgbook.request.services import RequestServices
from msgbook.request.size import check_recorded_texts
from msgbook.request.summary_calls import Summaries
from msgbook.text import one_line, repair_surrogates
from msgbook.tools import Results

_NAMED = 5
"""Texts of a cell that a notice names."""


@dataclass(frozen=True, slots=True)
class PreparedRequest:
    """A request that could be sent."""

    active_agent: ActiveAgent
    request: History
    context: dict[str, Any]
    """Of the turn, as it is recorded."""

    @property
    def digests(self) -> set[str]:
        """Of the texts that have to be kept, so that the request can be made again."""
        return {digest for digest, _ in _kept(self.context)}


class RequestBuilder:
    """The notebook as a model reads it.

    Args:
        folder: The notebook's.
        home: Where the user's own skills are; None for none.
        private: Folders in which nothing is free to read.
        secrets: What must neither be sent nor kept.

    Attributes:
        blobs: What earlier turns brought, as it was sent.
        sent: The first requests of the last two turns of this session.
    """

    def __init__(
        self,
        folder: Path,
        agent_chooser: AgentChooser,
        results: Results,
        *,
        is_magic: IsMagic,
        secrets: Sequence[str],
        private: Sequence[Path] = (),
        home: Path | None = None,
    ) -> None:
        self.agent_chooser = agent_chooser
        self.is_magic = is_magic
        self.blobs = Blobs(results)
        self.sent: deque[Sent] = deque(maxlen=2)
        self.reader = Reader(
            is_magic=is_magic,
            replay=self._replay,
            redact=partial(redact_json, secrets=secrets),
            may_hold=partial(may_hold, secrets=tuple(secrets)),
        )
        self._folder = folder
        self._home = home
        self._secrets = secrets
        self._roots = partial(Roots, folder, private, results.blobs)

    async def read_project(self) -> ProjectFiles:
        """Agents, rules and skills as they are now."""
        return await asyncio.to_thread(
            read_project, followed_project(self._folder), self._folder, self._home
        )

    async def prepare(
        self, source: str, prompt: Prompt, transcript: Transcript, services: RequestServices
    ) -> PreparedRequest:
        """Make the request of a prompt.

        Args:
            source: Of its cell.
            prompt: What the source says; there is something in it.

        Raises:
            MsgbookError: No such agent, no model, or the server cannot be asked for its models.
        """
        project = await self.read_project()
        active_agent = await self.agent_chooser.choose(
            prompt, transcript, project, services.choose_model
        )
        for words in (*project.notices, *active_agent.notices):
            services.warn(words)
        above = list(contexts_above(transcript.earlier, self.is_magic))
        brought = await self._context_builder(transcript, active_agent, services).build(
            prompt,
            transcript,
            agent=active_agent.agent,
            rules=project.rules,
            above=above,
        )
        for notice in brought.notices:
            services.warn(notice.text)
        self.blobs.add(brought.blobs, brought.allowed)
        check_recorded_texts(above, self.blobs.length)
        history, made = await self._history(transcript, active_agent, services)
        context = {
            "source": transcript.source,
            "cells": history.cells,
            **redact_json(brought.context, self._secrets),
            **({"summaries": made} if made else {}),
        }
        for digests, words in self._gone(transcript.earlier, services.reported):
            services.reported.update(digests)
            services.warn(words)
        message = self.reader.prompt(source, context, active_agent.view)
        assert message is not None  # noqa: S101 - the prompt says something
        request = history.with_prompt(message, len(transcript.earlier))
        context["request_hash"] = self.reader.request_hash(request)
        return PreparedRequest(active_agent, request, context)

    def _context_builder(
        self, transcript: Transcript, active_agent: ActiveAgent, services: RequestServices
    ) -> ContextBuilder:
        def redacted(text: str) -> str:
            return redact(repair_surrogates(text), self._secrets)

        sources = ReferenceSources(
            self._roots(active_agent.allowed),
            services.allow,
            transcript.earlier,
            self.is_magic,
            services.describe,
            services.tool_runner(active_agent),
            redacted,
            transcript.path,
        )
        return ContextBuilder(
            sources,
            self.is_magic,
            redacted,
            self.blobs.has,
        )

    async def _history(
        self, transcript: Transcript, active_agent: ActiveAgent, services: RequestServices
    ) -> tuple[History, Summaries]:
        """The messages of the cells above, and the summaries that were made for it."""
        known = known_summaries(transcript.earlier)
        history = self.reader.read(transcript.earlier, active_agent.view, known)
        if not history.missing:
            return history, {}
        made = await services.summarize(history.missing, transcript.earlier, active_agent)
        made = redact_json(made, self._secrets)
        known |= {summary["source"]: summary["text"] for summary in made.values()}
        return self.reader.read(transcript.earlier, active_agent.view, known), made

    def _gone(self, cells: Sequence[Cell], reported: Set[str]) -> Iterator[tuple[Set[str], str]]:
        """Digests of what a cell above sent once and is gone, and words for the reader."""
        gone = self.blobs.gone - reported
        for cell in cells if gone else ():
            found = {
                digest: name
                for context in contexts_above([cell], self.is_magic)
                for digest, name in _kept(context)
                if digest in gone
            }
            gone -= found.keys()
            if found:
                yield found.keys(), _lost(cell, found)

    def _replay(
        self, text: str, context: Mapping[str, Any], vision: bool
    ) -> str | list[dict[str, Any]]:
        """The content of a prompt's message, now and in all later requests."""
        if BROUGHT.isdisjoint(context):
            return text
        images: Any = context.get("images")
        records = images if isinstance(images, list) else []
        content = image_content(text, records, self.blobs.load, vision=vision)
        return append_content_reference(content, replay_content_reference(context, self.blobs.load))


def _lost(cell: Cell, names: Mapping[str, str]) -> str:
    """What to say of texts that a cell sent and that are gone, by their digests."""
    shown = "; ".join(f"{name} ({digest[:12]}...)" for digest, name in [*names.items()][:_NAMED])
    more = f"; {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return (
        f"{title_of(cell)!r} brought what is gone from .msgbook/blobs: {shown}{more}. "
        "The model is told so."
    )


def _kept(context: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Digest and name of each text that a context says was kept; it may come from a file."""
    for kind, key in (("rules", "name"), ("files", "key"), ("tools", "name"), ("images", "key")):
        entries = context.get(kind)
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict) and isinstance(entry.get("sha256"), str):
                name = entry.get(key)
                shown = one_line(name, 100) if isinstance(name, str) else "?"
                once = ", allowed for that prompt alone" if entry.get("kept") is False else ""
                yield entry["sha256"], shown + once
