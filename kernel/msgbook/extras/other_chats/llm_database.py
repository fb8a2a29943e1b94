"""The database of the command `llm`, `logs.db`: its rows, read without trust in the file."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from msgbook.errors import MsgbookError
from msgbook.extras.other_chats import fields
from msgbook.extras.other_chats.chat import (
    ChatMessage,
    Images,
    OtherChat,
    call_block,
    find_branches,
    reasoning_block,
    result_block,
    text_block,
)
from msgbook.extras.other_chats.fields import Unread
from msgbook.extras.other_chats.llm_logs import FORM, read_rows, seconds_of, tool_schema, usage_of
from msgbook_format import jsontext
from msgbook_format.files import open_regular
from msgbook_format.typed import as_dict, as_text, text_or_none

MAGIC = b"SQLite format 3\x00"

_LOGS_AHEAD = b"\x02\x02"
"""Versions for writing and reading of a file whose changes are in a log beside it (WAL)."""

_LONGEST = 300_000_000
"""Bytes of one value, of which SQLite allows a billion. It is in memory several times."""
_MOST_SECONDS = 120.0
"""Seconds for all queries: a damaged index can make SQLite read on and on."""
_MOST_ROWS = 500_000
"""Rows of a table, each of which takes about 500 bytes."""
_STEPS = 100_000
"""Instructions of SQLite between two looks at the clock."""

_THREADS: dict[str, Sequence[str]] = {
    "threads": ("id", "name", "tip_message_hash", "forked_from"),
    "turns": ("id", "thread_id", "tip_message_hash", "model", "datetime_utc", "input_tokens", "output_tokens", "duration_ms"),
    "messages": ("hash", "parent_hash", "role", "provider_metadata"),
    "parts": ("id", "message_hash", "position", "type", "text", "payload"),
    "fragments": ("id", "content"),
    "attachments": ("id", "type", "path", "url", "content"),
}  # fmt: skip
_OFFERED: dict[str, Sequence[str]] = {
    "tools": ("id", "name", "description", "input_schema"),
    "turn_tools": ("turn_id", "tool_id"),
}
"""Tables of the tools that were offered, which a database may lack."""
_ROWS: dict[str, Sequence[str]] = {
    "responses": ("id", "model", "prompt", "system", "response", "conversation_id", "datetime_utc"),
}

_Json = dict[str, Any]


class BadDatabaseError(MsgbookError):
    """A database that is not one of `llm`, or cannot be read."""


def read_database(path: Path, unread: Unread) -> list[OtherChat]:
    """Return the chats of a database, which is not changed.

    Args:
        unread: Collects the errors of chats in which a value is not what `llm` writes.

    Raises:
        BadDatabaseError: The database cannot be read, or is another program's.
    """
    try:
        with closing(_opened(path)) as connection:
            tables = _tables(connection)
            if not tables.keys() & {"turns", "responses"}:
                raise BadDatabaseError(
                    "expected the tables `turns` or `responses` of `llm`, found neither"
                )
            chats: list[OtherChat] = []
            threaded: set[str] = set()
            if "turns" in tables:
                rows = {name: _rows(connection, tables, name, _THREADS[name]) for name in _THREADS}
                for name, columns in _OFFERED.items():
                    if set(columns) <= set(tables.get(name, ())):
                        rows[name] = _rows(connection, tables, name, columns)
                rows["parts"].sort(key=_position)
                threaded = {str(row["id"]) for row in rows["turns"]}
                chats += read_threads(rows, unread)
            if "responses" in tables:
                old = [
                    row for row in _responses(connection, tables) if str(row["id"]) not in threaded
                ]
                chats = read_rows(old, unread, "responses") + chats
            return chats
    except sqlite3.Error as error:
        raise BadDatabaseError(f"expected a database of `llm`, found: {error}") from None


def _opened(path: Path) -> sqlite3.Connection:
    with open_regular(path) as file:
        logs_ahead = file.read(20)[18:20] == _LOGS_AHEAD
    path = path.resolve()
    # Without its log nobody has it open. SQLite would leave a new log beside it.
    alone = logs_ahead and not path.with_name(f"{path.name}-wal").exists()
    uri = f"{path.as_uri()}?mode=ro{'&immutable=1' if alone else ''}"
    connection = sqlite3.connect(uri, uri=True, timeout=5)
    connection.row_factory = sqlite3.Row
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    end = time.monotonic() + _MOST_SECONDS
    connection.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA query_only = ON")
    return connection


def _tables(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """Return the columns of each table. Views and virtual tables, which run code of the file, are none."""
    listed = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
    names = [
        row["name"]
        for row in listed
        if isinstance(row["name"], str)
        and not str(row["sql"]).lstrip().upper().startswith("CREATE VIRTUAL")
    ]
    wanted = {*_THREADS, *_OFFERED, *_ROWS, *_BESIDE, "conversations"}
    return {
        name: [row["name"] for row in connection.execute(f'PRAGMA table_info("{name}")')]
        for name in names
        if name in wanted
    }


def _rows(
    connection: sqlite3.Connection,
    tables: dict[str, list[str]],
    name: str,
    columns: Sequence[str],
) -> list[_Json]:
    """Return the rows of a table, with the columns that have to be there, in the order of their making."""
    missing = [column for column in columns if column not in tables.get(name, ())]
    if missing:
        raise BadDatabaseError(
            f"expected the column `{missing[0]}` in the table `{name}`, found none"
        )
    listed = ", ".join(f'"{column}"' for column in columns)
    query = f'SELECT {listed} FROM "{name}" ORDER BY rowid'  # noqa: S608 - names of this module
    found = [dict(row) for row in islice(connection.execute(query), _MOST_ROWS + 1)]
    if len(found) > _MOST_ROWS:
        raise BadDatabaseError(f"expected at most {_MOST_ROWS:,} rows in `{name}`, found more")
    return found


_BESIDE: dict[str, Sequence[str]] = {
    "tool_calls": ("response_id", "name", "arguments", "tool_call_id"),
    "tool_results": ("response_id", "name", "output", "tool_call_id"),
    "prompt_fragments": ("response_id", "fragment_id"),
    "system_fragments": ("response_id", "fragment_id"),
    "prompt_attachments": ("response_id", "attachment_id"),
}
"""Tables beside `responses`; older databases lack some."""


def _responses(connection: sqlite3.Connection, tables: dict[str, list[str]]) -> list[_Json]:
    """Return the rows of `responses` in the form of `llm logs --json`."""
    more = ("reasoning", "duration_ms", "input_tokens", "output_tokens", "options_json")
    columns = [*_ROWS["responses"], *(name for name in more if name in tables["responses"])]
    rows = _rows(connection, tables, "responses", columns)
    by_id = {row["id"]: row for row in rows}
    names = {}
    if {"id", "name"} <= set(tables.get("conversations", ())):
        found = _rows(connection, tables, "conversations", ("id", "name"))
        names = {row["id"]: row["name"] for row in found}
    for row in rows:
        row["conversation_name"] = names.get(row["conversation_id"])
    texts = {}
    if "fragments" in tables:
        texts = {
            r["id"]: r["content"] for r in _rows(connection, tables, "fragments", ("id", "content"))
        }
    fragments = 0
    for name, wanted in _BESIDE.items():
        if name not in tables:
            continue
        key = "attachments" if name == "prompt_attachments" else name
        for value in _rows(connection, tables, name, wanted):
            owner = by_id.get(value.pop("response_id"))
            if "arguments" in value and isinstance(value["arguments"], str):
                value["arguments"] = jsontext.load_object(value["arguments"]) or value["arguments"]
            if "fragment_id" in value:
                value = {"content": texts.get(value["fragment_id"])}
                fragments += len(value["content"] or "")
                if fragments > MOST_FRAGMENTS:
                    raise BadDatabaseError(
                        f"expected at most {MOST_FRAGMENTS:,} characters in `{name}`, found more"
                    )
            if owner is not None:
                owner.setdefault(key, []).append(value)
    return rows


def _position(part: _Json) -> tuple[str, int]:
    position = part["position"]
    return str(part["message_hash"]), position if isinstance(position, int) else 0


# Threads of the tables that newer versions of `llm` write: messages that name the message above them. Pure.


MOST_FRAGMENTS = 500_000_000
"""Characters of all fragments that messages refer to; one that is used twice counts twice."""


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
        shown = text_or_none(shown)
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
            texts.append(as_text(found))
        return "".join(texts)

    def _attachment(self, payload: _Json, images: Images, chat: OtherChat) -> str:
        found = payload.get("attachment")
        name = as_dict(found).get("id")
        row = self._attachments.get(text_or_none(name), {})
        content = row.get("content")
        if isinstance(content, bytes) and str(row.get("type")).startswith("image/"):
            return images.attach(content)
        chat.findings.append("attachments that are not images are only named, in the metadata")
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
