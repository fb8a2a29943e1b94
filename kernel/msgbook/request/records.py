"""Entries of a turn's recorded context: texts that were sent, each named by its digest.

A context may come from a file, so any value may be of any type.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from msgbook.errors import MsgbookError
from msgbook.images import MAX_IMAGES
from msgbook.notebook import is_count
from msgbook.text import one_line
from msgbook_format.typed import as_dict, as_list, has

_DIGEST = re.compile(r"[0-9a-f]{64}")

RecordedContext = tuple[int, Mapping[str, Any]]
"""Position of a prompt above, and the context of its turn as saved."""

NAME_KEYS = {"rules": "name", "files": "key", "tools": "name", "images": "key", "documents": "key"}
"""The kinds of entries, and the key under which an entry of the kind has its name."""

MAX_NAMES = 5
"""Prompts, files or texts that a notice names."""

REPLAY_LIMIT = 2_000_000
"""Characters of texts in one prompt's `<content_reference>`. No real prompt has more, but a record
may claim anything."""
TOTAL_LIMIT = 100_000_000
"""Characters of all prompts together. A record of a few bytes names a large text, and many records
may name the same one."""


_LEVELS = 100
"""Levels of nesting that a call's arguments may have."""


class ContextTooLargeError(MsgbookError):
    """The context of the prompts above is longer than any server accepts."""


def list_entries(context: Mapping[str, Any], kind: str) -> list[Mapping[str, Any]]:
    """Return the entries of one kind that are objects with a digest."""
    entries = context.get(kind)
    return [entry for entry in as_list(entries) if has(entry, sha256=str)]


def valid_entries(context: Mapping[str, Any], kind: str) -> list[Mapping[str, Any]]:
    """Return the entries of one kind that can be sent."""
    return [
        entry
        for entry in list_entries(context, kind)
        if isinstance(entry.get(NAME_KEYS[kind]), str)
        and _DIGEST.fullmatch(entry["sha256"])
        and (kind != "files" or (is_count(entry.get("version")) and entry["version"] > 0))
        and (kind != "tools" or is_flat(entry.get("args")))
    ]


def files_by_key(context: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the valid entries of files by key; of two with the same key the last."""
    return {entry["key"]: entry for entry in valid_entries(context, "files")}


def recorded_macros(context: Mapping[str, Any]) -> dict[str, str]:
    """Return the macros with which the texts of a context were made."""
    macros = context.get("macros")
    return {
        name: value
        for name, value in as_dict(macros).items()
        if isinstance(name, str) and isinstance(value, str)
    }


def is_sent_in_full(entry: Mapping[str, Any]) -> bool:
    """Return whether the text itself is sent, and not only a line that stands for it."""
    return entry.get("unchanged") is not True and entry.get("dropped") is not True


def list_recorded_texts(context: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield digest and display name of each text that a context records."""
    for kind, key in NAME_KEYS.items():
        for entry in list_entries(context, kind):
            name = entry.get(key)
            shown = one_line(name, 100) if isinstance(name, str) else "?"
            once = ", allowed for that prompt alone" if entry.get("kept") is False else ""
            yield entry["sha256"], shown + once


def check_recorded_texts(
    contexts: Iterable[Mapping[str, Any]], length: Callable[[str], int]
) -> None:
    """Check that the recorded texts of the prompts above are not too long to put together.

    Args:
        contexts: Of the turns above, as saved.
        length: Returns the characters of the text with a sha256 in hex.

    Raises:
        ContextTooLargeError: The texts have more than `TOTAL_LIMIT` characters.
    """
    total = 0
    for context in contexts:
        texts, images, documents = (
            [
                entry["sha256"]
                for kind in kinds
                for entry in list_entries(context, kind)
                if is_sent_in_full(entry)
            ]
            for kinds in (("rules", "files", "tools"), ("images",), ("documents",))
        )
        total += min(sum(map(length, texts)), REPLAY_LIMIT) + sum(map(length, images[:MAX_IMAGES]))
        total += sum(map(length, documents))
        if total > TOTAL_LIMIT:
            raise ContextTooLargeError(
                f"The context of the prompts above has more than {TOTAL_LIMIT:,} characters; nothing "
                "was sent. Delete prompts that you no longer need, or exclude them: "
                "%%msg history=exclude as the first line."
            )


def is_flat(value: Any) -> bool:
    """Return whether a JSON value is nested no deeper than `_LEVELS`."""
    level = [value]
    for _ in range(_LEVELS):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return not level
