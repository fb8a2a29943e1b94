"""The tag of a prompt that contains the cursor."""

from __future__ import annotations

import re
from typing import NamedTuple

from msgbook_format.syntax import MSG_MAGIC

_AGENT = re.compile(
    rf"\s*{MSG_MAGIC}[ \t](?:[^\n]*[ \t])?agent=(?P<msg>\S+)|\s*%agent default (?P<set>\S+)"
)


class OpenTag(NamedTuple):
    """A tag that contains the cursor; it may have no end yet."""

    start: int
    """Offset of its content, after `@[` or `{{`, in code points."""
    end: int
    """Offset of the end of its content: of `]`, `}}` or the end of the line."""
    content: str
    is_closed: bool


def reference_at(code: str, cursor: int) -> OpenTag | None:
    """Return the `@[...]` that contains the cursor."""
    return _tag_at(code, cursor, "@[", "]")


def needs_other_cells(code: str, cursor: int) -> bool:
    """Return whether the completion at the cursor depends on other cells.

    It does where the name of a cell, a macro, an agent or a tool can be written.
    """
    cursor = max(0, min(cursor, len(code)))
    tag = reference_at(code, cursor)
    return (
        macro_at(code, cursor) is not None
        or (tag is not None and _can_name_cell_or_tool(code[tag.start : cursor]))
        or code.lstrip().startswith("%")
    )


def _can_name_cell_or_tool(typed: str) -> bool:
    return typed.startswith("cell:") or not set(typed) & set("/:{")


def python_name_at(code: str, cursor: int) -> str | None:
    """Return the NAME of the `@[py:NAME]` that contains the cursor."""
    tag = reference_at(code, max(0, min(cursor, len(code))))
    if tag is None or not tag.content.startswith("py:"):
        return None
    return tag.content.removeprefix("py:").strip() or None


def needs_cells_to_explain(code: str, cursor: int) -> bool:
    """Return whether what is at the cursor depends on other cells; the name of a variable does not."""
    name = python_name_at(code, cursor)
    return name is None or "{{" in name


def agent_name_at(code: str, cursor: int) -> str | None:
    """Return the NAME of the `%%msg agent=NAME` or `%agent default NAME` that contains the cursor."""
    named = _AGENT.match(code)
    kind = named.lastgroup if named else None
    if named is None or kind is None or not named.start(kind) <= cursor <= named.end(kind):
        return None
    return named[kind]


def macro_at(code: str, cursor: int) -> OpenTag | None:
    """Return the `{{NAME}}` that contains the cursor."""
    return _tag_at(code, cursor, "{{", "}}")


def _tag_at(code: str, cursor: int, opening: str, closing: str) -> OpenTag | None:
    line_start = code.rfind("\n", 0, cursor) + 1
    found = code.rfind(opening, line_start, cursor)
    start = found + len(opening)
    if found < 0 or code.find(closing, start, cursor) >= 0:
        return None
    line_end = code.find("\n", cursor)
    line_end = len(code) if line_end < 0 else line_end
    end = code.find(closing, start, line_end)
    closed = end >= 0
    end = end if closed else line_end
    return OpenTag(start, end, code[start:end], closed)


def is_unfinished(code: str) -> bool:
    """Return whether a prompt needs another line: a tag is open, or it ends with a backslash."""
    opening = code.rfind("@[")
    is_open = opening >= 0 and "]" not in code[opening:]
    return is_open or code.endswith("\\")
