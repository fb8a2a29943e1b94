"""References of prompts that have no record: resolved by the first request that needs them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from msgbook.agents import Agent
from msgbook.notebook import (
    Cell,
    Transcript,
    describe_cell,
    may_define,
    parse_prompt,
    source_of,
)
from msgbook.request.blobs import Blobs
from msgbook.request.context.context_builder import ContextBuilder, PromptContext
from msgbook.request.context.sources import EarlierTexts
from msgbook.request.context.tags import (
    find_images,
    find_tags,
    is_remote,
)
from msgbook.request.history import (
    find_late_context,
    known_late_contexts,
    late_key,
    prompts_without_context,
    text_digest,
    with_context,
)
from msgbook.request.records import (
    MAX_NAMES,
    NAME_KEYS,
    RecordedContext,
    list_entries,
)
from msgbook.request.reference_sources import (
    ReadsAbove,
)
from msgbook.scanner import run_in_thread_if_long
from msgbook.text import join_first

_MAX_PROMPTS = 500
"""Prompts of a notebook whose references are resolved late: all at once, before the first request."""
_MAX_CHARACTERS = 4_000_000
"""Characters of the texts that one request resolves late."""
_TOO_MANY = (
    "From {} on, messages without a record of what they refer to bring nothing: it would be too much. "
    "To send a file, name it in your next message."
)


@dataclass(slots=True)
class LateReferences:
    """Contexts of prompts without a record, with messages about them."""

    cells: list[Cell]
    """All cells above the running one, these prompts with their contexts."""
    contexts: dict[str, dict[str, Any]] = field(default_factory=dict)
    """For the running turn's `context.above`."""
    warnings: list[str] = field(default_factory=list)
    brought: list[str] = field(default_factory=list)
    """Prompts that bring something now, each with its names of it."""

    @property
    def notice(self) -> str:
        """A line for the reader; empty if no prompt brings anything now."""
        if not self.brought:
            return ""
        return (
            "Some messages above were never sent; their references were read now and will be sent with "
            f"them: {join_first(self.brought, MAX_NAMES, '; ')}."
        )


async def resolve_late_references(
    transcript: Transcript,
    recorded: Sequence[RecordedContext],
    agent: Agent,
    reads: ReadsAbove,
    blobs: Blobs,
    redact_json: Callable[[dict[str, Any]], dict[str, Any]],
) -> LateReferences:
    """Resolve the references and images of prompts that have no record of them.

    Only what needs no approval is sent. The result is recorded even if it is empty, so that later
    requests send the same.

    Args:
        transcript: Its cells have the contexts that turns above have recorded.
        recorded: Contexts of the prompts that are sent in full.
        agent: The agent that answers the running prompt.
        redact_json: Removes secrets from a record.
    """
    cells = transcript.earlier
    resolver = _Resolver(transcript, recorded, agent, reads, blobs)
    late = LateReferences(list(cells))
    room = _MAX_PROMPTS - len(known_late_contexts(cells))
    made: dict[tuple[str, str], dict[str, Any]] = {}
    is_full = False
    for position, text in prompts_without_context(cells, reads.cell_rule):
        if not await run_in_thread_if_long(text, _may_bring, text):
            continue
        title = describe_cell(cells, position)
        if len(late.contexts) >= room:
            late.warnings.append(_TOO_MANY.format(title))
            break
        context: dict[str, Any] = {}
        shared = find_late_context(made, cells[position], text)
        if shared is not None:
            context = dict(shared)
        elif resolver.characters < _MAX_CHARACTERS:
            found = await resolver.resolve(position)
            context = redact_json(_to_record(found.context))
            late.warnings += [f"{title}: {notice.text}" for notice in found.notices]
            if names := _names(found.context):
                late.brought.append(f"{title}: {join_first(names, MAX_NAMES)}")
        elif not is_full:
            is_full = True
            late.warnings.append(_TOO_MANY.format(title))
        late.cells[position] = with_context(cells[position], context)
        if shared is None:
            key, digest = late_key(cells[position], text, late.contexts), text_digest(text)
            made[key, digest] = context
            late.contexts[key] = {"source": digest, **context}
        resolver.add(position, context)
    return late


class _Resolver:
    """Resolves prompts in the order of the cells, in time that grows with their number alone."""

    def __init__(
        self,
        transcript: Transcript,
        recorded: Sequence[RecordedContext],
        agent: Agent,
        reads: ReadsAbove,
        blobs: Blobs,
    ) -> None:
        self._transcript = transcript
        self._agent = agent
        self._reads = reads
        self._blobs = blobs
        self._recorded = deque(recorded)
        """Those that are below the prompt."""
        self._above = EarlierTexts.above([context for _, context in recorded])
        self._defining = [n for n, cell in enumerate(transcript.earlier) if may_define(cell)]
        self.characters = 0
        """Length of all texts that were resolved."""

    async def resolve(self, position: int) -> PromptContext:
        """Return the context of a prompt, and keep its texts."""
        self._pass_recorded(position)
        reads, cells = self._reads, self._transcript.earlier
        # Of the cells above, those that define macros are enough here.
        defining = [cells[n] for n in self._defining if n < position]
        found = await ContextBuilder(
            reads.for_prompt(cells[:position]),
            reads.cell_rule,
            reads.redact,
            self._blobs.has,
            reads.pixels,
        ).build(
            parse_prompt(source_of(cells[position])),
            replace(self._transcript, earlier=defining, current=cells[position]),
            agent=self._agent,
            rules=None,
            above=self._above,
        )
        self.characters += sum(map(len, found.blobs.values()))
        self._blobs.add(found.blobs)
        return found

    def add(self, position: int, context: Mapping[str, Any]) -> None:
        """Count the context of a prompt among those above the next one."""
        self._pass_recorded(position)
        self._above.add(context)

    def _pass_recorded(self, position: int) -> None:
        while self._recorded and self._recorded[0][0] < position:
            self._above.add_later(self._recorded.popleft()[1])


def _may_bring(text: str) -> bool:
    return bool(find_tags(text).tags or find_images(text))


def _names(context: Mapping[str, Any]) -> list[str]:
    """Return the names of the files and images that a context brings."""
    images = [
        image[NAME_KEYS["images"]]
        for image in context.get("images", ())
        if "sha256" in image
        or (is_remote(image[NAME_KEYS["images"]]) and image.get("sent") is not False)
    ]
    return [file[NAME_KEYS["files"]] for file in list_entries(context, "files")] + images


def _to_record(context: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a context that later requests need."""
    kinds = ("macros", "files", "images") if context.get("files") else ("images",)
    return {kind: context[kind] for kind in kinds if context.get(kind)}
