"""A person's Markdown, written so that nbconvert's parser reads what was meant, with its pictures."""

from __future__ import annotations

import base64
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from markdown_it import MarkdownIt

from msgbook_format.cells import is_code
from msgbook_format.files import read_regular
from msgbook_format.links import real_path
from msgbook_format.picture_types import image_type
from msgbook_format.syntax import Dialect, StringPositions
from msgbook_format.turn import replace_controls
from msgbook_format.typed import as_dict, msgbook_metadata

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


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


# Pictures beside a conversation, which its prompts and notes name: they become attachments.
#
# A text may come from anybody, and an export is passed on. So only pictures inside the conversation's
# folder are read, never hidden ones, and none at all if that is the home folder or the root. An answer
# is a model's text, whose pictures stay links.


Json = dict[str, Any]

_MOST_BYTES = 50_000_000
"""Bytes of all pictures of one export, which are in the page as base64."""
_NOT_LOCAL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|[/\\~#?]")


class LocalPictures:
    """The pictures of a folder, each read once."""

    def __init__(self, folder: Path | None) -> None:
        """`folder` is that of the conversation; None if it is in none."""
        real = folder.resolve() if folder is not None else None
        home = os.path.expanduser("~")  # noqa: PTH111 - no error where there is none
        is_too_wide = real is not None and real in (Path(home).resolve(), Path(real.anchor))
        self._folder = None if is_too_wide else real
        self._left = _MOST_BYTES
        self._read: dict[str, Json | None] = {}

    def attach(self, cells: Sequence[Json], metadata: Json) -> list[Json]:
        """Return cells whose prompts and notes have the pictures that they name attached."""
        if self._folder is None:
            return list(cells)
        dialect = Dialect.from_metadata(metadata, None)
        return [self._attach(cell) if _is_by_a_person(cell, dialect) else cell for cell in cells]

    def _attach(self, cell: Json) -> Json:
        attachments = dict(as_dict(cell.get("attachments")))

        def attached(target: str) -> str | None:
            if target not in self._read:
                self._read[target] = self._find(target)
            picture = self._read[target]
            if picture is None:
                return None
            name = f"picture-{len(attachments) + 1}"
            while name in attachments:
                name += "-"
            attachments[name] = picture
            return f"attachment:{name}"

        source = replace_image_targets(cell["source"], attached)
        changed = source != cell["source"]
        return {**cell, "source": source, "attachments": attachments} if changed else cell

    def _find(self, target: str) -> Json | None:
        # Editors write a space as %20, but a file name may contain %20, too.
        for path in dict.fromkeys((target, unquote(target))):
            data = self._data(path)
            kind = image_type(data) if data is not None else None
            if data is not None and kind is not None:
                self._left -= len(data)
                return {kind: base64.b64encode(data).decode("ascii")}
        return None

    def _data(self, path: str) -> bytes | None:
        """Return the bytes of a file inside the folder; None for any other, which stays a link."""
        if self._folder is None or _NOT_LOCAL.match(path):
            return None
        try:
            real = real_path(self._folder / path)
            inside = real.relative_to(self._folder)
            if any(part.startswith(".") for part in inside.parts):
                return None
            return read_regular(real, self._left)
        except (OSError, ValueError):
            return None


def _is_by_a_person(cell: Json, dialect: Dialect) -> bool:
    if cell["cell_type"] == "markdown":
        return msgbook_metadata(cell).get("role") != "assistant"
    return cell["cell_type"] == "code" and not is_code(cell["source"], dialect)
