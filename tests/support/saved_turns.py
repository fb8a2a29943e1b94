"""Notebooks with a turn that is over, for tests that only look at one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from chats import SPEC

from msgbook_format.turn import bundle


def write_turn(path: Path, *blocks: dict[str, Any], **facts: Any) -> None:
    """Write a notebook with one prompt and its turn, of which further facts may be given."""
    turn: Any = {"version": 1, "status": "done", "blocks": blocks, **facts}
    output = nbformat.v4.new_output("display_data", data=bundle(turn))
    cell = nbformat.v4.new_code_cell("Draw it.", outputs=[output])
    nbformat.write(nbformat.v4.new_notebook(cells=[cell], metadata={"kernelspec": SPEC}), path)


def result(content: str) -> list[dict[str, Any]]:
    called = {"type": "tool_call", "step": 1, "id": "c", "name": "read", "arguments": "{}"}
    return [
        called,
        {"type": "tool_result", "step": 1, "id": "c", "status": "success", "content": content},
    ]


def display(data: dict[str, Any]) -> dict[str, Any]:
    return {"type": "display", "step": 1, "id": "c", "data": data}
