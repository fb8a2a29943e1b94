"""Citations of an answer in one form: objects with `url` and `title`. A reader is shown their sources. Pure."""

from __future__ import annotations

import json
from typing import Any

from msgbook.provider.answer_quirks import objects, repair_json

MAX_CITATIONS = 1000
"""Most citations of one text; a search gives tens."""

MAX_CITED = 4_000_000
"""Most characters of the citations of one text."""

_NESTED = ("url_citation", "file_citation")
"""Keys under which chat completions put the citation itself."""


class CitationList:
    """The citations of one text. Servers repeat them, in each chunk (Perplexity) or at the end."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._new: list[dict[str, Any]] = []
        self._size = 0

    def add(self, citations: Any) -> None:
        """Add those of a list that are new: objects, or URLs. Anything else is dropped."""
        for value in citations if isinstance(citations, list) else []:
            citation = _normalized(value)
            key = json.dumps(citation, sort_keys=True)
            if citation and key not in self._known and len(self._known) < MAX_CITATIONS:
                self._size += len(key)
                if self._size > MAX_CITED:
                    return
                self._known.add(key)
                self._new.append(citation)

    def take(self) -> list[dict[str, Any]]:
        """Return the citations that were added since the last time."""
        taken, self._new = self._new, []
        return taken


def listed_citations(chunk: dict[str, Any]) -> list[Any]:
    """Return the citations at the top of a chunk: search results, and URLs that none of them has (Perplexity)."""
    results = [found for found in objects(chunk.get("search_results")) if found.get("url")]
    urls = chunk.get("citations")
    known = {str(found["url"]) for found in results}
    others = (
        [u for u in urls if not (isinstance(u, str) and u in known)]
        if isinstance(urls, list)
        else []
    )
    return [*results, *others]


def _normalized(value: Any) -> dict[str, Any]:
    """Return a citation as an object whose `url` and `title` are texts; empty if it is none."""
    if isinstance(value, str):
        value = {"url": value} if value.strip() else {}
    if not isinstance(value, dict):
        return {}
    nested: dict[str, Any] = next(
        (value[key] for key in _NESTED if isinstance(value.get(key), dict)), {}
    )
    citation = {key: v for key, v in value.items() if key not in _NESTED} | nested
    if not citation.get("title"):
        citation["title"] = citation.get("filename")
    for key in ("url", "title"):
        if not isinstance(citation.get(key), str) or not citation[key]:
            citation.pop(key, None)
    repaired: dict[str, Any] = repair_json(citation)
    return repaired
