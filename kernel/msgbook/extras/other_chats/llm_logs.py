"""Logs of the command `llm`, row by row: `llm logs --json`, and the tables of older databases. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

from msgbook.extras.other_chats import fields
from msgbook.extras.other_chats.chat import (
    ChatMessage,
    OtherChat,
    call_block,
    reasoning_block,
    result_block,
    text_block,
)
from msgbook.extras.other_chats.fields import Unread
from msgbook.extras.other_chats.json_text import BadJsonError
from msgbook_format.typed import has

FORM = "llm"

_ROW = (
    "id", "prompt", "system", "response", "reasoning", "model", "datetime_utc", "duration_ms", "input_tokens",
    "output_tokens", "conversation_id", "conversation_name", "conversation_model", "tool_calls", "tool_results",
    "prompt_fragments", "system_fragments", "tools", "fts",
)  # fmt: skip

_Json = dict[str, Any]


def read_rows(rows: Sequence[Any], unread: Unread, where: str = "") -> list[OtherChat]:
    """Return the chats of logged responses, in the order in which they began.

    Args:
        unread: Collects the errors of chats, and of rows that do not say of which chat they are.
    """
    by_chat: dict[str, list[tuple[str, _Json]]] = {}

    def name_of(place: str, row: Any) -> str:
        if isinstance(row, BadJsonError):
            raise row
        fields.require(row, dict, place)
        # A response of no conversation is one of its own.
        return fields.text_in(row, "conversation_id", place) or f"{place} alone"

    for number, row in enumerate(rows):
        place = f"{where}[{number}]"
        for name in unread.read(partial(name_of, place, row)):
            by_chat.setdefault(name, []).append((place, row))
    return [
        chat
        for name, placed in by_chat.items()
        for chat in unread.read(partial(_chat, name, placed))
    ]


def usage_of(row: _Json) -> dict[str, int]:
    """Return the tokens of a response."""
    counts = {key: fields.count_in(row, key) for key in ("input_tokens", "output_tokens")}
    return {key: count for key, count in counts.items() if count is not None}


def seconds_of(row: _Json) -> float | None:
    """Return how long a response took."""
    milliseconds = fields.count_in(row, "duration_ms")
    return None if milliseconds is None else milliseconds / 1000


def _chat(name: str, rows: list[tuple[str, _Json]]) -> OtherChat:
    chat = OtherChat(
        FORM, kept={"conversation_id": name} if rows[0][1].get("conversation_id") else {}
    )
    if all(isinstance(row.get("datetime_utc"), str) for _, row in rows):
        rows = sorted(rows, key=lambda placed: placed[1]["datetime_utc"])
    system = ""
    tools: dict[str, Any] = {}
    for where, row in rows:
        chat.title = chat.title or fields.text_in(row, "conversation_name", where)
        text = _with_fragments(row, "system", where)
        if text and text != system:
            system = text
            chat.messages.append(ChatMessage("system", text))
        for tool in fields.list_in(row, "tools", where):
            if has(tool, name=str):
                tools[tool["name"]] = tool_schema(tool)
        chat.messages += _messages(row, where, chat)
    if tools:
        chat.kept["tools"] = list(tools.values())
    return chat


def tool_schema(tool: _Json) -> _Json:
    """Return the schema of a tool as the chat API has it."""
    known = {"name": tool["name"], "description": tool.get("description") or ""}
    return {
        "type": "function",
        "function": known | {"parameters": tool.get("input_schema") or {"type": "object"}},
    }


def _messages(row: _Json, where: str, chat: OtherChat) -> list[ChatMessage]:
    kept = fields.without(row, _ROW)
    messages = []
    results = [_result(value, place) for value, place in _listed(row, "tool_results", where)]
    if results:
        messages.append(ChatMessage("assistant", blocks=results))
    if fields.list_in(row, "attachments", where):
        chat.findings.append(
            "attachments, of which the log has no content, are only in the metadata"
        )
    prompt = _with_fragments(row, "prompt", where)
    if prompt or not results:
        messages.append(ChatMessage("user", prompt, kept=kept))
        kept = {}
    blocks = []
    for key, make in (("reasoning", reasoning_block), ("response", text_block)):
        text = fields.text_in(row, key, where)
        blocks += [make(text)] if text else []
    blocks += [_call(value, place) for value, place in _listed(row, "tool_calls", where)]
    if blocks:
        messages.append(
            ChatMessage(
                "assistant",
                blocks=blocks,
                model=fields.text_in(row, "model", where) or None,
                time=fields.utc_time(row.get("datetime_utc")),
                usage=usage_of(row),
                duration=seconds_of(row),
                kept=kept,
            )
        )
    return messages


def _with_fragments(row: _Json, key: str, where: str) -> str:
    """Return a text with its fragments, which older versions log beside it."""
    text = fields.text_in(row, key, where)
    texts = []
    for value, place in _listed(row, f"{key}_fragments", where):
        fragment = fields.text_in(value, "content", place)
        if fragment and fragment not in text:
            texts.append(fragment)
    return "\n".join([*texts, text] if text else texts)


def _listed(row: _Json, key: str, where: str) -> list[tuple[_Json, str]]:
    listed = []
    for number, value in enumerate(fields.list_in(row, key, where)):
        place = f"{where}.{key}[{number}]"
        listed.append((fields.require(value, dict, place), place))
    return listed


def _call(value: _Json, where: str) -> _Json:
    arguments = value.get("arguments")
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments or {}, ensure_ascii=False)
    call_id = fields.text_in(value, "tool_call_id", where)
    return call_block(call_id, fields.text_in(value, "name", where), arguments)


def _result(value: _Json, where: str) -> _Json:
    output = value.get("output")
    if not isinstance(output, str):
        output = "" if output is None else json.dumps(output, ensure_ascii=False)
    is_error = bool(value.get("exception"))
    return result_block(fields.text_in(value, "tool_call_id", where), output, is_error=is_error)
