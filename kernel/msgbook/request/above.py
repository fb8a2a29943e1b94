"""What prompts above bring to a request: texts that are gone are made again, and each has a context.

The references of prompts without a record are resolved in `late_references`. Files that have changed since they were
sent are named.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, NamedTuple

from msgbook.agents import Agent, ProjectRule
from msgbook.notebook import Cell, Transcript, is_imported, source_of
from msgbook.request.blobs import Blobs
from msgbook.request.context import files
from msgbook.request.context.content_reference import DOCUMENT_LIMIT, document_url, document_words
from msgbook.request.context.images import attachments_of, load_images
from msgbook.request.context.macros import expand_macros
from msgbook.request.context.references import FILE_LIMIT, TOTAL_LIMIT, resolve_references
from msgbook.request.context.sources import SourceError
from msgbook.request.context.tags import Reference, TagError, parse_tag
from msgbook.request.history import contexts_by_cell, prompt_text, with_late_contexts
from msgbook.request.late_references import resolve_late_references
from msgbook.request.records import (
    MAX_NAMES,
    RecordedContext,
    files_by_key,
    is_sent_in_full,
    list_entries,
    list_recorded_texts,
    recorded_macros,
    valid_entries,
)
from msgbook.request.reference_sources import GONE, ReadLimitError, ReadsAbove, SourcesAbove, Stamp
from msgbook.request.services import RequestServices, warn_once
from msgbook.text import capped, join_first, one_line, repair_surrogates
from msgbook_format.syntax import CellRule

# Files that prompts above sent and that have changed on disk since then.


_MAX_FILES = 200
"""Files that are compared for one request, those that were sent last: each is read."""


_GONE_PART = "no such lines"
"""Stands for a digest if the file has become too short, or lacks the cell."""


class _SentFile(NamedTuple):
    key: str
    reference: Reference
    digest: str
    """Digest of the text that was sent last."""
    cell: int
    macros: Mapping[str, str]


class ChangedFiles:
    """Finds changed files. A file is read again only when its stamp has changed."""

    def __init__(self) -> None:
        self._now: dict[tuple[str, str], tuple[Stamp, str]] = {}
        """Stamp and digest of a file when it was last read, by key and digest of the sent text."""

    async def find(
        self,
        contexts: Iterable[RecordedContext],
        named: Set[str],
        reads: ReadsAbove,
        blobs: Blobs,
        reported: set[str],
    ) -> str:
        """Return a notice about files that have changed or are gone; empty if there are none.

        Each change is reported once. Files whose reading needs approval are left out.

        Args:
            named: Keys of the files that the running prompt brings itself.
            reported: What the reader has seen in this session; grows.
        """
        sources = reads.for_prompt(())
        changed = []
        for file in _last_sent(contexts, named, blobs):
            digest = await self._digest_now(file, sources, reads.redact)
            seen = f"{file.key}: {file.digest} {digest}"
            if digest not in (None, file.digest) and seen not in reported:
                reported.add(seen)
                gone = "; deleted" if digest == "" else ""
                changed.append(f"{one_line(file.key, 100)} (cell {file.cell + 1}{gone})")
        if not changed:
            return ""
        return (
            f"These files have changed since they were sent: {join_first(changed, MAX_NAMES)}. The model "
            "has the older text. To send a file as it is now, name it in your next message."
        )

    async def _digest_now(
        self, file: _SentFile, sources: SourcesAbove, redact: Callable[[str], str]
    ) -> str | None:
        """Return the digest of the text that would be sent now.

        It is empty if the file is gone, and None if the file is not compared.
        """
        reference = file.reference
        stamp = await sources.stamp(reference.name)
        if stamp == GONE and (
            reference.lines or reference.cell
        ):  # or the name ends as lines or a cell do
            reference = Reference("path", file.key)
            stamp = await sources.stamp(reference.name)
        if stamp is None or stamp.size > files.FILE_LIMIT:
            return None
        if stamp == GONE:
            return ""
        known = self._now.get((file.key, file.digest))
        if known is not None and known[0] == stamp:
            return known[1]
        try:
            name, lines, cell = reference.name, reference.lines, reference.cell
            referenced = await sources.read(name, lines, nested=True, cell=cell)
        except ReadLimitError:
            return None
        except SourceError:
            return _GONE_PART if reference.lines or reference.cell else None
        text = referenced.text
        if referenced.kind != "literal":
            text = expand_macros(text, file.macros)[0]
        text = redact(capped(repair_surrogates(text), FILE_LIMIT))
        digest = sha256(repair_surrogates(text).encode()).hexdigest()
        self._now[file.key, file.digest] = stamp, digest
        return digest


def _last_sent(
    contexts: Iterable[RecordedContext], named: Set[str], blobs: Blobs
) -> Iterator[_SentFile]:
    """Yield the files that the model can read above, each as it was sent last."""
    last: dict[str, tuple[int, Mapping[str, Any], Mapping[str, Any]]] = {}
    for position, context in contexts:
        documents = {entry.get("key") for entry in list_entries(context, "documents")}
        for key, file in files_by_key(context).items():
            last.pop(key, None)
            if key not in named and key not in documents and file.get("kept") is not False:
                last[key] = position, context, file
    are_cut: dict[int, bool] = {}
    for key, (position, context, file) in list(last.items())[-_MAX_FILES:]:
        reference, digest = _path_of(key), file["sha256"]
        if reference is None or not blobs.has(digest):
            continue
        if position not in are_cut:
            are_cut[position] = _is_cut(context, blobs)
        if not are_cut[position]:
            yield _SentFile(key, reference, digest, position, recorded_macros(context))


def _is_cut(context: Mapping[str, Any], blobs: Blobs) -> bool:
    """Return whether the last text of a prompt may have been cut to the room that was left."""
    entries = [*list_entries(context, "files"), *list_entries(context, "tools")]
    return sum(blobs.length(entry["sha256"]) for entry in entries) >= TOTAL_LIMIT


def _path_of(key: str) -> Reference | None:
    """Return the reference to a file that a key stands for; None for cells and variables."""
    try:
        reference = parse_tag(key)
    except TagError:
        return None
    return reference if reference.kind == "path" else None


_KINDS = ("rules", "files", "images", "documents")


async def restore_texts(
    cells: Sequence[Cell],
    contexts: Iterable[RecordedContext],
    blobs: Blobs,
    reads: ReadsAbove,
    rules: Sequence[ProjectRule],
) -> bool:
    """Make texts again that are gone, if a read without approval still gives the recorded digest.

    A text that was approved for its prompt alone is never made again.

    Args:
        rules: All rules of the project.

    Returns:
        Whether any text was made again.
    """
    found = False
    for position, context in contexts:
        lost = {kind: _lost_digests(context, kind, blobs) for kind in _KINDS}
        wanted = set().union(*lost.values())
        if not wanted:
            continue
        sources = reads.for_prompt(cells[:position])
        async for text in _texts_now(cells[position], context, lost, sources, rules):
            text = repair_surrogates(reads.redact(text))
            digest = sha256(text.encode()).hexdigest()
            if digest in wanted:
                blobs.add({digest: text})
                found = True
    return found


def warn_of_lost_texts(
    contexts: Iterable[RecordedContext], gone: Set[str], reported: set[str]
) -> str:
    """Return a warning about texts that are gone; empty if there are none. Each is named once.

    Args:
        gone: Digests of texts that are gone.
        reported: What the reader has seen in this session; grows.
    """
    names: dict[str, str] = {}
    for position, context in contexts:
        for digest, name in list_recorded_texts(context):
            if digest in gone and digest not in reported:
                names.setdefault(digest, f"{name} (cell {position + 1})")
    if not names:
        return ""
    reported.update(names)
    return (
        "Missing from .msgbook/blobs and not restorable: "
        f"{join_first([*names.values()], MAX_NAMES, '; ')}. The model gets a line in place of each. "
        "To send a file as it is now, name it in your next message."
    )


def _lost_digests(context: Mapping[str, Any], kind: str, blobs: Blobs) -> set[str]:
    return {
        entry["sha256"]
        for entry in list_entries(context, kind)
        if is_sent_in_full(entry) and entry.get("kept") is not False
        if not blobs.has(entry["sha256"])
    }


async def _texts_now(
    cell: Cell,
    context: Mapping[str, Any],
    lost: Mapping[str, Set[str]],
    sources: SourcesAbove,
    rules: Sequence[ProjectRule],
) -> AsyncIterator[str]:
    """Yield the texts that the prompt's recorded keys stand for now, not redacted."""
    macros = recorded_macros(context)
    if lost["files"]:
        # All keys in their order, so that the limits of a prompt cut the same texts.
        keys = [entry["key"] for entry in valid_entries(context, "files")]
        text = "\n\n".join(f"@[{key}]" for key in keys)
        for file in (await resolve_references(text, macros, sources)).files.values():
            yield file
    if lost["rules"]:
        names = {entry["name"] for entry in valid_entries(context, "rules")}
        for rule in rules:
            if rule.name in names:
                yield expand_macros(rule.text, macros)[0]
    for entry in list_entries(context, "documents"):
        if lost["documents"] or lost["files"]:
            try:
                data = await sources.bytes(parse_tag(entry["key"]).name, DOCUMENT_LIMIT)
            except (SourceError, TagError, KeyError):
                continue
            yield document_url(data)
            yield document_words(document_url(data))
    if lost["images"]:
        text = prompt_text(source_of(cell))
        images = await load_images(
            text,
            sources.bytes,
            attachments_of(cell),
            imported=is_imported(cell),
            pixels=sources.pixels,
        )
        for url in images.blobs.values():
            yield url


