"""The pictures of one answer, whatever a server calls them: kept, made a link, or left out with a notice. Pure.

To add a form, extend a table here, and add a case to tests/provider/test_pictures.py.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from msgbook.events import ModelDisplay, Notice, StreamEvent
from msgbook.images import IMAGE_LIMIT, MAX_IMAGES, image_type
from msgbook_format.typed import as_dict, as_items, as_text

ALL_IMAGES_LIMIT = 4 * IMAGE_LIMIT
"""Bytes of all pictures of an answer that are kept."""

_TYPES = frozenset(("image_url", "image", "output_image", "input_image", "image_generation_call"))
"""Types of parts and items that are pictures."""

_SOURCES = (
    "image_url",  # OpenRouter, seed 001
    "url",
    "result",  # the item of the Responses API
    "b64_json",  # images of OpenAI
    "source",  # Anthropic
    "inline_data",  # Gemini
    "inlineData",
    "data",
    "base64",
    "image",
)
"""Keys that hold a picture, or an object that does."""

_NAME = re.compile("image|picture|photo|inline_?data|b64_?json", re.IGNORECASE)
"""Keys and types whose value is a picture, wherever a server puts them."""

_DEPTH = 4
"""Objects in one another in which the source of a picture is looked for: `{"image_url": {"url": ...}}` is two of
them."""
_URL_LIMIT = 2000
"""Characters of a picture's URL; many servers refuse longer ones."""
_DATA = re.compile(r"data:[^,]{0,100};base64,", re.IGNORECASE)
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_URLSAFE = str.maketrans("-_", "+/", " \t\r\n")
"""Base64 in one form: with the usual characters, and without blanks."""
_IN_URLS = "%/?#:@!+,;=~&-._$*'"


class Pictures:
    """Collects the pictures of one answer. Servers repeat them: each is shown once."""

    def __init__(self) -> None:
        self._known: set[int] = set()
        self._bytes = 0
        self._left_out: Counter[str] = Counter()

    def of_part(self, part: Any) -> list[StreamEvent] | None:
        """Return the events of a part of a message: none if its picture came before; None if it is not a picture."""
        kind = as_dict(part).get("type")
        is_picture = isinstance(kind, str) and (
            kind in _TYPES or (_NAME.search(kind) is not None and _is_picture(part))
        )
        if not is_picture and not (isinstance(part, dict) and _is_inline(part)):
            return None
        return self.of_value(part)

    def of_key(self, key: str, value: Any) -> list[StreamEvent] | None:
        """Return the events of a value under a key that nobody knows; None if it is not a picture, or not only that."""
        parts = as_items(value)
        is_named = bool(_NAME.search(key))
        found: list[StreamEvent] = []
        for part in parts:
            is_data = isinstance(part, str) and _DATA.match(part) is not None
            is_picture = is_data or (is_named and _is_picture(part))
            events = self.of_value(part) if is_picture else self.of_part(part)
            if events is None:
                return None
            found += events
        return found if parts else None

    def of_value(self, value: Any, item: dict[str, Any] | None = None) -> list[StreamEvent] | None:
        """Return the events of a value that stands where pictures stand; None if there is none in it.

        Args:
            item: The output item without its picture.
        """
        source = _source(value, _DEPTH)
        if not source:
            return None
        if (mark := hash(source)) in self._known:
            return []
        data = self._bundle(source)
        if not data:
            return []
        self._known.add(mark)
        return [ModelDisplay(data, item)]

    def take(self) -> Iterator[Notice]:
        """Yield the notice about pictures that were left out, once."""
        left_out, self._left_out = self._left_out, Counter()
        if left_out:
            reasons = ", ".join(f"{number} {reason}" for reason, number in left_out.items())
            yield Notice(f"Images of the model that are not kept: {reasons}.", "warning")

    def _bundle(self, source: str) -> dict[str, str]:
        """Return the MIME bundle of a picture; empty if it is left out."""
        if len(self._known) == MAX_IMAGES:
            return self._leave_out(f"beyond the {MAX_IMAGES} of one answer")
        if source[:8].lower().startswith(("http://", "https://")):
            if len(source) > _URL_LIMIT:
                return self._leave_out("with too long an address")
            return {"text/markdown": f"[image]({quote(source, safe=_IN_URLS)})"}
        head = _DATA.match(source)
        text = source[head.end() if head else 0 :].translate(_URLSAFE)
        size = len(text) * 3 // 4
        if size > IMAGE_LIMIT or self._bytes + size > ALL_IMAGES_LIMIT:
            limits = f"{IMAGE_LIMIT // 1_000_000} MB, {ALL_IMAGES_LIMIT // 1_000_000} MB of all"
            return self._leave_out(f"too large (the limit is {limits})")
        mime = _mime_of(text)
        if mime is None:
            return self._leave_out("of another type than PNG, JPEG, GIF and WebP")
        self._bytes += size
        return {mime: text + "=" * (-len(text) % 4)}

    def _leave_out(self, reason: str) -> dict[str, str]:
        self._left_out[reason] += 1
        return {}


def _source(value: Any, depth: int) -> str:
    """Return the URL or the base64 of a picture; empty if there is none."""
    if isinstance(value, str):
        return value.strip()
    if not isinstance(value, dict) or not depth:
        return ""
    named = [key for key in value if key not in _SOURCES and _NAME.search(key)]
    found = (_source(value[key], depth - 1) for key in (*_SOURCES, *named) if value.get(key))
    return next(filter(None, found), "")


def _is_picture(value: Any) -> bool:
    """Return whether a value holds the URL or the bytes of a picture, and no other words."""
    source = _source(value, _DEPTH)
    is_url = source[:8].lower().startswith(("http://", "https://")) or _DATA.match(source)
    return bool(is_url) or _mime_of(source.translate(_URLSAFE)) is not None


def _is_inline(part: dict[str, Any]) -> bool:
    """Return whether a part without a known type is a picture of Gemini's form, or holds one under a key that says so."""
    if any(_NAME.search(key) and _is_picture(value) for key, value in part.items()):
        return True
    inline = part.get("inline_data") or part.get("inlineData")
    mime = inline.get("mime_type") or inline.get("mimeType") if isinstance(inline, dict) else None
    return as_text(mime).startswith("image/")


def _mime_of(text: str) -> str | None:
    """Return the type of a picture by its first bytes: servers name another one now and then."""
    if not _BASE64.fullmatch(text):
        return None
    try:
        return image_type(base64.b64decode(text[:64] + "=" * (-len(text[:64]) % 4)))
    except (binascii.Error, ValueError):
        return None
