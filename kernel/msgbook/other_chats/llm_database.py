"""The database of the command `llm`, `logs.db`: its rows, read without trust in the file."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

from msgbook.errors import MsgbookError
from msgbook.other_chats.chat import OtherChat
from msgbook.other_chats.llm_logs import read_rows
from msgbook.other_chats.llm_threads import MOST_FRAGMENTS, read_threads
from msgbook.other_chats.unread import Unread
from msgbook_format import jsontext
from msgbook_format.files import open_regular

MAGIC = b"SQLite format 3\x00"

_LOGS_AHEAD = b"\x02\x02"
"""Versions for writing and reading of a file whose changes are in a log beside it (WAL)."""

_LONGEST = 300_000_000
"""Bytes of one value."""
_MOST_SECONDS = 120.0
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