@dataclass(slots=True)
class PromptsAbove:
    """Completes the prompts above, for one notebook.

    Args:
        redact: Removes secrets from a text.
        redact_json: Removes secrets from a record.
        forget_messages: Called when texts are there again that messages were made without.
    """

    cell_rule: CellRule
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
    ) -> tuple[Transcript, list[RecordedContext], dict[str, dict[str, Any]]]:
        """Make missing blobs again, and resolve the references of prompts that have no record.

        Args:
            agent: The agent that answers the running prompt.
            rules: All rules of the project.

        Returns:
            The transcript, each prompt above with a context; the contexts of those that are sent in full, in document
            order; and the contexts that were resolved for this request, for the turn's `context.above`.
        """
        cells = with_late_contexts(transcript.earlier, self.cell_rule)
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
            contexts = list(contexts_by_cell(late.cells, self.cell_rule))
        return replace(transcript, earlier=late.cells), contexts, late.contexts

    async def restore(
        self, cells: Sequence[Cell], rules: Sequence[ProjectRule], reads: ReadsAbove
    ) -> list[RecordedContext]:
        """Make missing blobs of cells again, and return the contexts of their prompts."""
        self.blobs.look_again()
        contexts = list(contexts_by_cell(cells, self.cell_rule))
        if await restore_texts(cells, contexts, self.blobs, reads, rules):
            self.forget_messages()
        return contexts

    async def report(
        self,
        contexts: Sequence[RecordedContext],
        own: Mapping[str, Any],
        reads: ReadsAbove,
        services: RequestServices,
    ) -> None:
        """Tell the reader which files have changed on disk, and which texts are gone.

        Args:
            own: Files of the running prompt, by key.
        """
        reported = services.reported
        changed = await self._changed.find(contexts, own.keys(), reads, self.blobs, reported)
        if changed:
            services.inform(self.redact(changed))
        lost = warn_of_lost_texts(contexts, self.blobs.gone, reported)
        if lost:
            services.warn(self.redact(lost))
