"""A person's Markdown, written so that nbconvert's parser reads what was meant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from msgbook_format.syntax import StringPositions
from msgbook_format.turn import replace_controls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Blocks only, and HTML is text, as for `safe_markdown`.
_PARSER = MarkdownIt("commonmark", {"html": False}).disable(["inline", "text_join"])

_MAY_NEED_SPELLING = re.compile(r"#[^\s#]|!\[")
_FALSE_HEADING = re.compile(r"^([ \t>*+.)0-9-]*+)(?=#{1,6}[^\s#])", re.MULTILINE)
_DEFINITION = re.compile(r"[ \t]*#define[ \t]")
_RUN = re.compile(r"(`+)")
_IMAGE_OR_CODE = re.compile(
    r"\\[!-/:-@\[-`{-~]|(?P<run>`+)"
    r"|(?P<start>!\[[^\[\]]*+\]\()(?P<inside>[ \t]*+<[^<>\n]*+>[^()<>\n]*+|[^()<>\n]*+(?:\([^()\n]*+\)[^()<>\n]*+)*+)\)"
)
_TITLE = re.compile(r"(?<![ \t])[ \t]++(?:\"[^\"]*+\"|'[^']*+')[ \t]*+$")
_HARD_BREAK = "  "
"""At the end of a line, Markdown's hard line break."""


def spell_for_nbconvert(text: str) -> str:
    """Return the message with Markdown, outside of code, that every parser reads alike.

    nbconvert takes `#define` and `#1` at the start of a line for headings; CommonMark does not. A
    macro's definition gets a line of its own. The target of an image whose path has spaces or
    parentheses gets angle brackets.
    """
    text = replace_controls(text)
    if not _MAY_NEED_SPELLING.search(text):
        return text
    lines = text.split("\n")
    for token in _PARSER.parse(text):
        if token.type == "inline" and token.map:
            start, end = token.map
            lines[start:end] = _paragraph(lines[start:end])
    return "\n".join(lines)


def _paragraph(lines: list[str]) -> list[str]:
    lines = list(lines)
    for index, line in enumerate(lines):
        if _DEFINITION.match(line):
            for ended in (index - 1, index):
                if 0 <= ended < len(lines) - 1:
                    lines[ended] = lines[ended].rstrip() + _HARD_BREAK
    text = "".join(_with_targets("\n".join(lines), _bracket_target))
    return _FALSE_HEADING.sub(r"\1\\", text).split("\n")


def replace_image_targets(text: str, replace: Callable[[str], str | None]) -> str:
    """Return Markdown with other targets of its images, outside of code.

    `replace` is given each target as written, without brackets and title; None leaves it.
    """
    if "![" not in text:
        return text

    def replaced(inside: str) -> str:
        target, rest = _split_title(inside)
        new = replace(target[1:-1] if target.startswith("<") else target)
        return inside if new is None else new + rest

    lines = text.split("\n")
    for token in reversed(_PARSER.parse(text)):
        if token.type == "inline" and token.map:
            start, end = token.map
            paragraph = "\n".join(lines[start:end])
            lines[start:end] = "".join(_with_targets(paragraph, replaced)).split("\n")
    return "\n".join(lines)


def _with_targets(text: str, change: Callable[[str], str]) -> Iterator[str]:
    """Yield the pieces of a paragraph; `change` makes other ones of what images have in brackets."""
    runs = StringPositions(text, (_RUN,))
    position = 0
    while found := _IMAGE_OR_CODE.search(text, position):
        yield text[position : found.start()]
        position = found.end()
        if found["run"]:
            closing = runs.find(found["run"], position)
            if closing >= 0:
                position = closing + len(found["run"])
            yield text[found.start() : position]
        elif found["start"]:
            yield f"{found['start']}{change(found['inside'])})"
        else:
            yield found[0]
    yield text[position:]


def _bracket_target(inside: str) -> str:
    target, rest = _split_title(inside)
    if target.startswith("<"):
        return inside
    return f"<{target}>{rest}" if re.search(r"[\s()]", target) else inside


def _split_title(inside: str) -> tuple[str, str]:
    """Return the target of an image, and the title after it with the space before it."""
    title = _TITLE.search(inside)
    target, rest = (inside[: title.start()], title[0]) if title else (inside, "")
    return target.strip(), rest
