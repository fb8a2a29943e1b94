"""Texts of prompts above whose blobs are gone: made again, or named to the reader."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence, Set
from hashlib import sha256
from typing import Any

from msgbook.agents import ProjectRule
from msgbook.notebook import Cell, is_imported, source_of
from msgbook.request.blobs import Blobs
from msgbook.request.context.documents import DOCUMENT_LIMIT, document_url, document_words
from msgbook.request.context.images import attachments_of, load_images
from msgbook.request.context.macro_expansion import expand_macros
from msgbook.request.context.references import resolve_references
from msgbook.request.context.sources import SourceError
from msgbook.request.context.tags import TagError, parse_tag
from msgbook.request.history import prompt_text
from msgbook.request.records import (
    is_sent_in_full,
    list_entries,
    list_recorded_texts,
    recorded_macros,
    valid_entries,
)
from msgbook.request.sources_above import ReadsAbove, SourcesAbove
from msgbook.text import join_first, repair_surrogates

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
