"""The prompts above the running one, complete with what they bring, and what the reader is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from msgbook.agents import Agent, ProjectRule
from msgbook.notebook import Cell, IsMagic, Transcript
from msgbook.request.blobs import Blobs
from msgbook.request.changed_files import ChangedFiles
from msgbook.request.history import contexts_by_cell, with_late_contexts
from msgbook.request.late_references import resolve_late_references
from msgbook.request.lost_texts import RecordedContext, restore_texts, warn_of_lost_texts
from msgbook.request.services import RequestServices, warn_once
from msgbook.request.sources_above import ReadsAbove


@dataclass(frozen=True, slots=True)
class CompletedPrompts:
    """The cells above, each prompt with a context."""

    transcript: Transcript
    contexts: list[RecordedContext]
    """Contexts of the prompts that are sent in full, in document order."""
    late: dict[str, dict[str, Any]]
    """Contexts that were resolved for this request, for the turn's `context.above`."""


@dataclass(slots=True)
class PromptsAbove:
    """Completes the prompts above, for one notebook.

    Args:
        redact: Removes secrets from a text.
        redact_json: Removes secrets from a record.
        forget_messages: Called when texts are there again that messages were made without.
    """

    is_magic: IsMagic
    blobs: Blobs
    redact: Callable[[str], str]
    redact_json: Callable[[dict[str, Any]], dict[str, Any]]
    forget_messages: Callable[[], None]
    _changed: ChangedFiles = field(default_factory=ChangedFiles, init=False)

    async def complete(
        self,
        transcript: Transcript,
        agent: Agent,
        rules: Sequence[ProjectRule],
        reads: ReadsAbove,
        services: RequestServices,
    ) -> CompletedPrompts:
        """Make missing blobs again, and resolve the references of prompts that have no record.

        Args:
            agent: The agent that answers the running prompt.
            rules: All rules of the project.
        """
        cells = with_late_contexts(transcript.earlier, self.is_magic)
        contexts = await self.restore(cells, rules, reads)
        late = await resolve_late_references(
            replace(transcript, earlier=cells),
            contexts,
            agent,
            reads,
            self.blobs,
            self.redact_json,
        )
        warn_once(services, map(self.redact, late.warnings))
        if late.notice:
            services.inform(self.redact(late.notice))
        if late.contexts:
            contexts = list(contexts_by_cell(late.cells, self.is_magic))
        return CompletedPrompts(replace(transcript, earlier=late.cells), contexts, late.contexts)

    async def restore(
        self, cells: Sequence[Cell], rules: Sequence[ProjectRule], reads: ReadsAbove
    ) -> list[RecordedContext]:
        """Make missing blobs of cells again, and return the contexts of their prompts."""
        self.blobs.look_again()
        contexts = list(contexts_by_cell(cells, self.is_magic))
        if await restore_texts(cells, contexts, self.blobs, reads, rules):
            self.forget_messages()
        return contexts

    async def report(
        self,
        prompts: CompletedPrompts,
        own: Mapping[str, Any],
        reads: ReadsAbove,
        services: RequestServices,
    ) -> None:
        """Tell the reader which files have changed on disk, and which texts are gone.

        Args:
            own: Files of the running prompt, by key.
        """
        contexts, reported = prompts.contexts, services.reported
        changed = await self._changed.find(contexts, own.keys(), reads, self.blobs, reported)
        if changed:
            services.inform(self.redact(changed))
        lost = warn_of_lost_texts(contexts, self.blobs.gone, reported)
        if lost:
            services.warn(self.redact(lost))
