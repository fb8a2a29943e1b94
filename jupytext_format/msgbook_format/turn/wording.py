"""Words about a turn: the model that answered, hidden reasoning, sources, and JSON of unknown origin.

A turn may come from any file, with values of any type. The page has the same words (`turn/wording.ts`);
tests/format/turn/fixtures/turn_wording.json tests both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any

from msgbook_format.turn.kinds import REASONINGS
from msgbook_format.typed import Count, Text, as_dict, as_dicts, as_text, one, read

HIDDEN_REASONING = "The model reasoned, but the server does not return its reasoning"


def model_words(turn: Mapping[str, Any]) -> str:
    """Return the model of a turn, with the one that answered if it is another; may be empty."""
    head = read(_Head, turn)
    asked, answered = head.model, head.answered_model
    if not asked or answered in ("", asked):
        return asked or answered
    return f"{asked} (answered by {answered})"


@dataclass(frozen=True, slots=True)
class _Usage:
    reasoning_tokens: Count


@dataclass(frozen=True, slots=True)
class _Head:
    """What a turn says of its model and its tokens."""

    model: Text
    answered_model: Text
    usage: Annotated[_Usage, one(_Usage)]


def is_hidden_reasoning(block: Mapping[str, Any]) -> bool:
    """Return whether a block is reasoning of which the server tells no word."""
    if block not in REASONINGS:
        return False
    text, item = block.get("text", ""), as_dict(block.get("extra")).get("item")
    return isinstance(text, str) and not text.strip() and isinstance(item, dict)


def hidden_reasoning_lines(turn: Mapping[str, Any]) -> dict[int, str]:
    """Return one line about each hidden reasoning of a turn, by its position in the blocks.

    The last line has the turn's reasoning tokens, once the turn has ended.
    """
    blocks: Sequence[Mapping[str, Any]] = turn["blocks"]
    lines = {i: HIDDEN_REASONING for i, block in enumerate(blocks) if is_hidden_reasoning(block)}
    tokens = reasoning_tokens_words(turn)
    if lines and tokens:
        lines[max(lines)] += f" ({tokens})"
    return lines


def reasoning_tokens_words(turn: Mapping[str, Any]) -> str:
    """Return the reasoning tokens of a turn that has ended; empty if they are unknown or none."""
    tokens = read(_Head, turn).usage.reasoning_tokens
    if not tokens or turn["status"] == "running":
        return ""
    return f"{tokens:,} reasoning tokens in this turn"


# The sources of a text: its citations, as a reader is shown them.
#
# A server sent them, so their values may be of any type. The page has the same rules (`turn/shownFacts.ts`);
# tests/format/turn/fixtures/sources.json tests both.


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
    found: dict[str, Source] = {}
    for citation in as_dicts(as_dict(block.get("extra")).get("annotations")):
        source = _source(citation)
        if source is not None:
            found.setdefault(source.url or f" {source.title}", source)
    sources = list(found.values())
    return sources[:SOURCES_LIMIT], max(0, len(sources) - SOURCES_LIMIT)


def _source(citation: dict[str, Any]) -> Source | None:
    title = next(filter(None, (_line(as_text(citation.get(key))) for key in _TITLES)), "")
    url = as_text(citation.get("url"))
    return Source(title, url if _LINK.fullmatch(url) else None) if title else None


def _line(text: str) -> str:
    line = re.sub(r"[ \t\r\n]+", " ", text).strip(" ")
    return line if len(line) <= TITLE_LIMIT else line[: TITLE_LIMIT - 1] + "…"


# JSON of unknown origin, shortened for a reader.
#
# An item of a server may hold a megabyte that nobody can read. The page has the same rules
# (`shownJson.ts`); tests/format/turn/fixtures/shown_json.json tests both.


STRING_LIMIT = 500
"""Greatest length of a string that is shown whole, in characters."""

_BEGINNING = 200
"""Characters of a longer string that are shown."""
_ENTRIES = 100
"""Entries of one object or list that are shown."""
_VALUES = 500
"""Values that are shown in all; a reader wants to know that there is more, not to read it."""
_DEPTH = 12
"""Objects in one another that are shown."""
_ENCRYPTED = "encrypted"


def shown_json(value: Any) -> Any:
    """Return JSON that shows at most the beginning of a long value, and says what is left out.

    A value whose key begins with `encrypted` is never shown. `value` is not changed.
    """
    return _Shortener().shown(value, _DEPTH)


class _Shortener:
    def __init__(self) -> None:
        self._left = _VALUES

    def shown(self, value: Any, depth: int) -> Any:
        self._left -= 1
        match value:
            case str():
                return _string(value)
            case dict() | list() if depth == 0 and value:
                return "… (nested too deep to be shown)"
            case dict():
                return self._object(value, depth)
            case list():
                return self._list(value, depth)
        return value

    def _object(self, value: dict[str, Any], depth: int) -> dict[str, Any]:
        shown: dict[str, Any] = {}
        for key, entry in islice(value.items(), _ENTRIES):
            if self._left <= 0:
                break
            is_hidden = key.startswith(_ENCRYPTED) and entry is not None
            shown[_string(key)] = _hidden(entry) if is_hidden else self.shown(entry, depth - 1)
        if len(shown) < len(value):
            shown["…"] = f"({len(value) - len(shown):,} more)"
        return shown

    def _list(self, value: list[Any], depth: int) -> list[Any]:
        shown: list[Any] = []
        for entry in islice(value, _ENTRIES):
            if self._left <= 0:
                break
            shown.append(self.shown(entry, depth - 1))
        if len(shown) < len(value):
            shown.append(f"… ({len(value) - len(shown):,} more)")
        return shown


def _string(text: str) -> str:
    return text if len(text) <= STRING_LIMIT else f"{text[:_BEGINNING]}… {_size(text)}"


def _hidden(value: Any) -> str:
    return _size(value) if isinstance(value, str) else "(not shown)"


def _size(text: str) -> str:
    return f"({len(text):,} characters)"
