"""The message section of an ordinary Markdown file: everything below one heading."""

from __future__ import annotations

import re

from msgbook_format.syntax.fence import closes_fence, opens_fence
from msgbook_format.syntax.markers import MAX_LEVEL

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


def split_section(text: str, heading: str) -> tuple[str, str] | None:
    """Return `text` up to and with the last ATX heading `heading` outside fences, and the rest.

    Returns None if there is no such heading. The first part ends without a newline.
    """
    pattern = re.compile(rf" {{0,3}}#{{1,6}}[ \t]+{re.escape(heading)}[ \t]*(?:[ \t]#+[ \t]*)?\r?")
    fence = ""
    end = -1
    position = 0
    for line in text.split("\n"):
        if line:
            fence = _fence_after(line, fence)
            if not fence and pattern.fullmatch(line):
                end = position + len(line)
        position += len(line) + 1
    return None if end < 0 else (text[:end], text[end:])


def level_below(document: str) -> int:
    """Return the level of the first marker below the heading at the end of `document`."""
    heading = document.rpartition("\n")[2].lstrip(" ")
    return min(len(heading) - len(heading.lstrip("#")) + 1, MAX_LEVEL)


def append_section(document: str, heading: str) -> str:
    """Return `document` with the heading `heading` at its end, after any open fence, which is closed."""
    fence = ""
    for line in document.split("\n"):
        fence = _fence_after(line, fence)
    parts = [part for part in (document, fence, f"## {heading}") if part]
    return "\n\n".join(parts)


def _fence_after(line: str, fence: str) -> str:
    """Return the characters that close the fence that is open after `line`; empty without one."""
    match = _FENCE.match(line)
    if match is None:
        return fence
    run, info = match[1], match[2]
    if not fence:
        return run if opens_fence(run, info) else ""
    return "" if closes_fence(run, info, fence) else fence
