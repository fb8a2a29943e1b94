"""Safe Markdown without a parser, for the simple texts that models mostly write.

Parsing takes longer than all other work on a message file. The parser separates text from code and
from definitions of links. In a text of fences at the top level and paragraphs at the margin, the
same result is possible without it.
"""

from __future__ import annotations

import re

from msgbook_format.turn.markdown.escape import code_block
from msgbook_format.turn.markdown.formulas import contain_formulas
from msgbook_format.turn.markdown.inline import safe_inline

_FENCE = re.compile(r"^(`{3,})([^`\n]*)\n", re.MULTILINE)
_FENCE_END = re.compile(r"^ {0,3}(`{3,})[ \t]*$", re.MULTILINE)
_FORMULA = re.compile(r"\\[(\[]|\\begin\{")
_SPECIAL = re.compile(r"\\|\$|&|<[A-Za-z/!?]|!\[|\]\(")
_SUSPECTS = "\\$&<]!"
_ODD_SPACE = re.compile(r"[^\S\n ]")
_BLOCK_START = re.compile(r"^(?:[ #>|]|[-+*_=:]|\d+[.)])|\|", re.MULTILINE)


def safe_without_parser(text: str) -> str | None:
    """Return the safe Markdown of a text with a simple structure; None if it takes a parser.

    Args:
        text: Free of control characters, as `replace_controls` leaves it.
    """
    if (
        "$$" in text
        or "[^" in text
        or "<details>" in text.lower()
        or ("\\" in text and _FORMULA.search(text))
    ):
        return None
    dollars = text.count("$")
    parts: list[str] = []
    position = 0
    while True:
        start = text.find("```", position)
        fence = _FENCE.match(text, start) if start >= 0 else None
        outside = _outside(text[position : fence.start() if fence else len(text)], dollars)
        if outside is None:
            return None
        parts.append(outside)
        if fence is None:
            return "".join(parts).rstrip()
        end = _end(text, fence)
        if end is None:
            return None
        code = text[fence.end() : end.start()]
        parts.append(_separate(text, fence.start(), end.end(), code_block(code, fence[2])))
        position = end.end()


def _outside(text: str, dollars: int) -> str | None:
    """Return text outside of fences, made safe; None if it takes a parser."""
    if not _is_simple(text):
        return None
    if _is_safe(text, dollars):
        return text
    parts = text.split("\n\n")
    for index, part in enumerate(parts):
        if _is_safe(part, dollars):
            continue
        paragraph = part.strip("\n")
        if _BLOCK_START.search(paragraph):
            return None
        # Quotes are escaped wherever there are formulas, even in code.
        safe = safe_inline(paragraph, {}, quotes=dollars > 0, table=False, dollars=dollars > 1)
        parts[index] = part.replace(paragraph, contain_formulas(safe))
    return "\n\n".join(parts)


def _is_simple(text: str) -> bool:
    """Return whether there are no code blocks or tables with code, no definitions and no spaces at line ends."""
    return not (
        "```" in text
        or "~~~" in text
        or "]:" in text
        or ("|" in text and "`" in text)
        or "\t" in text
        or "\n    " in text
        or " \n" in text
        or text[:4] == "    "
        or text[-1:] == " "
        or (not text.isascii() and _ODD_SPACE.search(text))
    )


def _is_safe(text: str, dollars: int) -> bool:
    """Return whether text is safe without a change."""
    return not (
        (any(map(text.__contains__, _SUSPECTS)) and _SPECIAL.search(text)) or "ftp:" in text.lower()
    )


def _end(text: str, fence: re.Match[str]) -> re.Match[str] | None:
    """Return the line that closes a fence; None if it is open to the end of the text."""
    end = _FENCE_END.search(text, fence.end())
    while end is not None and len(end[1]) < len(fence[1]):
        end = _FENCE_END.search(text, end.end())
    return end


def _separate(text: str, start: int, end: int, block: str) -> str:
    """Return the block that replaces `text[start:end]`, with the blank lines that are missing."""
    before = "\n" if start > 1 and text[start - 2] != "\n" else ""
    after = "\n" if end + 1 < len(text) and text[end + 1] != "\n" else ""
    return before + block + after
