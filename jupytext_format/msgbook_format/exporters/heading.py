"""What stands at the top of an export: the title and the days of the conversation. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, datetime
from typing import Any

from msgbook_format.turn import turn_of

UNNAMED = "Notebook"
"""What nbconvert calls a notebook that has no file."""


def title_of(metadata: dict[str, Any], resources: dict[str, Any]) -> str:
    """Return the title, else the name of the file; empty for a notebook without both."""
    title, name = metadata.get("title"), resources.get("metadata", {}).get("name")
    if isinstance(title, str) and title.strip():
        return title
    return name if isinstance(name, str) and name != UNNAMED else ""


def days_of(cells: Iterable[dict[str, Any]]) -> str:
    """Return the day of the conversation, or its first and its last; empty if its turns name none."""
    days = sorted(_days(cells))
    return " – ".join(dict.fromkeys(day.isoformat() for day in (*days[:1], *days[-1:])))


def _days(cells: Iterable[dict[str, Any]]) -> Iterator[date]:
    outputs = (output for cell in cells for output in cell.get("outputs", ()))
    for turn in filter(None, map(turn_of, outputs)):
        try:
            yield datetime.fromisoformat(str(turn.get("started"))).date()
        except ValueError:
            continue  # a turn without a time, or with words in its place
