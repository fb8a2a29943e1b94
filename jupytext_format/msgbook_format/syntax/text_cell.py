"""One cell of a text, parsed: its marker, footnote and body, values of `history`, and lines `%%msg` and `%agent`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from msgbook_format import jsontext
from msgbook_format.syntax.attributes import (
    Attributes,
    format_footnote,
    parse_attributes,
    parse_footnote,
)
from msgbook_format.syntax.cell_rule import MSG_MAGIC
from msgbook_format.syntax.lines import MARKER, STREAM_PREFIX, Escaper, trim
from msgbook_format.typed import as_dict

_MARKER = re.compile(rf"^(?={MARKER})#+ (%%%?)[^\n]*")
_USUAL = re.compile(
    r"#{1,5} (%%%?) \[\^([^\s\[\]^]+)\]\n\n\[\^\2\]:([^\n]*)(?:\n\n(?=[^ \t\n])|\n*\Z)"
)
_LABEL = re.compile(r"[^\s\[\]^]+")
_BLANK_LINES = re.compile(r"(?:[ \t\r]*\n)*")


@dataclass(slots=True)
class TextCell:
    """A cell (`# %%`) or output cell (`# %%%`) of a text, with its footnote and body.

    Formatting a text cell and parsing it again gives an equal one, if `is_title(title)` and
    `label` is the id of a cell.
    """

    type: str | None = None
    """Text in the brackets of the footnote; None without brackets."""
    attributes: Attributes = field(default_factory=list)
    body: str = ""
    """Content without escapes and without blank lines around it."""
    title: str | None = None
    label: str | None = None
    """Text in `[^...]`; None without it."""
    has_streams: bool = False
    """True if the lines of the body have stream prefixes, which need no escapes."""


def parse_text_cell(text: str, escaper: Escaper) -> TextCell:
    """Return the cell that a text holds; without a marker, all of the text is body."""
    return _parse_usual(text, escaper) or parse_any_text_cell(text, escaper)


def parse_any_text_cell(text: str, escaper: Escaper) -> TextCell:
    """Do what `parse_text_cell` does, without its short cut for the usual spelling."""
    if "\r" in text:
        # The text ends before its last newline, but after the CR of a line that ends with CRLF.
        text = text.replace("\r\n", "\n").removesuffix("\r")
    match = _MARKER.match(text)
    if match is None:
        return TextCell(body=escaper.unescape(trim(text)))
    title, label = _title_and_label(match[0][match.end(1) :])
    body = trim(text[match.end() :])
    cell = TextCell(title=title, label=label)
    if label is not None and body.startswith(f"[^{label}]:"):
        line, _, rest = body.partition("\n")
        footnote = parse_footnote(line[len(label) + 4 :])
        if footnote is not None:
            cell.type, cell.attributes = footnote
            body = trim(rest)
    cell.has_streams = match[1] == "%%%" and bool(STREAM_PREFIX.match(body))
    cell.body = body if cell.has_streams else escaper.unescape(body)
    return cell


def _parse_usual(text: str, escaper: Escaper) -> TextCell | None:
    """Return a cell without title, spelled as `format_text_cell` does; None for any other."""
    match = _USUAL.match(text)
    if match is None or "\r" in text:
        return None
    body = text[match.end() :]
    if text[-1] == "\n":
        body = body.rstrip("\n")
    footnote = parse_footnote(match[3])
    if footnote is None or body[-1:] in (" ", "\t"):
        return None
    has_streams = match[1] == "%%%" and STREAM_PREFIX.match(body) is not None
    if not has_streams:
        body = escaper.unescape(body)
    return TextCell(footnote[0], footnote[1], body, None, match[2], has_streams)


def format_text_cell(cell: TextCell, marker: str, escaper: Escaper) -> str:
    """Return the text of a cell, without a newline at its end; `marker` is `# %%` or `# %%%`, of any level."""
    line = marker if cell.title is None else f"{marker} {cell.title}"
    parts = [line]
    if cell.label is not None:
        joint = " " if cell.title is None else ""
        parts[0] = f"{line}{joint}[^{cell.label}]"
        parts.append(f"[^{cell.label}]: {format_footnote(cell.type, cell.attributes)}")
    body = cell.body if cell.has_streams else escaper.escape(cell.body)
    if body:
        parts.append(body)
    return "\n\n".join(parts)


def parse_label(text: str) -> str | None:
    """Return the label of the marker that a text begins with; None without a marker or label."""
    match = _MARKER.match(text)
    return None if match is None else _title_and_label(match[0][match.end(1) :])[1]


def find_footnote(text: str, label: str) -> tuple[int, int] | None:
    """Return start and end of the footnote below the marker that a text begins with.

    Returns None if the first line below the marker is not a footnote with this label.
    """
    start = _BLANK_LINES.match(text, text.find("\n") + 1 or len(text)).end()  # type: ignore[union-attr]
    if not text.startswith(f"[^{label}]:", start):
        return None
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    return None if parse_footnote(text[start + len(label) + 4 : end]) is None else (start, end)


def is_title(text: str) -> bool:
    """Return whether `text`, after a marker, reads back as the same title."""
    if not text or text != text.strip() or "\n" in text or jsontext.needs_json(text):
        return False
    return _title_and_label(" " + text) == (text, None)


def _title_and_label(rest: str) -> tuple[str | None, str | None]:
    rest = rest.strip(" \t\r")
    label = None
    start = rest.rfind("[^") if rest.endswith("]") else -1
    if start >= 0 and _LABEL.fullmatch(rest, start + 2, len(rest) - 1):
        label = rest[start + 2 : -1]
        rest = rest[:start].rstrip(" \t")
    if len(rest) > 2 and rest[0] == "[" and rest[-1] == "]" and "]" not in rest[1:-1]:
        rest = rest[1:-1].strip(" \t")
    return rest or None, label


# The values of `history` (seed 004): what a request contains of a cell, a block or an output.


_INCLUDED = frozenset(("include", "1", "true"))
_SUMMARY = "summary"
UNREAD = "unread"
"""A line that may be the cell's footnote, among the verbatim bits of a cell (`metadata.msgbook.text`)."""

