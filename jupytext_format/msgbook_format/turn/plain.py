"""Markdown that needs no parser to be made safe: most of what models write."""

from __future__ import annotations

import re

from msgbook_format.turn.escape import code_block

_FENCE = re.compile(r"^(`{3,})([^`\n]*)\n", re.MULTILINE)
_FENCE_END = re.compile(r"^ {0,3}(`{3,})[ \t]*$", re.MULTILINE)
_DISPLAY_FORMULA = re.compile(r"\\\[|\\begin\{")
_SPECIAL = re.compile(r"\\|\$|&|\t|<[A-Za-z/!?]|!\[|\][(:]")
_SUSPECTS = "\\$&\t<]!"
_ODD_SPACE = re.compile(r"[^\S\n ]")


def plain_markdown(text: str) -> str | None:
    """What `safe_markdown` makes of a text of which it changes fences at the top level only.

    Args:
        text: free of control characters, as `visible` leaves it.

    Returns: None where it takes a parser to say.
    """
    if "$$" in text or ("\\" in text and _DISPLAY_FORMULA.search(text)):
        return None
    # Where there are formulas, quotes are escaped; they may stand in code only.
    quotes_matter = "$" in text or "\\\\(" in text
    parts: list[str] = []
    position = 0
    while fence := _FENCE.search(text, position):
        end = _end(text, fence)
        if end is None:
            return None
        code = text[fence.end() : end.start()]
        parts.append(text[position : fence.start()])
        parts.append(_apart(text, fence.start(), end.end(), code_block(code, fence[2])))
        position = end.end()
    parts.append(text[position:])
    for outside in parts[::2]:
        if not _is_plain(outside) or (quotes_matter and '"' in outside):
            return None
    return "".join(parts).rstrip()


def _is_plain(text: str) -> bool:
    """Whether nothing outside of fences has to be written otherwise, or begins a code block."""
    # In this order and form since each turn of a file that is read comes by here.
    return not (
        (any(map(text.__contains__, _SUSPECTS)) and _SPECIAL.search(text))
        or "```" in text
        or "~~~" in text
        or "\n    " in text
        or " \n" in text
        or text[:4] == "    "
        or text[-1:] == " "
        or "ftp:" in text.lower()
        or (not text.isascii() and _ODD_SPACE.search(text))
    )


def _end(text: str, fence: re.Match[str]) -> re.Match[str] | None:
    """The line that closes a fence; None for one that is open to the end of the text."""
    end = _FENCE_END.search(text, fence.end())
    while end is not None and len(end[1]) < len(fence[1]):
        end = _FENCE_END.search(text, end.end())
    return end


def _apart(text: str, start: int, end: int, block: str) -> str:
    """The block that stands for `text[start:end]`, with blank lines around it."""
    before = "\n" if start > 1 and text[start - 2] != "\n" else ""
    after = "\n" if end + 1 < len(text) and text[end + 1] != "\n" else ""
    return before + block + after
