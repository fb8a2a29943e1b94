"""Markdown images in a text, as written. Pure.

`![alt](path)` may have a title, `<...>`, and spaces or parentheses in the path; images in code are
text. A title that ends with `detail=low` or `detail=high` asks for that detail.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from msgbook.scanner import Scanner, match_brackets
from msgbook.text import one_line

_ANGLED = re.compile(r"\(\s*<([^<>\n]*)>[ \t]*(\"[^\"\n]*\"|'[^'\n]*')?[ \t]*\)")
_TITLE = re.compile(r"(?<![ \t])[ \t]++(\"[^\"]*+\"|'[^']*+')[ \t]*+$")
_DETAIL = re.compile(r"(?<![^\s,])detail=([^\s,]*)$")
_REMOTE = re.compile(r"https?://", re.IGNORECASE)
DATA_URL = re.compile(r"data:([\w/+.-]*)((?:;[\w=.-]+)*);base64,(.*)", re.IGNORECASE | re.DOTALL)

_AUTO = "auto"
DETAILS = ("low", "high", _AUTO)
"""Values of `detail` in a request (seed 001)."""


@dataclass(frozen=True, slots=True)
class Image:
    """A Markdown image, as written."""

    start: int
    end: int
    """Its span in the text, half-open."""
    alt: str
    target: str
    asked_detail: str | None = None
    """The value of `detail=` at the end of the title."""

    @property
    def detail(self) -> str:
        """The detail that is sent: `low`, `high` or `auto`."""
        return self.asked_detail if self.asked_detail in DETAILS else _AUTO

    @property
    def is_remote(self) -> bool:
        """True if the model's server loads it from its URL."""
        return is_remote(self.target)

    @property
    def name(self) -> str:
        """Name for a notice: data and long URLs are cut."""
        return one_line(
            self.target.partition(",")[0] if DATA_URL.match(self.target) else self.target, 200
        )


def is_remote(target: str) -> bool:
    """Return whether a target is a URL of the web."""
    return _REMOTE.match(target) is not None


def find_images(text: str) -> list[Image]:
    """Return the images of a text, outside of code, in order. Pure and linear."""
    images: list[Image] = []
    if "![" not in text:
        return images
    brackets = match_brackets(text, "[]", within=r"\n[ \t]*\r?\n")
    parentheses = match_brackets(text, "()")
    scanner = Scanner(text, r"!\[")
    while match := scanner.next():
        start = match.start()
        opening = brackets.get(start + 1, -2) + 1
        if opening < 0 or not text.startswith("(", opening):
            continue
        if angled := _ANGLED.match(text, opening):
            target, title, end = angled[1], angled[2], angled.end()  # blanks count within <>
        elif opening in parentheses:
            end = parentheses[opening] + 1
            target, title = _split_title(text[opening + 1 : end - 1])
            target = target.strip()
        else:
            continue
        if target.strip():
            alt = text[start + 2 : opening - 1]
            images.append(Image(start, end, alt, target, _asked_detail(title)))
            scanner.skip(end)
    return images


def _split_title(inside: str) -> tuple[str, str | None]:
    title = _TITLE.search(inside)
    return (inside[: title.start()], title[1]) if title else (inside, None)


def _asked_detail(title: str | None) -> str | None:
    found = _DETAIL.search(title[1:-1].rstrip()) if title else None
    return found[1] if found else None
