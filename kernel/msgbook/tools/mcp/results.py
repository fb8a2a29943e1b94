"""A server's answer to a call, as the model reads it. Pure: a server may send anything."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgbook.errors import ToolError
from msgbook.images import MAX_IMAGES, data_url, image_type
from msgbook.text import counted, one_line, repair_surrogates
from msgbook.tools.base import Content

_SHOWN = 300
"""Characters of a name or an address."""

Part = dict[str, Any]


def read_result(result: Mapping[str, Any]) -> Content:
    """Return the result of a call: text, or content parts if there are images.

    Structured content counts only if there is no text, because servers repeat it as text.

    Raises:
        ToolError: The server says that the call failed.
    """
    entries = result.get("content")
    parts = [part for entry in _listed(entries) for part in _read_entry(entry)]
    structured = result.get("structuredContent")
    if structured is not None and not any(part["type"] == "text" for part in parts):
        parts.append(_text(json.dumps(structured, ensure_ascii=False, indent=1)))
    text = "\n".join(part["text"] for part in parts if part["type"] == "text")
    if result.get("isError") is True:
        raise ToolError(text or "The tool failed, and its server does not say why.")
    if any(part["type"] != "text" for part in parts):
        return list(_few(parts))
    return text or "(no content)"


def _few(parts: Iterable[Part]) -> Iterator[Part]:
    """Yield no more images than a model is sent, and neighbouring texts as one."""
    lines: list[str] = []
    images = 0
    for part in parts:
        if part["type"] == "text":
            lines.append(part["text"])
            continue
        images += 1
        if images > MAX_IMAGES:
            continue
        if lines:
            yield _text("\n".join(lines))
            lines = []
        yield part
    if images > MAX_IMAGES:
        more = counted(images - MAX_IMAGES, "more image")
        lines.append(f"[{more} left out; the limit of a result is {MAX_IMAGES}]")
    if lines:
        yield _text("\n".join(lines))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _read_entry(entry: Any) -> Iterator[Part]:
    """Yield the parts of one piece of content; a line in place of what a model cannot take."""
    if not isinstance(entry, dict):
        yield _text("[content that cannot be read was left out]")
        return
    match entry:
        case {"type": "text", "text": str(text)}:
            yield _text(text)
        case {"type": "image", "data": str(data)}:
            yield _image(data, entry.get("mimeType"))
        case {"type": "audio"}:
            yield _text(f"[{_kind(entry, 'audio')}: a model is not sent sound]")
        case {"type": "resource_link", "uri": str(uri)}:
            yield _text(_link(uri, entry))
        case {"type": "resource", "resource": {"uri": str(uri), **resource}}:
            yield _text(f"[resource {_line(uri)}]")
            yield _resource(resource)
        case _:
            kind = _line(str(entry.get("type")))
            yield _text(f"[content of the type {kind} was left out]")


def _resource(resource: Mapping[Any, Any]) -> Part:
    match resource:
        case {"text": str(text)}:
            return _text(text)
        case {"blob": str(data)}:
            return _image(data, resource.get("mimeType"))
        case _:
            return _text("[it has no content]")


def _image(data: str, mime: Any) -> Part:
    """Return an image whose data are one; otherwise a line, since a broken image spoils each later request."""
    kind = _line(mime) if isinstance(mime, str) else "data"
    try:
        raw = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return _text(f"[{kind}: its base64 cannot be read]")
    real = image_type(raw)
    if real is None:
        return _text(f"[{kind}, {len(raw)} bytes: a model cannot be sent it]")
    return {"type": "image_url", "image_url": {"url": data_url(real, raw)}}


def _link(uri: str, entry: Mapping[str, Any]) -> str:
    said = [entry.get(key) for key in ("name", "mimeType", "description")]
    words = ", ".join(_line(value) for value in said if isinstance(value, str) and value)
    return f"[resource {_line(uri)}{f': {words}' if words else ''}]"


def _kind(entry: Mapping[str, Any], otherwise: str) -> str:
    mime = entry.get("mimeType")
    return _line(mime) if isinstance(mime, str) else otherwise


def _line(text: str) -> str:
    return one_line(text, _SHOWN)


def _text(text: str) -> Part:
    return {"type": "text", "text": repair_surrogates(text)}
