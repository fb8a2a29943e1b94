"""Reference tags in a text, `@[...]` and bare `@path`, and Markdown images. Pure, total, and linear in the text.

Tags in fences, in inline code or after a backslash are plain text. A tag stays on one line; only
the arguments of a tool may span several.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple

from msgbook.errors import MsgbookError
from msgbook.scanner import Problem, Scanner, locate_problems, match_brackets
from msgbook.text import one_line

Kind = Literal["path", "cell", "python", "tool"]

_OPENER = r"@\[|(?<![A-Za-z0-9_.+@/-])@(?P<bare>[^\s\x00-\x1f`'\"<>()\[\]{}|*?,;!@，。；：！？、（）“”‘’《》【】…]+)"
_TOOL = re.compile(r"@\[\s*([A-Za-z_][\w.-]*)\s*(?=\{\s*[\"}])")
_TOOL_END = re.compile(r"\s*\]")
# The last alternative is a quote that nothing closes, or a tag where JSON has none.
_JSON_PIECE = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}]|["@]', re.DOTALL)
_ASCII = re.compile(r"[!-~]+")
_PYTHON_NAME = re.compile(r"[^\W\d]\w*")
_CELL_OF = re.compile(r"(.+\.ipynb):cell:([^:]*)(?::(\d{1,9})(?::(\d{1,9}))?)?", re.IGNORECASE)
_BEGINS_LIKE_CELL_OF = re.compile(r"(.+\.ipynb):cell:", re.IGNORECASE)
_GLOB = re.compile(r"[*?]|\[[^\]]+\]|\{[^{}]*,[^{}]*\}")


class TagError(MsgbookError):
    """A tag that cannot be read; the message says what was expected."""


class Lines(NamedTuple):
    """A range of lines, or of a PDF's pages, 1-based; the last one is included."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Tag:
    """One tag, as written."""

    text: str
    """The text between the brackets, or after a bare `@`."""
    start: int
    """Position in the text."""
    is_bare: bool = False
    """Whether it has no brackets. Such a tag is a reference only if the file exists."""
    tool: str = ""
    """Name of the tool; empty if the tag is not a call."""
    arguments: str = ""
    """Arguments of the tool: JSON text as written."""
    written: str = ""
    """The text with the blanks around it; empty if there are none."""

    @property
    def spaced(self) -> tuple[str, ...]:
        """Possible texts with blanks around them: a file's name may begin or end with some."""
        written = self.written
        return (
            tuple(dict.fromkeys((written, written.rstrip(), written.lstrip()))) if written else ()
        )

    @property
    def spellings(self) -> tuple[str, ...]:
        """Possible paths of a bare tag, best first. Chinese prose goes on without a space."""
        ascii_part = _ASCII.match(self.text)
        shorter = ascii_part[0].rstrip(".:") if self.is_bare and ascii_part else self.text
        return (self.text,) if shorter in ("", self.text) else (self.text, shorter)


@dataclass(frozen=True, slots=True)
class Reference:
    """A tag that names no tool, with its macros expanded."""

    kind: Kind
    name: str
    """A path or glob, a cell's id, or the name of a Python variable."""
    lines: Lines | None = None
    cell: str = ""
    """The cell that is meant of a notebook; then the lines are those of its source."""


class FoundTags(NamedTuple):
    """The tags of a text, and problems with tags that are not complete."""

    tags: list[Tag]
    problems: list[Problem]


