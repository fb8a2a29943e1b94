"""The content of a message of ChatGPT's export, by its `content_type`. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from msgbook.images import IMAGE_LIMIT, data_url, image_type
from msgbook.other_chats import fields
from msgbook.other_chats.chat import (
    OtherChat,
    call_block,
    reasoning_block,
    result_block,
    text_block,
)
from msgbook.other_chats.images import Images

_MARKS = ("\ue200", "\u3010")
"""Beginnings of the marks for sources: a private character, or a bracket in older chats."""
_MOST_SOURCES = 1000
_MOST_LINKED = 10_000_000
"""Characters of all links of one answer. Links that repeat to more are no sources, and the marks stay."""

_Json = dict[str, Any]


class Content(NamedTuple):
    """A content, and its name in the file."""

    value: _Json
    where: str

    @property
    def kind(self) -> str:
        """Its type; empty if it has none."""
        return fields.text_in(self.value, "content_type", self.where)


class Said(NamedTuple):
    """A content as text, with the files that it shows."""

    text: str
    images: dict[str, bytes]


class Reader:
    """Reader of the contents of one branch, in their order.

    Args:
        chat: Gets the findings.
        assets: Returns a file of the archive by its id.
    """

    def __init__(self, chat: OtherChat, assets: Callable[[str], bytes | None]) -> None:
        self._chat = chat
        self._assets = assets
        self._kept: _Json = {}
        self._call = ""
        """Id of the last call, until its result has come."""

    def take_kept(self) -> _Json:
        """Return what had no place since the last time."""
        kept, self._kept = self._kept, {}
        return kept

    def read(self, content: _Json, where: str) -> Said:
        """Return a content of a system or user message."""
        images = Images(self._chat.findings)
        texts = []
        for part, place in _parts(content, where):
            data = self._image(part) if isinstance(part, dict) else None
            texts.append(self._text(part, place) if data is None else images.attach(data))
        if "parts" not in content:
            texts.append(self._other(Content(content, where)))
        return Said("\n\n".join(filter(None, texts)), images.files)

    def hide(self, content: _Json, where: str) -> None:
        """Keep a content that was not shown with the chat, if it says something."""
        said = fields.without(content, ("content_type", "parts"))
        if said or any(fields.list_in(content, "parts", where)):
            self._chat.findings.append(
                "a message that ChatGPT does not show, such as custom instructions, is only in the metadata"
            )
            self._chat.kept.setdefault("hidden", []).append(content)

    def answer(self, content: Content) -> list[_Json]:
        """Return the blocks of a message of the assistant."""
        if content.kind == "thoughts":
            return [
                reasoning_block(_thought(fields.require(thought, dict, place), place))
                for number, thought in enumerate(
                    fields.list_in(content.value, "thoughts", content.where)
                )
                for place in [f"{content.where}.thoughts[{number}]"]
            ]
        if content.kind == "reasoning_recap":
            self._kept["content"] = content.value
            return []
        text = self.plain(content)
        return [text_block(text)] if text else []

    def call(self, content: Content, recipient: str, identity: str) -> _Json:
        """Return the block of a message that the assistant sent to a tool."""
        text = self.plain(content)
        self._call = identity
        is_object = text.lstrip().startswith("{") and _is_json(text)
        arguments = text if is_object else json.dumps({"code": text}, ensure_ascii=False)
        return call_block(identity, recipient, arguments)

    def result(self, content: Content, name: str, identity: str) -> _Json:
        """Return the block of a message of a tool."""
        parts: list[_Json] = []
        for part, place in _parts(content.value, content.where):
            data = self._image(part) if isinstance(part, dict) else None
            mime = image_type(data) if data and len(data) <= IMAGE_LIMIT else None
            if data and mime:
                parts.append({"type": "image_url", "image_url": {"url": data_url(mime, data)}})
            elif text := self._text(part, place):
                parts.append({"type": "text", "text": text})
        if "parts" not in content.value:
            parts.append({"type": "text", "text": self._other(content)})
        is_text = all(part["type"] == "text" for part in parts)
        found = "\n\n".join(part["text"] for part in parts) if is_text else parts
        call, self._call = self._call, ""
        if not call:
            self._kept["tool"] = name
        return result_block(call or identity, found, is_error=content.kind == "system_error")

    def plain(self, content: Content) -> str:
        """Return a content as text."""
        texts = [self._text(*part) for part in _parts(content.value, content.where)]
        if "parts" not in content.value:
            texts.append(self._other(content))
        return "\n\n".join(filter(None, texts))

    def _other(self, content: Content) -> str:
        """Return the text of a content without parts; others are kept."""
        for key in ("text", "result", "content"):
            found = content.value.get(key)
            if isinstance(found, str):
                extra = fields.without(
                    content.value, (key, "content_type", "language", "response_format_name")
                )
                if extra:
                    self._kept["content"] = extra
                return found
        if fields.without(content.value, ("content_type",)):
            self._chat.findings.append(
                f"content of the type {fields.shown(content.kind)} is only in the metadata"
            )
            self._kept["content"] = content.value
        return ""

    def _text(self, part: Any, where: str) -> str:
        if isinstance(part, str):
            return part
        fields.require(part, dict, where)
        if isinstance(part.get("text"), str):
            return str(part["text"])
        kind = part.get("content_type")
        what = (
            "an image"
            if kind == "image_asset_pointer"
            else f"a part of the type {fields.shown(kind)}"
        )
        self._chat.findings.append(f"{what} that is not in the archive is only named")
        self._kept.setdefault("parts", []).append(part)
        return "[image]" if kind == "image_asset_pointer" else ""

    def _image(self, part: _Json) -> bytes | None:
        pointer = part.get("asset_pointer")
        if part.get("content_type") != "image_asset_pointer" or not isinstance(pointer, str):
            return None
        return self._assets(pointer.rpartition("/")[2])


def with_sources(text: str, references: Any) -> str:
    """Return an answer with the links that ChatGPT shows in place of its marks for sources.

    Args:
        references: The message's `content_references`, of any shape.
    """
    if not any(mark in text for mark in _MARKS):
        return text
    links: dict[str, str] = {}
    for reference in references[:_MOST_SOURCES] if isinstance(references, list) else ():
        found = reference if isinstance(reference, dict) else {}
        mark, shown = found.get("matched_text"), found.get("alt")
        if isinstance(mark, str) and mark.startswith(_MARKS):
            links.setdefault(mark, shown if isinstance(shown, str) else "")
    if not links or sum(text.count(mark) * len(links[mark]) for mark in links) > _MOST_LINKED:
        return text
    # Longer marks first: a mark may begin with another one. What a link shows has no marks.
    marks = "|".join(re.escape(mark) for mark in sorted(links, key=len, reverse=True))
    return re.sub(marks, lambda mark: links[mark[0]], text)


def _parts(content: _Json, where: str) -> list[tuple[Any, str]]:
    parts = fields.list_in(content, "parts", where)
    return [
        (part, f"{where}.parts[{number}]") for number, part in enumerate(parts) if part is not None
    ]


def _thought(thought: _Json, where: str) -> str:
    texts = [fields.text_in(thought, key, where) for key in ("summary", "content")]
    return "\n\n".join(filter(None, texts))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
