"""Threads of the tables that newer versions of `llm` write: messages that name the message above them. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from msgbook.other_chats import fields
from msgbook.other_chats.branches import find_branches
from msgbook.other_chats.chat import (
    ChatMessage,
    OtherChat,
    call_block,
    reasoning_block,
    result_block,
    text_block,
)
from msgbook.other_chats.images import Images
from msgbook.other_chats.llm_logs import FORM, seconds_of, tool_schema, usage_of
from msgbook.other_chats.unread import Unread
from msgbook_format import jsontext

MOST_FRAGMENTS = 500_000_000
"""Characters of all fragments that messages refer to; one that is used twice counts twice."""

_Json = dict[str, Any]
Rows = Mapping[str, Sequence[_Json]]
"""Rows by the name of their table."""


def read_threads(rows: Rows, unread: Unread) -> list[OtherChat]:
    """Return the chats of all threads, in the order in which they began.

    Args:
        unread: Collects the errors of threads.
    """
    reader = _Reader(rows)
    turns: dict[str, list[_Json]] = {}
    for number, turn in enumerate(rows["turns"]):
        for thread in unread.read(partial(fields.text_in, turn, "thread_id", f"turns[{number}]")):
            turns.setdefault(thread, []).append(turn)
    names = {thread.get("id"): thread for thread in rows["threads"]}
    return [
        chat
        for name, found in turns.items()
        for chat in unread.read(partial(reader.chat, name, names.get(name, {}), found))
    ]


class _Reader:
    def __init__(self, rows: Rows) -> None:
        self._messages = {str(row.get("hash")): row for row in rows["messages"]}
        self._fragments = {row.get("id"): row.get("content") for row in rows["fragments"]}
        self._fragments_left = MOST_FRAGMENTS
        self._attachments = {row.get("id"): row for row in rows["attachments"]}
        self._tools = {row.get("id"): row for row in rows.get("tools", ())}
        self._offered: dict[str, list[Any]] = {}
        for row in rows.get("turn_tools", ()):
            self._offered.setdefault(str(row.get("turn_id")), []).append(row.get("tool_id"))
        self._parts: dict[str, list[_Json]] = {}
        for row in rows["parts"]:
            self._parts.setdefault(str(row.get("message_hash")), []).append(row)

    def chat(self, name: str, thread: _Json, turns: list[_Json]) -> OtherChat:
        place = f"threads[{name[:60]!r}]"
        by_tip = {fields.text_in(turn, "tip_message_hash", place): turn for turn in turns}
        parents: dict[str, str | None] = {}
        for tip in by_tip:
            above: str | None = tip
            while above and above in self._messages and above not in parents:
                row = self._messages[above]
                parents[above] = (
                    fields.text_in(row, "parent_hash", f"messages[{above[:60]!r}]") or None
                )
                above = parents[above]
        shown = thread.get("tip_message_hash")
        shown = shown if isinstance(shown, str) else None
        branches = find_branches(parents, shown, "messages", self._parts.get)
        title = fields.text_in(thread, "name", place)
        kept = fields.without(
            {"conversation_id": name, "forked_from": thread.get("forked_from")}, ()
        )
        tools = self._tools_of(turns)
        if tools:
            kept["tools"] = tools
        chats = []
        for path in (branches.shown, *branches.others):
            chat = OtherChat(FORM, title, kept=dict(kept))
            for message in path:
                chat.messages.append(self._message(message, by_tip.get(message, {}), chat))
            chats.append(chat)
        if branches.left_out:
            chats[0].findings.append(
                f"{branches.left_out} other branches are left out: there are too many"
            )
        chats[0].forks = chats[1:]
        return chats[0]

    def _tools_of(self, turns: list[_Json]) -> list[_Json]:
        """Return the schemas of the tools that were offered in a thread, by name."""
        found = {}
        for turn in turns:
            for number in self._offered.get(str(turn.get("id")), ()):
                row = self._tools.get(str_or_int(number), {})
                if isinstance(row.get("name"), str):
                    schema = row.get("input_schema")
                    parameters = jsontext.load_object(schema) if isinstance(schema, str) else None
                    found[row["name"]] = tool_schema({**row, "input_schema": parameters})
        return list(found.values())

    def _message(self, name: str, turn: _Json, chat: OtherChat) -> ChatMessage:
        place = f"messages[{name[:60]!r}]"
        row = self._messages[name]
        role = fields.text_in(row, "role", place)
        if role not in ("system", "user", "assistant", "tool"):
            raise fields.BadChatError(
                f"{place}.role", "one of system, user, assistant, tool", fields.shown(role)
            )
        kept = fields.without(row, ("hash", "parent_hash", "role"))
        parts = [self._part(part) for part in self._parts.get(name, [])]
        if role in ("system", "user"):
            images = Images(chat.findings)
            text = "\n\n".join(
                filter(None, [self._text(part, payload, images, chat) for part, payload in parts])
            )
            said: Any = role
            return ChatMessage(said, text, images=images.files, kept=kept)
        blocks = [self._block(part, payload, chat, kept) for part, payload in parts]
        return ChatMessage(
            "assistant",
            blocks=[block for block in blocks if block is not None],
            model=fields.text_in(turn, "model", place) or None,
            time=fields.utc_time(turn.get("datetime_utc")),
            usage=usage_of(turn),
            duration=seconds_of(turn),
            kept=kept,
        )

    def _part(self, row: _Json) -> tuple[_Json, _Json]:
        """Return a part and what it holds beside its text."""
        text = fields.text_in(row, "payload", f"parts[{row.get('id')}]")
        payload = jsontext.load_object(text) if text else {}
        if payload is None:
            raise fields.BadChatError(
                f"parts[{row.get('id')}].payload", "a JSON object", "other text"
            )
        return row, payload

    def _text(self, part: _Json, payload: _Json, images: Images, chat: OtherChat) -> str:
        if part.get("type") == "attachment":
            return self._attachment(payload, images, chat)
        return self._plain(part, payload)

    def _plain(self, part: _Json, payload: _Json) -> str:
        place = f"parts[{part.get('id')}]"
        if part.get("text"):
            return fields.text_in(part, "text", place)
        texts = []
        for piece in fields.list_in(payload, "text_ref", f"{place}.payload"):
            fields.require(piece, dict, f"{place}.payload.text_ref")
            found = piece.get("literal")
            if found is None:
                found = self._fragments.get(str_or_int(piece.get("fragment")))
                self._fragments_left -= len(found) if isinstance(found, str) else 0
                if self._fragments_left < 0:
                    raise fields.BadChatError(
                        "fragments", f"at most {MOST_FRAGMENTS:,} characters", "more"
                    )
            texts.append(found if isinstance(found, str) else "")
        return "".join(texts)

    def _attachment(self, payload: _Json, images: Images, chat: OtherChat) -> str:
        found = payload.get("attachment")
        name = found.get("id") if isinstance(found, dict) else None
        row = self._attachments.get(name if isinstance(name, str) else None, {})
        content = row.get("content")
        if isinstance(content, bytes) and str(row.get("type")).startswith("image/"):
            return images.attach(content)
        chat.findings.append("attachments that are no images are only named, in the metadata")
        chat.kept.setdefault("attachments", []).append(
            fields.without({**row, "content": None, "id": name}, ())
        )
        return ""

    def _block(self, part: _Json, payload: _Json, chat: OtherChat, kept: _Json) -> _Json | None:
        place = f"parts[{part.get('id')}].payload"
        kind = part.get("type")
        if kind == "text":
            return text_block(self._plain(part, payload))
        if kind == "reasoning":
            return reasoning_block(self._plain(part, payload))
        call_id = fields.text_in(payload, "tool_call_id", place)
        if kind == "tool_call":
            arguments = json.dumps(payload.get("arguments") or {}, ensure_ascii=False)
            return call_block(call_id, fields.text_in(payload, "name", place), arguments)
        if kind == "tool_result":
            output = fields.text_in(payload, "output", place) or self._plain(part, payload)
            return result_block(call_id, output, is_error=bool(payload.get("exception")))
        chat.findings.append(f"content of the type {fields.shown(kind)} is only in the metadata")
        kept.setdefault("parts", []).append({"type": fields.shown(kind), **payload})
        return None


def str_or_int(value: Any) -> str | int | None:
    """Return a key of a table; None for anything else, which may not be hashable."""
    return value if isinstance(value, (str, int)) else None