def find_tags(text: str, *, bare: bool = True) -> FoundTags:
    """Return the tags of a text, in order.

    Args:
        bare: Whether to look for bare `@path`, too.
    """
    tags: list[Tag] = []
    unclosed: list[tuple[int, str]] = []
    if "@" not in text:
        return FoundTags(tags, [])
    brackets: dict[int, int] | None = None
    scanner = Scanner(text, _OPENER)
    while opener := scanner.next():
        start = opener.start()
        if opener["bare"]:
            name = opener["bare"].rstrip(".:")
            if bare and name:
                tags.append(Tag(name, start, is_bare=True))
            continue
        if call := _parse_call(text, start):
            tag, end = call
            tags.append(tag)
            scanner.skip(end)
            continue
        if brackets is None:
            brackets = match_brackets(text, "[]")
        closing = brackets.get(start + 1)
        if closing is None:
            unclosed.append((start, f"{_excerpt(text, start)} has no closing bracket on its line."))
        elif inner := (written := text[start + 2 : closing]).strip():
            tags.append(Tag(inner, start, written="" if inner == written else written))
            scanner.skip(closing + 1)
    return FoundTags(tags, locate_problems(text, unclosed))


def parse_tag(text: str) -> Reference:
    """Return the reference that the text of a tag stands for. The tag calls no tool.

    Raises:
        TagError: The text is not a valid reference.
    """
    kind, colon, rest = text.partition(":")
    if colon and kind == "cell":
        if not rest.strip():
            raise TagError("expected the id of a cell after cell:")
        return Reference("cell", rest.strip())
    if colon and kind == "py":
        if not _PYTHON_NAME.fullmatch(rest.strip()):
            raise TagError("expected the name of a Python variable after py:")
        return Reference("python", rest.strip())
    if begin := _BEGINS_LIKE_CELL_OF.match(text):
        return _parse_cell_of(text, begin[1])
    name = text
    numbers: list[int] = []
    while len(numbers) < 2:
        path, colon, number = name.rpartition(":")
        if not (colon and path and number.isdecimal() and len(number) < 10):
            break
        name, numbers = path, [int(number), *numbers]
    if not numbers:
        return Reference("path", name)
    return Reference("path", name, _checked(Lines(numbers[0], numbers[-1]), parts_of(name)))


def _parse_cell_of(text: str, path: str) -> Reference:
    found = _CELL_OF.fullmatch(text)
    if found is None:
        raise TagError(f"expected @[{path}:cell:ID] or @[{path}:cell:ID:1:20]")
    path, cell, first, last = found.groups()
    if not cell.strip():
        raise TagError("expected the id of a cell after cell:")
    lines = _checked(Lines(int(first), int(last or first)), "lines") if first else None
    return Reference("path", path, lines, cell.strip())


def _checked(lines: Lines, parts: str) -> Lines:
    if not 1 <= lines.first <= lines.last:
        got = f"{lines.first}:{lines.last}"
        raise TagError(f"expected {parts} FIRST:LAST, counted from 1; got {got}")
    return lines


def parts_of(path: str) -> str:
    """Return what the numbers after a path count."""
    return "pages" if path.lower().endswith(".pdf") else "lines"


def is_glob(path: str) -> bool:
    """Return whether a path may be a pattern. A path that exists as written is not one."""
    return _GLOB.search(path) is not None


def _parse_call(text: str, start: int) -> tuple[Tag, int] | None:
    """Return the tool call that begins at a position, and its end; None if there is none.

    JSON has no `@` outside of strings. So each search ends at the next tag at the latest, which
    keeps the time linear.
    """
    head = _TOOL.match(text, start)
    if head is None:
        return None
    depth = 0
    for piece in _JSON_PIECE.finditer(text, head.end()):
        depth += {"{": 1, "}": -1}.get(piece[0], 0)
        if piece[0] in ('"', "@"):
            return None
        if depth == 0:
            end = _TOOL_END.match(text, piece.end())
            arguments = text[head.end() : piece.end()]
            return (
                (Tag(head[1] + arguments, start, False, head[1], arguments), end.end())
                if end
                else None
            )
    return None


def _excerpt(text: str, start: int) -> str:
    line = text[start : start + 40].splitlines()[0]
    return f"{line}..." if len(line) == 40 else line


# Markdown images in a text, as written. Pure.
#
# `![alt](path)` may have a title, `<...>`, and spaces or parentheses in the path; images in code are
# text. A title that ends with `detail=low` or `detail=high` asks for that detail.


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
