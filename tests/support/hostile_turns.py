"""Turns and notebooks in which each hostile text stands in each place."""

from __future__ import annotations

import json
from typing import Any, TypeVar

import nbformat
from hostile_strings import SENDABLE

from msgbook_format.turn import TURN_MIME, bundle

SPEC = {"name": "msgbook", "display_name": "Chat (msgbook)", "language": "msgbook"}

T = TypeVar("T")

EACH = 12
"""Texts in one cell."""

SAVABLE = [word[:2_000] for word in SENDABLE]
"""The texts as a file can hold them: without lone surrogates."""

END = "The end of the attack."


def blocks(number: int, word: str) -> list[dict[str, Any]]:
    """Blocks in which one text stands in each place."""
    call_id = f"{number}"
    return [
        {"type": "reasoning", "step": 1, "text": word},
        {"type": "text", "step": 1, "text": f"before {word}", "extra": {"annotations": [
            {"url": word, "title": word}, {"filename": word, "file_id": word},
        ]}},
        {"type": "tool_call", "step": 1, "id": call_id, "name": word, "arguments": word, "approval": word,
         "edited_arguments": word},
        {"type": "tool_result", "step": 1, "id": call_id, "status": word, "content": word, "agents": [
            {"name": word, "agent": word, "status": word, "file": word, "uuid": word, "last": word},
        ]},
        {"type": "tool_result", "id": call_id, "status": "success", "content": json.dumps({word: [word]})},
        {"type": "notice", "text": word, "level": word, "extra": {"item": {word: word}}},
        {"type": word, "text": word},
    ]  # fmt: skip


def turn(words: list[str]) -> dict[str, Any]:
    first = words[0]
    return {
        "version": 1,
        "status": "done",
        **dict.fromkeys(("agent", "model", "answered_model", "provider", "finish_reason"), first),
        "started": first,
        "duration": first,
        "usage": dict.fromkeys(words, 1),
        "context": {
            "source": first,
            "cells": first,
            "summaries": {word: {"text": word} for word in words},
        },
        "blocks": [block for n, word in enumerate(words) for block in blocks(n, word)]
        + [{"type": "text", "step": 1, "text": END}],
    }


def parts(words: list[T]) -> list[list[T]]:
    return [words[start : start + EACH] for start in range(0, len(words), EACH)]


def hostile_notebook(*, by_us: bool = False) -> Any:
    """Return a notebook with all texts.

    Args:
        by_us: Whether the texts beside the turns are those that msgbook makes of them.
    """
    cells = []
    for words in parts(SAVABLE):
        data = {TURN_MIME: turn(words), "text/plain": words[0], "text/markdown": words[0]}
        if by_us:
            data = bundle(turn(words))  # type: ignore[arg-type]  # hostile
        output = {"output_type": "display_data", "data": data, "metadata": {words[0]: words[0]}}
        ours = {
            "title": words[0],
            "agent": words[0],
            "summary": {"text": words[0], "source": words[0]},
        }
        metadata = {"msgbook": ours, "tags": [words[0].replace(",", "") or "x"]}
        cells.append(
            {**nbformat.v4.new_code_cell(words[0]), "outputs": [output], "metadata": metadata}
        )
    book = nbformat.v4.new_notebook(metadata={"kernelspec": SPEC})
    return {**book, "cells": cells}
