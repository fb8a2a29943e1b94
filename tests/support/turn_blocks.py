"""What a test looks at in the blocks of a turn."""

from __future__ import annotations

from typing import Any


def kinds(turn: dict[str, Any]) -> list[str]:
    """The types of the blocks, but for notices and for reasoning whose text the server keeps."""
    return [
        block["type"]
        for block in turn["blocks"]
        if block["type"] != "notice" and (block["type"] != "reasoning" or block["text"])
    ]


def words(turn: dict[str, Any], kind: str = "text") -> str:
    return "".join(block["text"] for block in turn["blocks"] if block["type"] == kind)


def failure(turn: dict[str, Any]) -> str:
    """What the error of a turn says."""
    (block,) = (block for block in turn["blocks"] if block["type"] == "error")
    message: str = block["message"]
    return message
