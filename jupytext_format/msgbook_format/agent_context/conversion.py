"""An AgentContext as a notebook of nbformat 4, and back. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

from msgbook_format.agent_context.cells import (
    answer_from,
    as_note,
    cell_from,
    is_bare_answer,
    is_empty,
    is_marked_note,
    message_from,
    orphan_from,
)
from msgbook_format.agent_context.notebook_metadata import context_metadata, notebook_metadata
from msgbook_format.agent_context.shape import BrokenContextError
from msgbook_format.cells.ids import Claim, resolve_ids
from msgbook_format.metadata import as_dict
from msgbook_format.syntax import has_msgbook_kernel

_Json = dict[str, Any]


def notebook_from(context: _Json) -> _Json:
    """Return the notebook of an AgentContext, which is not modified.

    A user's message is a prompt, the assistant and tool messages after it are its turn. A system
    message is a note that cannot be edited. Assistant messages with no prompt above them are notes
    if they are plain text, else one turn below an empty prompt.
    """
    cells = list(_cells(context["context"]))
    claims = [Claim(cell.get("id"), cell["source"]) for cell in cells]
    cells = [
        {"id": cell_id, **{key: value for key, value in cell.items() if key != "id"}}
        for cell, cell_id in zip(cells, resolve_ids(claims), strict=True)
    ]
    metadata = notebook_metadata(context)
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}


def context_from(notebook: _Json, default_metadata: _Json) -> _Json:
    """Return the AgentContext of a notebook, which is not modified.

    Args:
        default_metadata: AgentMetadata of a notebook that has none.

    Raises:
        BrokenContextError: Its code cells are not prompts: it has another kernel.
    """
    if not has_msgbook_kernel(notebook["metadata"]):
        raise BrokenContextError(
            "expected a conversation, whose code cells are prompts, found a notebook of another kernel"
        )
    metadata, beside = context_metadata(notebook["metadata"], default_metadata)
    cells = list(map(_sound, notebook["cells"]))
    if cells and is_empty(cells[-1]):
        del cells[-1]
    return {"metadata": metadata, "context": list(_messages(cells)), **beside}


def _cells(messages: Sequence[_Json]) -> Iterator[_Json]:
    position = 0
    # Whether an assistant's message that comes next belongs to the turn above, unless it is marked.
    is_open = False
    while position < len(messages):
        head = messages[position]
        start, end = position, position + 1
        position = _end_of_answer(messages, end)
        if head["role"] == "user":
            yield cell_from(head, messages[end:position])
            is_open = True
        elif head["role"] == "system" or is_marked_note(head):
            yield cell_from(head, [], is_marked=_needs_mark(head, is_open=is_open))
            is_open, position = False, end
        elif all(map(_is_plain_text, messages[start:position])):
            yield from (cell_from(message, []) for message in messages[start:position])
            is_open = False
        else:
            yield orphan_from(messages[start:position])
            is_open = True


def _end_of_answer(messages: Sequence[_Json], position: int) -> int:
    while (
        position < len(messages)
        and messages[position]["role"] in ("assistant", "tool")
        and not is_marked_note(messages[position])
    ):
        position += 1
    return position


def _needs_mark(message: _Json, *, is_open: bool) -> bool:
    """Return whether a message has to be marked, so that it is read as a cell of its own."""
    return message["role"] == "assistant" and (is_open or not _is_plain_text(message))


def _is_plain_text(message: _Json) -> bool:
    return (
        message["role"] == "assistant"
        and isinstance(message.get("content"), str)
        and not message.get("tool_calls")
        and not message.get("reasoning_content")
    )


def _messages(cells: Sequence[_Json]) -> Iterator[_Json]:
    is_open, is_note = False, False
    for cell in cells:
        answer = answer_from(cell)
        if not is_open and not is_note and is_bare_answer(cell):
            yield from answer
            is_open = True
            continue
        message = message_from(cell)
        if message["role"] == "assistant":
            message = as_note(message) if _needs_mark(message, is_open=is_open) else message
            yield message
            # A turn below a note without a mark would be read as one with it.
            is_open, is_note = False, not is_marked_note(message)
            continue
        yield message
        yield from answer
        is_open, is_note = message["role"] == "user", False


def _sound(cell: _Json) -> _Json:
    """Return a cell with the fields that nbformat requires; itself if it has them."""
    source = cell.get("source", "")
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    sound = {**cell, "source": source if isinstance(source, str) else ""}
    sound["metadata"] = deepcopy(as_dict(cell.get("metadata")))
    if cell["cell_type"] == "code":
        outputs = cell.get("outputs")
        sound["outputs"] = outputs if isinstance(outputs, list) else []
    return sound
