"""Conversations of ChatGPT's export, `conversations.json`. Pure.

A conversation is a tree of messages (`mapping`); `current_node` is the last one of the branch that was shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgbook.other_chats import fields
from msgbook.other_chats.branches import find_branches
from msgbook.other_chats.chat import ChatMessage, OtherChat, Role
from msgbook.other_chats.chatgpt_content import Content, Reader, with_sources
from msgbook_format.metadata import as_dict

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
