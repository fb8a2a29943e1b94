"""The block of text or reasoning that grows. Pure."""

from __future__ import annotations

from msgbook_format.turn import Block


class OpenText:
    """The open block, if there is one. Its thousands of pieces stay in a list until `join` is called."""

    def __init__(self) -> None:
        self.block: Block | None = None
        self._pieces: list[str] = []
        self._opened_at = 0.0

    def open(self, block: Block, at: float) -> None:
        """Begin a block, or go on with it, at a time in seconds; the one before is closed."""
        self.close(at)
        self.block, self._opened_at = block, at

    def add(self, text: str) -> None:
        self._pieces.append(text)

    def join(self) -> None:
        """Move the pieces into the block."""
        if self._pieces and self.block is not None:
            self.block["text"] += "".join(self._pieces)
            self._pieces = []

    def close(self, at: float) -> None:
        """End the block; what follows becomes a new one."""
        self.join()
        if self.block is not None and self.block["type"] == "reasoning":
            before = self.block.get("duration", 0.0)
            self.block["duration"] = round(before + at - self._opened_at, 3)
        self.block = None
