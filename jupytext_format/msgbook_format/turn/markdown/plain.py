"""Markdown that needs no parser to be made safe: most of what models write.

A parser takes longer than all the rest of reading a message file. It is there to tell text from
code and from the links that it defines. Where both are plain to see, in fences at the top level
and paragraphs that begin at the margin, the same result comes without it.
"""

from __future__ import annotations

import re

from msgbook_format.turn.markdown.display import contain_formulas
from msgbook_format.turn.markdown.escape import code_block
from msgbook_format.turn.markdown.inline import safe_inline

_FENCE = re.compile(r"^(`{3,})([^`\n]*)\n", re.MULTILINE)
_FENCE_END = re.compile(r"^ {0,3}(`{3,})[ \t]*$", re.MULTILINE)
_DISPLAY_FORMULA = re.compile(r"\\\[|\\begin\{")
_SPECIAL = re.compile(r"\\|\$|&|<[A-Za-z/!?]|!\[|\]\(")
_SUSPECTS = "\\$&<]!"
_ODD_SPACE = re.compile(r"[^\S\n ]")
_BLOCK_START = re.compile(r"^(?:[ #>|]|[-+*_=:]|\d+[.)])|\|", re.MULTILINE)


def plain_markdown(text: str) -> str | None:
    """What `safe_markdown` makes of a text whose structure is plain to see.

    Args:
        text: free of control characters, as `visible` leaves it.

    Returns: None where it takes a parser to say.
    """
    if "$$" in text or ("\\" in text and _DISPLAY_FORMULA.search(text)):
        return None
    # Where there are formulas, also in code, quotes are escaped.
    quotes = "$" in text or "\\\\(" in text
    parts: list[str] = []
    position = 0
    while True:
        fence = _FENCE.search(text, position)
        outside = _outside(text[position : fence.start() if fence else len(text)], quotes)
        if outside is None:
            return None
        parts.append(outside)
        if fence is None:
            return "".join(parts).rstrip()
        end = _end(text, fence)
        if end is None:
            return None
        code = text[fence.end() : end.start()]
        parts.append(_apart(text, fence.start(), end.end(), code_block(code, fence[2])))
        position = end.end()


def _outside(text: str, quotes: bool) -> str | None:
    """What stands outside of fences, made safe; None where it takes a parser."""
    if not _is_all_text(text):
        return None
    if _is_harmless(text, quotes):
        return text
    parts = text.split("\n\n")
    for index, part in enumerate(parts):
        if _is_harmless(part, quotes):
            continue
        paragraph = part.strip("\n")
        if _BLOCK_START.search(paragraph):
            return None
        safe = safe_inline(paragraph, {}, quotes=quotes, table=False)
        parts[index] = part.replace(paragraph, contain_formulas(safe))
    return "\n\n".join(parts)


def _is_all_text(text: str) -> bool:
    """Whether there is no code but in spans, no definition, and no blank at the end of a line."""
    return not (
        "```" in text
        or "~~~" in text
        or "]:" in text
        or "\t" in text
        or "\n    " in text
        or " \n" in text
        or text[:4] == "    "
        or text[-1:] == " "
        or (not text.isascii() and _ODD_SPACE.search(text))
    )


def _is_harmless(text: str, quotes: bool) -> bool:
    """Whether text stays as it is."""
    return not (
        (any(map(text.__contains__, _SUSPECTS)) and _SPECIAL.search(text))
        or (quotes and '"' in text)
        or "ftp:" in text.lower()
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
