"""The tool calls of one step, while they arrive and are made. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from msgbook.events import ToolCallDelta
from msgbook_format.turn import Block


class StepCalls:
    """The calls of a step; their blocks are the record's own.

    Arguments arrive in pieces, which are kept in lists until `join`.
    """

    def __init__(self, step: int) -> None:
        self._step = step
        self._calls: list[tuple[Block, list[str]]] = []
        self._started: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._calls)

    def __iter__(self) -> Iterator[Block]:
        return (block for block, _ in self._calls)

    def open(self, call_id: str, nonce: str, **keys: str) -> Block:
        """A new call, with no name and no arguments unless `keys` say them."""
        block = {
            "type": "tool_call",
            "step": self._step,
            "id": call_id,
            "nonce": nonce,
            "name": "",
            "arguments": "",
            **keys,
        }
        self._calls.append((cast("Block", block), []))
        return self._calls[-1][0]

    def grow(self, event: ToolCallDelta) -> None:
        """Add a piece to the call that it belongs to."""
        block, pieces = self._calls[event.index]
        block["name"] += event.name
        if event.extra:
            block["extra"] = {"call": {**block.get("extra", {}).get("call", {}), **event.extra}}
        pieces.append(event.arguments)

    def join(self) -> None:
        """Put the pieces that arrived into the blocks."""
        for block, pieces in self._calls:
            if pieces:
                block["arguments"] += "".join(pieces)
                pieces.clear()

    def find(self, call_id: str) -> Block:
        """The call with this id, which must be there."""
        return next(block for block in self if block["id"] == call_id)

    def start(self, call_id: str, at: float) -> None:
        """Note when the call is being made; again when it was allowed: asking takes no tool's time."""
        self._started[call_id] = at

    def started(self, call_id: str) -> float | None:
        """When the call was made; None if it was neither made nor asked about."""
        return self._started.get(call_id)
