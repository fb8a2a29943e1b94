"""Message files as the tool of seed 004 and people with its specification write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from msgbook.request.history import Reader, View
from msgbook_format import reads
from msgbook_format.turn import turn_of

FOLDER = Path(__file__).parents[1] / "format" / "corpus" / "seed004"

FILES = {path.name: path.read_bytes().decode() for path in sorted(FOLDER.glob("*.md"))}
"""Texts of the files, by name."""

EXPECTED: dict[str, dict[str, Any]] = json.loads((FOLDER / "expected.json").read_bytes())
"""By name: `cells`, as `outline` gives them, and `sent`, as `sent` gives them."""


def outline(text: str) -> list[dict[str, Any]]:
    """Return the cells of a text: what they are, what they say, and what is below them."""
    return [_cell(cell) for cell in reads(text).cells]


def sent(text: str) -> list[list[Any]]:
    """Return what a later prompt sends of a text: role, text, and the calls of each message."""
    messages = Reader().read(list(reads(text).cells), View("helper", "")).messages
    return [_message(message) for message in messages]


def _message(message: dict[str, Any]) -> list[Any]:
    calls = [
        [call["id"], call["function"]["name"], json.loads(call["function"]["arguments"])]
        for call in message.get("tool_calls", ())
    ]
    return [message["role"], message["content"], *([calls] if calls else [])]


def _cell(cell: Any) -> dict[str, Any]:
    ours = {key: value for key, value in cell.metadata.get("msgbook", {}).items() if key != "text"}
    found = {"cell": cell.cell_type, "source": cell.source, **({"msgbook": ours} if ours else {})}
    outputs = [line for output in cell.get("outputs", ()) for line in _output(output)]
    return {**found, "below": outputs} if outputs else found


def _output(output: Any) -> list[list[Any]]:
    turn: Any = turn_of(output)
    if turn is not None:
        return [[turn.get("agent"), *_block(block)] for block in turn["blocks"]]
    if output.output_type == "stream":
        return [[output.name, output.text]]
    return [[output.output_type, sorted(output.get("data", {}))]]


def _block(block: dict[str, Any]) -> list[Any]:
    kept = ("type", "text", "name", "arguments", "status", "content", "history")
    return [block[key] for key in kept if key in block]
