"""The sources of a text: its citations, as a reader is shown them.

A server sent them, so their values may be of any type. The page has the same rules (`sources.ts`);
tests/format/turn/fixtures/sources.json tests both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SOURCES_LIMIT = 50
"""Sources of one text that are shown."""

TITLE_LIMIT = 200
"""Greatest length of a title, in characters."""

_LINK = re.compile(
    r"(?:https?://|mailto:)[^\x00-\x20\x7f-\xa0\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\U000e0000-\U000e007f]{1,2000}",
    re.IGNORECASE,
)
"""URL that becomes a link. It holds no blank and no invisible character."""

_TITLES = ("title", "filename", "url", "file_id")
"""Keys of a citation that name its source, the best one first. A cited file has no URL."""


@dataclass(frozen=True, slots=True)
class Source:
    """One source, with text of unknown origin that is to be escaped."""

    title: str
    """One line, not empty."""
    url: str | None
    """An http, https or mailto URL; None if the source has none."""


def shown_sources(block: Mapping[str, Any]) -> tuple[list[Source], int]:
    """Return the sources of a block that are shown, each once, and the number of further ones."""
    extra = block.get("extra")
    citations = extra.get("annotations") if isinstance(extra, dict) else None
    found: dict[str, Source] = {}
    for citation in citations if isinstance(citations, list) else []:
        source = _source(citation) if isinstance(citation, dict) else None
        if source is not None:
            found.setdefault(source.url or f" {source.title}", source)
    sources = list(found.values())
    return sources[:SOURCES_LIMIT], max(0, len(sources) - SOURCES_LIMIT)


def _source(citation: dict[str, Any]) -> Source | None:
    title = next(filter(None, (_line(citation.get(key)) for key in _TITLES)), "")
    url = citation.get("url")
    is_link = isinstance(url, str) and _LINK.fullmatch(url)
    return Source(title, url if is_link else None) if title else None


def _line(value: Any) -> str:
    if not isinstance(value, str):
        return ""
    line = re.sub(r"[ \t\r\n]+", " ", value).strip(" ")
    return line if len(line) <= TITLE_LIMIT else line[: TITLE_LIMIT - 1] + "…"
