"""Files that prompts above sent and that have changed on disk since then."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from hashlib import sha256
from typing import Any, NamedTuple

from msgbook.request.blobs import Blobs
from msgbook.request.context import files
from msgbook.request.context.macros import expand_macros
from msgbook.request.context.references import FILE_LIMIT, TOTAL_LIMIT
from msgbook.request.context.sources import SourceError
from msgbook.request.context.tags import (
    Reference,
    TagError,
    parse_tag,
)
from msgbook.request.records import (
    MAX_NAMES,
    RecordedContext,
    files_by_key,
    list_entries,
    recorded_macros,
)
from msgbook.request.reference_sources import (
    GONE,
    ReadLimitError,
    ReadsAbove,
    SourcesAbove,
    Stamp,
)
from msgbook.text import capped, join_first, one_line, repair_surrogates

_MAX_FILES = 200
"""Files that are compared for one request, those that were sent last."""


_NO_LINES = "no such lines"
"""Stands for a digest if the file has become too short."""


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
        if stamp == GONE and reference.lines:  # or the name ends as lines do
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
            referenced = await sources.read(reference.name, reference.lines, nested=True)
        except ReadLimitError:
            return None
        except SourceError:
            return None if reference.lines is None else _NO_LINES
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
