"""Conversations of ChatGPT's export, `conversations.json`. Pure.

A conversation is a tree of messages (`mapping`); `current_node` is the last one of the branch that was shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from msgbook.extras.other_chats import fields
from msgbook.extras.other_chats.chat import (
    ChatMessage,
    Images,
    OtherChat,
    Role,
    call_block,
    find_branches,
    reasoning_block,
    result_block,
    text_block,
)
from msgbook.images import IMAGE_LIMIT, data_url, image_type
from msgbook_format.typed import as_dict, as_list, as_text

FORM = "chatgpt"

Assets = Callable[[str], bytes | None]
"""Returns the content of a file of the archive, given its id; None if there is none."""

_CONVERSATION = (
    "mapping",
    "title",
    "current_node",
    "moderation_results",
    "safe_urls",
    "blocked_urls",
)
_MESSAGE = (
    "id",
    "metadata",
    "author",
    "content",
    "create_time",
    "weight",
    "status",
    "end_turn",
    "recipient",
)
_BOOKKEEPING = (
    "model_slug",
    "default_model_slug",
    "resolved_model_slug",
    "message_type",
    "message_source",
    "request_id",
    "parent_id",
    "turn_exchange_id",
    "turn_trace_id",
    "timestamp_",
    "can_save",
    "finish_details",
    "is_complete",
    "serialization_metadata",
    "classifier_response",
    "reasoning_status",
    "finished_duration_sec",
    "skip_reasoning_title",
    "thinking_effort",
    "is_user_system_message",
    "rebase_system_message",
    "is_visually_hidden_from_conversation",
    "selected_sources",
    "selected_github_repos",
    "developer_mode_connector_ids",
    "dictation",
)
"""Keys of a message's metadata that say how its program handled it, and nothing of what was said."""
_SETTINGS = ("user_editable_context", "model_editable_context")
"""Types of content that a person did not write in the chat: custom instructions, memory."""

_Json = dict[str, Any]


def no_assets(_name: str) -> None:
    """Return None: there are no files."""


def read_conversation(value: _Json, where: str, assets: Assets = no_assets) -> OtherChat:
    """Return the chat of one conversation; its other branches are its forks.

    Raises:
        BadChatError: A value has another type, or the messages form a circle.
    """
    place = f"{where}.mapping" if where else "mapping"
    mapping = fields.require(value.get("mapping"), dict, place)
    parents: dict[str, str | None] = {}
    for name, node in mapping.items():
        fields.require(node, dict, f"{place}[{name[:60]!r}]")
        parents[name] = fields.text_in(node, "parent", f"{place}[{name[:60]!r}]") or None
    shown = fields.text_in(value, "current_node", where) or None
    branches = find_branches(parents, shown, place, mapping.__getitem__)
    title = fields.text_in(value, "title", where)
    kept = fields.without(value, _CONVERSATION)
    chat = _chat(title, mapping, branches.shown, place, assets)
    chat.kept |= kept
    if branches.left_out:
        chat.findings.append(f"{branches.left_out} other branches are left out: there are too many")
    forks = [_chat(title, mapping, path, place, assets) for path in branches.others]
    chat.forks = [fork for fork in forks if fork.messages]
    for fork in chat.forks:
        fork.kept |= kept
    return chat


def _chat(title: str, mapping: _Json, path: Sequence[str], where: str, assets: Assets) -> OtherChat:
    chat = OtherChat(FORM, title)
    reader = Reader(chat, assets)
    for name in path:
        place = f"{where}[{name[:60]!r}].message"
        message = mapping[name].get("message")
        if message is not None:
            read = _message(fields.require(message, dict, place), place, reader)
            chat.messages += [read] if read is not None else []
    return chat


def _message(message: _Json, where: str, reader: Reader) -> ChatMessage | None:
    author = fields.dict_in(message, "author", where)
    role = fields.text_in(author, "role", f"{where}.author")
    if role not in ("system", "user", "assistant", "tool"):
        raise fields.BadChatError(
            f"{where}.author.role", "one of system, user, assistant, tool", fields.shown(role)
        )
    content = fields.dict_in(message, "content", where)
    metadata = fields.dict_in(message, "metadata", where)
    kept = fields.without(message, _MESSAGE)
    more = fields.without(metadata, _BOOKKEEPING)
    if more:
        kept["metadata"] = more
    time = fields.utc_time(message.get("create_time"))
    if time:
        kept["time"] = time
    if role in ("system", "user"):
        is_hidden = metadata.get("is_visually_hidden_from_conversation") is True
        if is_hidden or content.get("content_type") in _SETTINGS:
            reader.hide(content, f"{where}.content")
            return None
        found = reader.read(content, f"{where}.content")
        unread = reader.take_kept()
        if not (found.text.strip() or unread):
            return None
        said: Role = "user" if role == "user" else "system"
        return ChatMessage(said, found.text, images=found.images, kept=kept | unread)
    blocks = _blocks(role, author, message, where, reader)
    for block in blocks:
        if block["type"] == "text":
            block["text"] = with_sources(block["text"], metadata.get("content_references"))
    model = as_dict(metadata).get("model_slug")
    return ChatMessage(
        "assistant",
        blocks=blocks,
        time=time,
        model=model if role == "assistant" and isinstance(model, str) else None,
        kept=kept | reader.take_kept(),
    )


def _blocks(role: str, author: _Json, message: _Json, where: str, reader: Reader) -> list[_Json]:
    content = Content(fields.dict_in(message, "content", where), f"{where}.content")
    identity = fields.text_in(message, "id", where)
    if role == "tool":
        return [reader.result(content, fields.text_in(author, "name", f"{where}.author"), identity)]
    recipient = fields.text_in(message, "recipient", where)
    if recipient not in ("", "all"):
        return [reader.call(content, recipient, identity)]
    return reader.answer(content)


# The content of a message of ChatGPT's export, by its `content_type`. Pure.


_MARKS = ("\ue200", "\u3010")
"""Beginnings of the marks for sources: a private character, or a bracket in older chats."""
_MOST_SOURCES = 1000
"""Sources of one answer: each is searched in its text."""
_MOST_LINKED = 10_000_000
"""Characters of all links of one answer. Links that repeat to more are not sources, and the marks stay."""


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
            data = self._image(part)
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
            data = self._image(part)
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
        match part:
            case str(text) | {"text": str(text)}:
                return text
        fields.require(part, dict, where)
        kind = part.get("content_type")
        what = (
            "an image"
            if kind == "image_asset_pointer"
            else f"a part of the type {fields.shown(kind)}"
        )
        self._chat.findings.append(f"{what} that is not in the archive is only named")
        self._kept.setdefault("parts", []).append(part)
        return "[image]" if kind == "image_asset_pointer" else ""

    def _image(self, part: Any) -> bytes | None:
        match part:
            case {"content_type": "image_asset_pointer", "asset_pointer": str(pointer)}:
                return self._assets(pointer.rpartition("/")[2])
        return None


def with_sources(text: str, references: Any) -> str:
    """Return an answer with the links that ChatGPT shows in place of its marks for sources.

    Args:
        references: The message's `content_references`, of any shape.
    """
    if not any(mark in text for mark in _MARKS):
        return text
    links: dict[str, str] = {}
    for reference in as_list(references)[:_MOST_SOURCES]:
        found = as_dict(reference)
        mark, shown = as_text(found.get("matched_text")), found.get("alt")
        if mark.startswith(_MARKS):
            links.setdefault(mark, as_text(shown))
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
