"""The tool calls of one step while they arrive and run. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from msgbook.events import ToolCallDelta
from msgbook.growing_text import GrowingText
from msgbook_format.turn import Block


class StepCalls:
    """The calls of a step. Their blocks belong to the turn's record.

    Arguments arrive in pieces, which stay beside their blocks until `join` is called.
    """

    def __init__(self, step: int) -> None:
        self._step = step
        self._calls: list[tuple[Block, GrowingText]] = []
        self._started: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._calls)

    def __iter__(self) -> Iterator[Block]:
        return (block for block, _ in self._calls)

    def open(self, call_id: str, nonce: str, **keys: str) -> Block:
        """Add and return a new call. Its name and arguments are empty unless given as `keys`."""
        block = {
            "type": "tool_call",
            "step": self._step,
            "id": call_id,
            "nonce": nonce,
            "name": "",
            "arguments": "",
            **keys,
        }
        self._calls.append((cast("Block", block), GrowingText()))
        return self._calls[-1][0]

    def grow(self, event: ToolCallDelta) -> None:
        """Add a piece to its call."""
        block, pieces = self._calls[event.index]
        block["name"] += event.name
        if event.extra:
            block["extra"] = {"call": {**block.get("extra", {}).get("call", {}), **event.extra}}
        pieces.add(event.arguments)

    def join(self) -> None:
        """Move the pieces into the blocks."""
        for block, pieces in self._calls:
            if pieces.size:
                block["arguments"] += pieces.take()

    def find(self, call_id: str) -> Block:
        """Return the call with this id.

        Raises:
            KeyError: The step has no such call.
        """
        for block in self:
            if block["id"] == call_id:
                return block
        raise KeyError(f"expected a call of step {self._step}, found the id {call_id!r}")

    def start(self, call_id: str, at: float) -> None:
        """Note when the call starts: when it is made, and again when it is approved."""
        self._started[call_id] = at

    def started_at(self, call_id: str) -> float | None:
        """Return when the call started; None if it has not started and nobody was asked about it."""
        return self._started.get(call_id)
