"""Sources for prompts above: what may be read without asking, and nothing that runs."""

from __future__ import annotations

import asyncio
import stat
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from msgbook.agents import ProjectRule
from msgbook.approval import Roots
from msgbook.errors import MsgbookError, ToolError
from msgbook.notebook import Cell, IsMagic, is_imported, source_of
from msgbook.request.blobs import Blobs
from msgbook.request.context.content_reference import DOCUMENT_LIMIT, document_url, document_words
from msgbook.request.context.files import deny_all
from msgbook.request.context.image_encoding import PixelBudget
from msgbook.request.context.images import attachments_of, load_images
from msgbook.request.context.macros import expand_macros
from msgbook.request.context.references import resolve_references
from msgbook.request.context.sources import Matches, ReferencedText, SourceError
from msgbook.request.context.tags import Lines, TagError, parse_tag
from msgbook.request.history import history_of, prompt_text
from msgbook.request.records import (
    is_sent_in_full,
    list_entries,
    list_recorded_texts,
    recorded_macros,
    valid_entries,
)
from msgbook.request.reference_sources import ReferenceSources
from msgbook.text import join_first, repair_surrogates
from msgbook_format.syntax import is_excluded

_READS = 2000
_CHARACTERS = 100_000_000
"""Of all files together, images in bytes."""
_SECONDS = 30.0
"""Of all reads together: a hostile document takes as long as one may."""
_GLOBS = 20
"""Each one walks the folder."""
_NAME_IT = "To send it now, name it in your next message"


class ReadLimitError(SourceError):
    """The prompts above name too much to be read for one request."""


class Stamp(NamedTuple):
    """State of a file that changes when the file does."""

    modified: int
    """In nanoseconds."""
    size: int
    inode: int


GONE = Stamp(0, -1, 0)
"""The stamp of a file that does not exist."""


@dataclass(slots=True)
class ReadsAbove:
    """Makes the sources for the prompts above, which share the limits of one request.

    Args:
        redact: As for `ReferenceSources`.
        conversation: As for `ReferenceSources`.
    """

    roots: Roots
    is_magic: IsMagic
    redact: Callable[[str], str]
    conversation: Path | None = None
    pixels: PixelBudget = field(default_factory=PixelBudget, init=False)
    _reads: int = field(default=0, init=False)
    _characters: int = field(default=0, init=False)
    _globs: int = field(default=0, init=False)
    _seconds: float = field(default=0, init=False)

    def for_prompt(self, cells: Sequence[Cell]) -> SourcesAbove:
        """Return the sources of a prompt.

        Args:
            cells: The cells above it.
        """
        return SourcesAbove(self, cells)

    def count_read(self) -> None:
        """Count a read before it is made. Raises `ReadLimitError` if there were too many."""
        self._reads += 1
        if self._reads > _READS or self._characters > _CHARACTERS:
            raise ReadLimitError("messages above refer to too many files")
        if self._seconds > _SECONDS:
            raise ReadLimitError("reading the files of the messages above takes too long")

    def count_characters(self, number: int) -> None:
        """Count what a read has returned."""
        self._characters += number

    def count_seconds(self, number: float) -> None:
        """Count the time that a read has taken."""
        self._seconds += number

    def count_glob(self) -> None:
        """Count a pattern. Raises `ReadLimitError` if there were too many."""
        self._globs += 1
        if self._globs > _GLOBS:
            raise ReadLimitError("messages above refer to too many patterns")


class SourcesAbove(ReferenceSources):
    """Sources that ask nobody. Rules and policies that allow more do not count."""

    def __init__(self, reads: ReadsAbove, cells: Sequence[Cell]) -> None:
        super().__init__(
            reads.roots,
            deny_all,
            cells,
            reads.is_magic,
            _refuse_variable,
            _refuse_tool,
            reads.redact,
            reads.conversation,
        )
        self._reads = reads
        self.pixels = reads.pixels

    async def read(self, path: str, lines: Lines | None, *, nested: bool) -> ReferencedText:
        """Return a file or some of its lines."""
        self._reads.count_read()
        began = time.monotonic()
        try:
            referenced = await super().read(path, lines, nested=nested)
        finally:
            self._reads.count_seconds(time.monotonic() - began)
        self._reads.count_characters(len(referenced.text))
        return referenced

    async def bytes(self, path: str, limit: int) -> bytes:
        """Return the content of a file."""
        self._reads.count_read()
        data = await super().bytes(path, limit)
        self._reads.count_characters(len(data))
        return data

    async def glob(self, pattern: str) -> Matches:
        """Return the files that match."""
        self._reads.count_glob()
        return await super().glob(pattern)

    async def cell(self, cell_id: str) -> ReferencedText:
        """Return a cell above, unless it is hidden or a call in it was approved."""
        cell = self.find_cell(cell_id)
        if cell.get("cell_type") == "raw" or is_excluded(history_of(cell)):
            raise SourceError(f"that cell is hidden. {_NAME_IT}")
        referenced = self.read_cell(cell)
        if referenced.needed_approval:
            raise SourceError(f"a call in that cell needed approval. {_NAME_IT}")
        return referenced

    async def stamp(self, path: str) -> Stamp | None:
        """Return the stamp of a file; None for a folder, or if reading it needs approval."""
        return await asyncio.to_thread(self._stamp, path)

    def _stamp(self, path: str) -> Stamp | None:
        try:
            real = self._roots.resolve(path)
            if self._roots.check_read(real) is not None:
                return None
            found = real.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return GONE
        except (ToolError, OSError):
            return None
        is_file = stat.S_ISREG(found.st_mode)
        return Stamp(found.st_mtime_ns, found.st_size, found.st_ino) if is_file else None


async def _refuse_variable(name: str) -> str:
    raise MsgbookError(f"its value at that time is not known. {_NAME_IT}")


async def _refuse_tool(name: str, arguments: str) -> ReferencedText:
    raise SourceError(f"tools do not run for earlier messages. {_NAME_IT}")


# Texts of prompts above whose blobs are gone: made again, or named to the reader.


_KINDS = ("rules", "files", "images", "documents")
_MAX_NAMES = 5
"""Texts that the warning names."""

RecordedContext = tuple[int, Mapping[str, Any]]
"""Position of a prompt above, and the context of its turn as saved."""


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
        "Gone from .msgbook/blobs since they were sent, and they cannot be made again: "
        f"{join_first([*names.values()], _MAX_NAMES, '; ')}. The model gets a line in place of each. "
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