HISTORY_VALUES = frozenset((*_INCLUDED, "exclude", "none", "0", "false", _SUMMARY))
"""All spellings."""


def is_excluded(history: Any) -> bool:
    """Return whether a `history` value keeps something out of requests.

    An unknown value does, too: it may be a misspelled `exclude`, and what was sent cannot be taken
    back.
    """
    text = _normal(history)
    return text != _SUMMARY and text not in _INCLUDED


def is_summary(history: Any) -> bool:
    """Return whether a `history` value asks for a summary."""
    return _normal(history) == _SUMMARY


def is_restricted(history: Any) -> bool:
    """Return whether a `history` value keeps anything out of requests: all of it, or all but a summary."""
    return _normal(history) not in _INCLUDED


def is_history(history: Any) -> bool:
    """Return whether a `history` value is a known one."""
    return _normal(history) in HISTORY_VALUES


def stricter_history(first: Any, second: Any) -> Any:
    """Return the value of two that lets less through; the first one if both let through the same."""
    return second if _strictness(second) > _strictness(first) else first


def _strictness(history: Any) -> int:
    return 2 if is_excluded(history) else int(is_restricted(history))


def _normal(history: Any) -> str:
    return history.strip().lower() if isinstance(history, str) else str(history).lower()


# The lines `%%msg KEY=VALUE ...`, `%agent new NAME KEY=VALUE ...` and `%agent default NAME`.
#
# Their attributes are written as in a footnote. This is the only place that reads them: the kernel,
# `check` and the text format see the same attributes.


MSG_KEYS = frozenset(
    (
        "agent",
        "history",
        "model",
        "answer_limit",
        "max_cost",
        "max_steps",
        "time_budget",
        "token_budget",
        "warn_tokens",
        "max_subagents",
        "subagent_depth",
        "subagents_at_once",
    )
)
"""Attributes that a `%%msg` line has."""

_MSG = re.compile(rf"\s*{MSG_MAGIC}(?!\S)")
_AGENT = re.compile(r"\s*%agent[^\S\n]+(new|default)[^\S\n]+([^\s=]+)(?!\S)")
_QUOTES = frozenset("\"'")


@dataclass(frozen=True, slots=True)
class MsgLine:
    """The line `%%msg KEY=VALUE ...` that a prompt begins with."""

    attributes: dict[str, str]
    """First value of each key."""
    problem: str | None
    """Description of the first word that cannot be read."""
    end: int
    """Index in the source of the first character after the line and its newline."""


@dataclass(frozen=True, slots=True)
class AgentLine:
    """A cell `%agent new NAME KEY=VALUE ...` or `%agent default NAME`."""

    verb: Literal["new", "default"]
    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    """First value of each key."""
    problem: str | None = None
    """Description of the first word that cannot be read."""


def parse_msg_line(source: str) -> MsgLine | None:
    """Return the `%%msg` line that a cell's source begins with; None if there is none."""
    match = _MSG.match(source)
    if match is None:
        return None
    line, end = _line_at(source, match.end())
    column = match.end() - (end - len(line))
    attributes, problem = parse_attributes(line, column)
    return MsgLine(attributes, problem, min(end + 1, len(source)))


def parse_agent_line(source: str) -> AgentLine | None:
    """Return the `%agent` line that is all of a cell's source; None for any other source."""
    match = _AGENT.match(source)
    if match is None:
        return None
    line, end = _line_at(source, match.end())
    if source[end:].strip():
        return None
    column, name = match.end() - (end - len(line)), match[2]
    quoted = f"expected a name without quotes, found {name[:40]!r}" if _QUOTES & {*name} else None
    if match[1] == "new":
        attributes, problem = parse_attributes(line, column)
        return AgentLine("new", name, attributes, quoted or problem)
    rest = line[column:].strip()
    extra = f"expected nothing after the name, found {rest[:40]!r}" if rest else None
    return AgentLine("default", name, problem=quoted or extra)


def _line_at(source: str, position: int) -> tuple[str, int]:
    """Return the line that holds a position, and the index of its end."""
    start = source.rfind("\n", 0, position) + 1
    end = source.find("\n", position)
    end = len(source) if end < 0 else end
    return source[start:end], end


def unread_footnote(msgbook: Mapping[str, Any]) -> str | None:
    """Return the line that keeps a cell from being sent; None for a cell that can be read.

    Args:
        msgbook: `metadata.msgbook` of the cell.
    """
    bits = msgbook.get("text")
    line = as_dict(bits).get(UNREAD)
    decided = "history" in msgbook and is_history(msgbook["history"])
    return line if isinstance(line, str) and not decided else None
