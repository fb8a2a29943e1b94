"""A chat that was read from a file of another program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

MOST_KEPT = 50_000
"""Values that one chat keeps of what has no place in its cells. They are written into its file and read with it."""

Role = Literal["system", "user", "assistant"]


@dataclass(slots=True)
class ChatMessage:
    """One message. The result of a tool belongs to the assistant, as in a turn."""

    role: Role
    text: str = ""
    """Text of a message of system or user."""
    blocks: list[dict[str, Any]] = field(default_factory=list)
    """Blocks of a message of the assistant, without steps."""
    model: str | None = None
    time: str | None = None
    """UTC, with `Z`."""
    usage: dict[str, int] = field(default_factory=dict)
    duration: float | None = None
    """Seconds."""
    images: dict[str, bytes] = field(default_factory=dict)
    """Files that `text` shows, by their path from the conversation's folder."""
    kept: dict[str, Any] = field(default_factory=dict)
    """What has no place in a cell."""


@dataclass(slots=True)
class OtherChat:
    """A chat of another program."""

    form: str
    """Name of the form that it was read from."""
    title: str = ""
    messages: list[ChatMessage] = field(default_factory=list)
    kept: dict[str, Any] = field(default_factory=dict)
    """What has no place in the cells."""
    findings: list[str] = field(default_factory=list)
    """What a reader of the notebook will miss, a sentence without end for each."""
    forks: Sequence[OtherChat] = ()
    """Other branches, from the first message on."""

    def bound_kept(self) -> None:
        """Leave out what is too much to keep, and say so."""
        left = MOST_KEPT
        holders: list[OtherChat | ChatMessage] = [self, *self.messages]
        for holder in holders:
            count = _count(holder.kept, left + 1)
            if count > left:
                holder.kept = {}
                self.findings.append(
                    f"metadata of more than {MOST_KEPT:,} values is left out; the messages are complete"
                )
            else:
                left -= count


def text_block(text: str) -> dict[str, Any]:
    """Return a block of text."""
    return {"type": "text", "text": text}


def reasoning_block(text: str) -> dict[str, Any]:
    """Return a block of reasoning."""
    return {"type": "reasoning", "text": text}


def call_block(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    """Return a block of a tool call; `arguments` is JSON text."""
    return {"type": "tool_call", "id": call_id, "name": name, "arguments": arguments}


def result_block(
    call_id: str, content: str | list[dict[str, Any]], *, is_error: bool = False
) -> dict[str, Any]:
    """Return a block of a result."""
    status = "error" if is_error else "success"
    return {"type": "tool_result", "id": call_id, "status": status, "content": content}


def _count(value: Any, most: int) -> int:
    """Return the number of values in a JSON value; counting ends at `most`."""
    count, level = 0, [value]
    while level and count < most:
        one = level.pop()
        inner = one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        count += len(inner)
        if count < most:
            level += inner
    return count
