"""Notebooks of any size to measure with: the same for the same number."""

from __future__ import annotations

import base64
import random
from typing import Any

from nbformat import NotebookNode, from_dict

from msgbook_format.syntax import KERNELSPEC, LANGUAGE_INFO
from msgbook_format.turn import bundle

WORDS = [
    "the",
    "model",
    "returns",
    "a",
    "value",
    "that",
    "the",
    "cell",
    "reads",
    "from",
    "its",
    "notebook",
    "and",
    "which",
    "is",
    "then",
    "sent",
    "on",
    "**twice**",
    "with",
    "`one",
    "=",
    "call()`",
    "and",
    "_more_",
    "words,",
    "because",
    "42",
    "of",
    "them",
    "(or",
    "so)",
    "make",
    "a",
    "line",
]
CODE = "def count(values):\n    total = 0\n    for value in values:\n        total += value[0]\n"
KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}


def prose(rng: random.Random, characters: int) -> str:
    """Lines of about 90 characters, in paragraphs."""
    lines: list[str] = []
    while sum(map(len, lines)) < characters:
        lines.append(" ".join(rng.choices(WORDS, k=14)))
        if rng.random() < 0.2:
            lines.append("")
    return "\n".join(lines).strip()


def ordinary(cells: int) -> NotebookNode:
    """A Python notebook: a quarter Markdown; streams, tables and pictures below the code."""
    rng = random.Random(1)
    return _notebook([_ordinary_cell(rng, n) for n in range(cells)], {"kernelspec": KERNEL})


def chat(turns: int) -> NotebookNode:
    """A conversation: half of the turns reason, a third call a tool."""
    rng = random.Random(2)
    metadata = {"kernelspec": KERNELSPEC, "language_info": LANGUAGE_INFO}
    return _notebook([_prompt(rng, n) for n in range(turns)], metadata)


def _notebook(cells: list[dict[str, Any]], metadata: dict[str, Any]) -> NotebookNode:
    return from_dict({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells})


def _ordinary_cell(rng: random.Random, number: int) -> dict[str, Any]:
    cell: dict[str, Any] = {"id": f"cell-{number}", "metadata": {}}
    if number % 4 == 0:
        return {**cell, "cell_type": "markdown", "source": prose(rng, 500)}
    outputs = [
        {"output_type": "stream", "name": "stdout", "text": prose(rng, 300) + "\n"},
        {
            "output_type": "execute_result",
            "execution_count": number,
            "metadata": {},
            "data": {
                "text/plain": prose(rng, 100),
                "text/html": f"<table>\n<td>{prose(rng, 300)}</td>\n</table>",
            },
        },
        {
            "output_type": "display_data",
            "metadata": {},
            "data": {
                "image/png": base64.b64encode(rng.randbytes(600)).decode() + "\n",
                "text/plain": "<Figure size 640x480 with 1 Axes>",
            },
        },
    ]
    code = {"cell_type": "code", "execution_count": number, "source": CODE * 5}
    return {**cell, **code, "outputs": [outputs[number % 4 - 1]]}


def _prompt(rng: random.Random, number: int) -> dict[str, Any]:
    turn = {
        "version": 1,
        "status": "done",
        "finish_reason": "stop",
        "agent": "assistant",
        "model": "some-model",
        "provider": "openai",
        "started": "2026-11-20T10:00:00Z",
        "duration": 4.25,
        "blocks": list(_blocks(rng, number)),
        "usage": {"input_tokens": 1200 + number, "output_tokens": 310},
        "context": {
            "source": "live",
            "cells": number,
            "request_hash": rng.randbytes(8).hex(),
        },
    }
    output = {"output_type": "display_data", "metadata": {}, "data": bundle(turn)}
    return {
        "id": f"cell-{number}",
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "source": prose(rng, 150),
        "outputs": [output],
    }


def _blocks(rng: random.Random, number: int) -> Any:
    step = 1
    if number % 2:
        yield {"type": "reasoning", "step": 1, "text": prose(rng, 400), "duration": 1.5}
    if number % 3 == 0:
        call = {"step": 1, "id": f"call_{number}"}
        yield {
            "type": "tool_call",
            **call,
            "nonce": rng.randbytes(4).hex(),
            "name": "read",
            "arguments": '{"path": "src/values.py"}',
            "approval": "auto",
        }
        yield {
            "type": "tool_result",
            **call,
            "status": "success",
            "duration": 0.25,
            "content": CODE * 3,
        }
        step = 2
    yield {"type": "text", "step": step, "text": _answer(rng, number)}


def _answer(rng: random.Random, number: int) -> str:
    parts = [prose(rng, 400), "\n".join(f"- {prose(rng, 60)}" for _ in range(3))]
    if number % 4 == 0:
        parts.append(f"```python\n{CODE}```")
    if number % 10 == 3:
        parts.append("See [the page](https://example.org/page) for more.")
    if number % 10 == 7:
        parts.append("It grows as $n \\log n$ does.")
    return "\n\n".join(parts)
