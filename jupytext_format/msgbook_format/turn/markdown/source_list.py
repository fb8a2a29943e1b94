"""The sources of a text as a Markdown list of links."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgbook_format.turn.markdown.escape import escape_line
from msgbook_format.turn.markdown.links import safe_destination
from msgbook_format.turn.sources import TITLE_LIMIT, Source, shown_sources


def source_list(block: Mapping[str, Any]) -> str:
    """Return the sources of a text block as a numbered list below a line; empty if it has none."""
    sources, further = shown_sources(block)
    if not sources:
        return ""
    lines = [f"{number}. {_link(source)}" for number, source in enumerate(sources, 1)]
    if further:
        lines.append(f"\n… and {further:,} more")
    return "\n".join(["Sources:\n", *lines])


def _link(source: Source) -> str:
    title = escape_line(source.title, TITLE_LIMIT) or "?"
    destination = None if source.url is None else safe_destination(source.url)
    return title if destination is None else f"[{title}]({destination})"
