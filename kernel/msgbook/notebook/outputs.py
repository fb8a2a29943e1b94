"""The text and the images of code outputs, as they are sent. Pure; accepts malformed outputs."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterable, Mapping, Set
from itertools import groupby
from typing import Any

from msgbook.images import IMAGE_LIMIT, MAX_IMAGES, OUTPUT_IMAGE_TYPES, image_type
from msgbook.messages import Part
from msgbook.notebook.cells import SENT_TEXTS, Cell, once, outputs_of, source_of
from msgbook.text import sized
from msgbook_format.html_references import unescape
from msgbook_format.turn import TURN_MIME
from msgbook_format.typed import as_dict, as_list

_CONTROLS = re.compile(r"([\r\b])")
_NAME = re.compile(r"\[[\w.+-]+/[\w.+-]+\]")
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

_OBJECT = re.compile(r"\s*<[\w.]{1,100} (object|at 0x)[^<>\n]{0,100}>\s*")

HTML = "text/html"
"""Sent as text where no other type says more."""
_UNSEEN = re.compile(r"<(script|style|head|template|svg)\b.*?(?:</\1\b[^<>]*>|\Z)|<!--.*?(?:-->|\Z)", re.IGNORECASE | re.DOTALL)  # fmt: skip
_TAG = re.compile(r"</?([A-Za-z][\w-]*+)[^<>]*+>|<[!?][^<>]*+>")
_LINES = frozenset(
    (
        "address", "article", "blockquote", "br", "caption", "dd", "details", "div", "dl", "dt",
        "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "main", "ol", "p", "pre", "section", "summary", "table",
        "tbody", "thead", "tr", "ul",
    )
)  # fmt: skip
"""Elements that begin and end lines."""
_CELLS = ("td", "th")


def may_record(cell: Cell, keys: Set[str]) -> bool:
    """Return False only if no turn of the cell has any of these keys in its `context`."""
    return not keys.isdisjoint(_recorded_keys(cell))


@once
def _recorded_keys(cell: Cell) -> Set[str]:
    """Return the keys of the contexts of a cell's turns."""
    found: set[str] = set()
    for output in outputs_of(cell):
        data = output.get("data")
        turn = as_dict(data).get(TURN_MIME)
        found.update(as_dict(as_dict(turn).get("context")))
    return found


def outputs_text(
    outputs: Iterable[Mapping[str, Any]], size_of: Callable[[Any], int] | None = None
) -> str:
    """Return the text of the outputs without terminal colours; an image is named in its place.

    Args:
        size_of: Returns the bytes of data that have no text, to be named with them.
    """
    texts = []
    for stream, group in groupby(outputs, _stream):
        text = "".join(_text_of(output, size_of) for output in group)
        text = _ANSI.sub(
            "", text
        )  # first: a colour is not a column that a carriage return goes back over
        texts.append(text if stream is None else _as_shown(text))
    return "".join(texts)


def text_output(text: str) -> Mapping[str, Any]:
    """Return an output that shows a text."""
    return {"output_type": "display_data", "data": {"text/plain": text}, "metadata": {}}


def names_only(text: str) -> bool:
    """Return whether a text of outputs only names data that have no text."""
    return all(map(_NAME.fullmatch, text.split("\n")[:-1])) and text.endswith("\n")


def outputs_images(outputs: Iterable[Mapping[str, Any]]) -> list[Part]:
    """Return the PNG and JPEG images of the outputs, in order, without those that servers refuse."""
    parts: list[Part] = []
    for output in outputs:
        data = output.get("data")
        bundle = as_dict(data)
        for mime in OUTPUT_IMAGE_TYPES:
            url = _data_url(mime, bundle.get(mime))
            if url and len(parts) < MAX_IMAGES:
                image = {"url": url, "detail": "auto"}
                parts.append({"type": "image_url", "image_url": image})
    return parts


def _stream(output: Mapping[str, Any]) -> str | None:
    # Clients split a stream into several outputs.
    return str(output.get("name")) if output.get("output_type") == "stream" else None


def _as_shown(text: str) -> str:
    """Return a stream as it looks in the end. JupyterLab saves it so; other clients save it unchanged.

    A carriage return goes back to the start of the line, and a backspace deletes a character.
    """
    if "\r" not in text and "\b" not in text:
        return text
    return "\n".join(map(_line_as_shown, text.split("\n")))


def _line_as_shown(line: str) -> str:
    if "\r" not in line and "\b" not in line:
        return line
    shown: list[str] = []
    column = 0
    for piece in _CONTROLS.split(line):
        if piece == "\r":
            column = 0
        elif piece != "\b":
            shown[column : column + len(piece)] = piece
            column += len(piece)
        elif column:
            if column == len(shown):
                shown.pop()
            column -= 1
    return "".join(shown)


def _text_of(output: Mapping[str, Any], size_of: Callable[[Any], int] | None) -> str:
    if output.get("output_type") == "stream":
        return _lines(output.get("text"))
    if output.get("output_type") == "error":
        lines = as_list(output.get("traceback"))
        lines = lines or [f"{output.get('ename')}: {output.get('evalue')}"]
        return "\n".join(str(line) for line in lines) + "\n"
    data = output.get("data")
    if not isinstance(data, dict):
        return ""
    named = {mime: _name(mime, value, size_of) for mime, value in data.items()}
    images = "".join(name for mime, name in named.items() if str(mime).startswith("image/"))
    text = next((found for mime in SENT_TEXTS if (found := _lines(data.get(mime)))), "")
    if not images and is_bare(text):
        text = html_text(_lines(data.get(HTML))) or text
    if not text and not images:
        text = "".join(
            f"{json.dumps(data[mime], ensure_ascii=False)}\n"
            if mime == "application/json"
            else name
            for mime, name in named.items()
        )
    return images + text + ("\n" if text and not text.endswith("\n") else "")


def is_bare(text: str) -> bool:
    """Return whether a text is empty, or only Python's name of an object."""
    return not text or bool(_OBJECT.fullmatch(text))


def html_text(html: str) -> str:
    """Return what HTML says: a line for each row of a table, and for what stands on lines of its own."""
    html = _UNSEEN.sub("", html)
    is_aligned = "<pre" in html.lower()
    if not is_aligned:
        html = " ".join(html.split())  # as it is shown
    lines = unescape(_TAG.sub(_tag_text, html)).split("\n")
    shown = (line if is_aligned else " ".join(line.split()) for line in lines)
    return "".join(f"{line.rstrip(' |')}\n" for line in shown if line.strip(" |"))


def _tag_text(tag: re.Match[str]) -> str:
    name = (tag[1] or "").lower()
    if name in _CELLS:
        return " | " if tag[0].startswith("</") else ""
    return "\n" if name in _LINES else ""


def _name(mime: Any, value: Any, size_of: Callable[[Any], int] | None) -> str:
    return f"[{mime}]\n" if size_of is None else f"[{mime}, {sized(size_of(value))}]\n"


def _lines(text: Any) -> str:
    return source_of({"source": text})


def _data_url(mime: str, data: Any) -> str | None:
    """Return the image as a URL; None if the data is no such image, or is too large."""
    text = "".join(_lines(data).split())
    if not text or len(text) > IMAGE_LIMIT * 4 // 3 + 4:
        return None
    try:
        image = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return f"data:{mime};base64,{text}" if image_type(image) == mime else None
