"""Literal replacement in a text, whatever its line ends."""

from __future__ import annotations

import re

from msgbook.errors import ToolError

_LINE_END = re.compile("\r?\n")


def replace_only(text: str, old: str, new: str, name: str) -> str:
    """Return the text with `new` in place of the only occurrence of `old`.

    LF, CRLF and, where all lines end so, CR count as equal in the search; the new text gets the line ends of its place.

    Raises:
        ToolError: `old` is empty, or occurs not at all or several times.
    """
    if "\r" in text and "\n" not in text:
        text, old, new = map(_with_lf, (text, old, new))
        return replace_only(text, old, new, name).replace("\n", "\r")
    old, new = _LINE_END.sub("\n", old), _LINE_END.sub("\n", new)
    if not old:
        raise ToolError("`old` is empty; give text that occurs in the file, or use write.")
    if old == new:
        raise ToolError("`old` and `new` are the same; there is nothing to change.")
    plain = _LINE_END.sub("\n", text)
    at = _only(plain, old, name)
    ends = [match.end() - match.start() for match in _LINE_END.finditer(text)]
    above, inside = plain.count("\n", 0, at), old.count("\n")
    begin = at + sum(ends[:above]) - above
    touched = ends[above : above + inside]
    stop = begin + len(old) + sum(touched) - inside
    # The line end within, else the one after, else the one before.
    near = [*touched, *ends[above : above + 1], *ends[above - 1 : above]]
    if near and near[0] == len("\r\n"):
        new = new.replace("\n", "\r\n")
    return text[:begin] + new + text[stop:]


def _with_lf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _only(text: str, old: str, name: str) -> int:
    """Return the position of the only occurrence of `old`; occurrences may overlap."""
    found: list[int] = []
    at = text.find(old)
    while at >= 0 and len(found) <= 100:
        found.append(at)
        at = text.find(old, at + 1)
    if not found:
        raise ToolError(f"`old` was not found in {name}; every character has to match.")
    if len(found) > 1:
        lines = [str(text.count("\n", 0, place) + 1) for place in found[:5]]
        count = "more than 100" if len(found) > 100 else str(len(found))
        raise ToolError(
            f"`old` occurs {count} times in {name} (lines {', '.join(lines)}"
            f"{', ...' if len(found) > 5 else ''}); give more of the text around it."
        )
    return found[0]
