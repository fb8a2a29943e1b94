"""Chats in the shape in which other programs write them."""

from __future__ import annotations

import base64
import io
import json
import sqlite3
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

from msgbook_format.turn import turn_of

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
MESSAGES = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "%time is no magic, @[a.txt] no file"},
    {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [
            {
                "id": "call_1",
                "type": "function",
                "function": {"name": "look", "arguments": '{"at": "sea"}'},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "call_1", "content": "blue"},
    {"role": "assistant", "content": "It is *blue*."},
    {"role": "user", "content": "Thanks"},
    {"role": "assistant", "content": "Welcome."},
]
LOOK = {
    "type": "function",
    "function": {"name": "look", "description": "Look.", "parameters": {"type": "object"}},
}


def node(name: str, parent: str | None, role: str = "", *parts: Any, **more: Any) -> dict[str, Any]:
    """Return a node of ChatGPT's tree; without a role it is the root."""
    message = None
    if role:
        content = more.pop("content", {"content_type": "text", "parts": list(parts)})
        message = {
            "id": name,
            "author": {"role": role, "name": more.pop("tool", None), "metadata": {}},
            "create_time": 1736209412.5,
            "content": content,
            "status": "finished_successfully",
            "weight": 1.0,
            "recipient": more.pop("recipient", "all"),
            "metadata": {"model_slug": "gpt-4o"} if role == "assistant" else {},
            **more,
        }
    return {"id": name, "parent": parent, "children": [], "message": message}


def chatgpt(title: str = "Tides", *nodes: dict[str, Any], current: str = "") -> dict[str, Any]:
    """Return one conversation of ChatGPT; by default one whose question was edited."""
    nodes = nodes or (
        node("root", None),
        node("s", "root", "system", ""),
        node("u1", "s", "user", "What are tides?"),
        node("a1", "u1", "assistant", "Waves of the moon."),
        node("u2", "s", "user", "What causes tides?"),
        node("t2", "u2", "assistant", content={
            "content_type": "thoughts",
            "thoughts": [{"summary": "Causes", "content": "The moon pulls."}],
        }),
        node("c2", "t2", "assistant", recipient="python", content={
            "content_type": "code", "language": "unknown", "text": "print(6 * 2)",
        }),
        node("r2", "c2", "tool", tool="python", content={
            "content_type": "execution_output", "text": "12",
        }),
        node("a2", "r2", "assistant", "The moon, twice in 24 hours."),
    )  # fmt: skip
    mapping = {one["id"]: one for one in nodes}
    for one in nodes:
        if one["parent"] in mapping:
            mapping[one["parent"]]["children"].append(one["id"])
    return {
        "title": title,
        "create_time": 1736209400.1,
        "update_time": 1736209800.2,
        "mapping": mapping,
        "current_node": current or nodes[-1]["id"],
        "conversation_id": "8f3a2b1c",
        "default_model_slug": "gpt-4o",
        "is_archived": False,
    }


TWO_GPT = [chatgpt(), chatgpt("Sea")]


def claude(name: str = "Rust or Go") -> dict[str, Any]:
    """Return one conversation of Claude."""
    text = {"start_timestamp": None, "stop_timestamp": None, "citations": []}
    return {
        "uuid": "c1",
        "name": name,
        "summary": "",
        "created_at": "2026-03-01T10:00:00.123456Z",
        "updated_at": "2026-03-01T10:05:00.123456Z",
        "account": {"uuid": "a1"},
        "chat_messages": [
            {
                "uuid": "m1",
                "text": "Which one?",
                "content": [{**text, "type": "text", "text": "Which one?"}],
                "sender": "human",
                "created_at": "2026-03-01T10:00:01.5Z",
                "updated_at": "2026-03-01T10:00:01.5Z",
                "attachments": [
                    {"file_name": "needs.txt", "file_size": 5, "file_type": "txt", "extracted_content": "fast"}
                ],
                "files": [{"file_name": "photo.png"}],
            },
            {
                "uuid": "m2",
                "text": "Rust.",
                "content": [
                    {**text, "type": "thinking", "thinking": "Fast it must be.", "summaries": []},
                    {**text, "type": "tool_use", "name": "web_search", "input": {"query": "rust"}},
                    {
                        **text,
                        "type": "tool_result",
                        "name": "web_search",
                        "content": [{"type": "text", "text": "Rust is fast."}],
                        "is_error": False,
                    },
                    {**text, "type": "text", "text": "Rust."},
                ],
                "sender": "assistant",
                "created_at": "2026-03-01T10:00:09.5Z",
                "updated_at": "2026-03-01T10:00:09.5Z",
                "attachments": [],
                "files": [],
            },
        ],
    }  # fmt: skip


def jupyter_ai() -> dict[str, Any]:
    """Return a chat of jupyter-ai."""
    return {
        "messages": [
            {"body": "@Jupyternaut plot it", "id": "1", "time": 1736209400.5, "sender": "u-1",
             "type": "msg", "attachments": ["f-1"], "mentions": ["jupyternaut"], "raw_time": False},
            {"body": "`plt.plot(x)`", "id": "2", "time": 1736209401.5, "sender": "jupyternaut",
             "type": "msg", "mentions": [], "raw_time": False},
            {"body": "", "id": "3", "time": 1736209402.5, "sender": "u-1", "deleted": True},
        ],
        "users": {
            "u-1": {"username": "u-1", "name": "Ann", "display_name": "Ann", "bot": False},
            "jupyternaut": {"username": "jupyternaut", "name": "Jupyternaut", "bot": True},
        },
        "attachments": {"f-1": {"value": "data/x.csv", "type": "file", "mimetype": None}},
        "metadata": {"id": "chat-1"},
    }  # fmt: skip


def llm_rows() -> list[dict[str, Any]]:
    """Return what `llm logs --json` prints: a conversation with a call, and a prompt of its own."""
    row = {"model": "gpt-5", "system": None, "reasoning": None, "options_json": {}, "attachments": [],
           "prompt_fragments": [], "system_fragments": [], "tools": [], "tool_calls": [],
           "tool_results": [], "duration_ms": 1500, "input_tokens": 3, "output_tokens": 4}  # fmt: skip
    upper = {"name": "upper", "description": "Upper case.", "input_schema": {"type": "object"}}
    return [
        {**row, "id": "r1", "conversation_id": "k1", "conversation_name": "Shout", "system": "Be loud.",
         "datetime_utc": "2026-05-01T10:00:00+00:00", "prompt": "Shout panda", "response": "",
         "tools": [upper],
         "tool_calls": [{"name": "upper", "arguments": {"text": "panda"}, "tool_call_id": "c1"}]},
        {**row, "id": "r2", "conversation_id": "k1", "conversation_name": "Shout", "system": "Be loud.",
         "datetime_utc": "2026-05-01T10:00:02+00:00", "prompt": "", "response": "PANDA!",
         "tool_results": [{"name": "upper", "output": "PANDA", "tool_call_id": "c1", "exception": None}]},
        {**row, "id": "r3", "conversation_id": "k2", "conversation_name": "Hi",
         "datetime_utc": "2026-05-01T11:00:00+00:00", "prompt": "Hi", "response": "Hello",
         "prompt_fragments": [{"hash": "h", "content": "Read this.", "aliases": []}]},
    ]  # fmt: skip


LLM_TABLES = {
    "threads": "id TEXT PRIMARY KEY, name TEXT, tip_message_hash TEXT, forked_from TEXT, datetime_utc TEXT",
    "turns": "id TEXT PRIMARY KEY, thread_id TEXT, parent_message_hash TEXT, tip_message_hash TEXT, model TEXT, "
    "resolved_model TEXT, options_json TEXT, input_tokens INTEGER, output_tokens INTEGER, duration_ms INTEGER, "
    "datetime_utc TEXT",
    "messages": "hash TEXT PRIMARY KEY, parent_hash TEXT, role TEXT, provider_metadata TEXT",
    "parts": "id INTEGER PRIMARY KEY, message_hash TEXT, position INTEGER, type TEXT, tool_name TEXT, text TEXT, "
    "payload TEXT",
    "fragments": "id INTEGER PRIMARY KEY, hash TEXT, content TEXT",
    "attachments": "id TEXT PRIMARY KEY, type TEXT, path TEXT, url TEXT, content BLOB",
    "tools": "id INTEGER PRIMARY KEY, hash TEXT, name TEXT, description TEXT, input_schema TEXT, plugin TEXT",
    "turn_tools": "turn_id TEXT, tool_id INTEGER, instance_id INTEGER",
    "conversations": "id TEXT PRIMARY KEY, name TEXT, model TEXT",
    "responses": "id TEXT PRIMARY KEY, model TEXT, prompt TEXT, system TEXT, response TEXT, conversation_id TEXT, "
    "duration_ms INTEGER, datetime_utc TEXT, input_tokens INTEGER, output_tokens INTEGER",
    "tool_calls": "id INTEGER PRIMARY KEY, response_id TEXT, name TEXT, arguments TEXT, tool_call_id TEXT",
    "tool_results": "id INTEGER PRIMARY KEY, response_id TEXT, name TEXT, output TEXT, tool_call_id TEXT",
    "prompt_fragments": "response_id TEXT, fragment_id INTEGER, 'order' INTEGER",
}
"""Columns of the tables of `llm`'s database, those that it has written since 0.32 and older ones."""

LLM_ROWS: dict[str, list[dict[str, Any]]] = {
    "threads": [{"id": "k1", "name": "Shout", "tip_message_hash": "a2"}],
    "turns": [
        {"id": "r1", "thread_id": "k1", "tip_message_hash": "a1", "model": "gpt-5", "duration_ms": 1500,
         "input_tokens": 3, "output_tokens": 4, "datetime_utc": "2026-05-01T10:00:00.5+00:00"},
        {"id": "r2", "thread_id": "k1", "tip_message_hash": "a2", "model": "gpt-5", "duration_ms": 1500,
         "input_tokens": 3, "output_tokens": 4, "datetime_utc": "2026-05-01T10:00:02.5+00:00"},
        {"id": "r3", "thread_id": "k1", "tip_message_hash": "a3", "model": "gpt-5",
         "datetime_utc": "2026-05-01T10:00:03.5+00:00"},
    ],
    "messages": [
        {"hash": "s", "role": "system"},
        {"hash": "u1", "parent_hash": "s", "role": "user"},
        {"hash": "a1", "parent_hash": "u1", "role": "assistant"},
        {"hash": "t1", "parent_hash": "a1", "role": "tool"},
        {"hash": "a2", "parent_hash": "t1", "role": "assistant"},
        {"hash": "a3", "parent_hash": "t1", "role": "assistant"},
    ],
    "parts": [
        {"message_hash": "s", "position": 0, "type": "text", "text": "Be loud."},
        {"message_hash": "u1", "position": 1, "type": "attachment", "payload": '{"attachment": {"id": "i"}}'},
        {"message_hash": "u1", "position": 0, "type": "text",
         "payload": '{"text_ref": [{"fragment": 1}, {"literal": "\\nShout panda"}]}'},
        {"message_hash": "a1", "position": 0, "type": "reasoning", "text": "Upper case it is."},
        {"message_hash": "a1", "position": 1, "type": "tool_call",
         "payload": '{"name": "upper", "arguments": {"text": "panda"}, "tool_call_id": "c1"}'},
        {"message_hash": "t1", "position": 0, "type": "tool_result",
         "payload": '{"name": "upper", "output": "PANDA", "tool_call_id": "c1"}'},
        {"message_hash": "a2", "position": 0, "type": "text", "text": "PANDA!"},
        {"message_hash": "a3", "position": 0, "type": "text", "text": "Panda, loudly."},
    ],
    "fragments": [{"id": 1, "content": "Read this."}],
    "attachments": [{"id": "i", "type": "image/png", "content": PNG}],
    "tools": [{"id": 1, "name": "upper", "description": "Upper case.", "input_schema": '{"type": "object"}'}],
    "turn_tools": [{"turn_id": "r1", "tool_id": 1}, {"turn_id": "r2", "tool_id": 1}],
    "conversations": [{"id": "k0", "name": "Old"}],
    "responses": [
        {"id": "r1", "model": "gpt-5", "prompt": "twice", "response": "logged", "conversation_id": "k1",
         "datetime_utc": "2026-05-01T10:00:00"},
        {"id": "r0", "model": "gpt-4", "prompt": "Hi", "response": "Hello", "conversation_id": "k0",
         "datetime_utc": "2025-05-01T10:00:00"},
    ],
    "tool_calls": [{"response_id": "r0", "name": "now", "arguments": "{}", "tool_call_id": "c0"}],
    "prompt_fragments": [{"response_id": "r0", "fragment_id": 1}],
}  # fmt: skip


def llm_database(
    path: Path, rows: dict[str, list[dict[str, Any]]] | None = None, **tables: str
) -> bytes:
    """Write a database of `llm` and return its bytes. `tables` have other columns than usual."""
    with closing(sqlite3.connect(path)) as connection:
        for name, columns in {**LLM_TABLES, **tables}.items():
            if columns:
                connection.execute(f"CREATE TABLE {name} ({columns})")
        for name, values in (LLM_ROWS if rows is None else rows).items():
            for value in values:
                marks = ", ".join("?" * len(value))
                listed = ", ".join(value)
                connection.execute(
                    f"INSERT INTO {name} ({listed}) VALUES ({marks})", [*value.values()]
                )
        connection.commit()
    return path.read_bytes()


def archive(files: dict[str, bytes | Any]) -> bytes:
    """Return a .zip with files; what is not bytes is written as JSON."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            packed.writestr(name, data)
    return held.getvalue()


def said(notebook: Any) -> list[list[str]]:
    """Return each cell as its role and source, followed by the blocks of its turn."""
    found = []
    for cell in notebook["cells"]:
        role = cell["metadata"].get("msgbook", {}).get("role", "user")
        found.append([role, cell["source"]])
        for turn in map(turn_of, cell.get("outputs", ())):
            for block in turn["blocks"]:
                text = block.get("text", block.get("content", block.get("arguments")))
                found.append([block["type"], text])
    return found
