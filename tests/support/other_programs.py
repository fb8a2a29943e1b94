"""Chats in the shape in which other programs write them."""

from __future__ import annotations

import base64
import io
import json
import zipfile
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
