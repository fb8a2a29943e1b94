"""Text that arrives in pieces."""

from __future__ import annotations


class GrowingText:
    """Text that grows at its end.

    A piece of a few characters takes ten times their size. So pieces are joined a few hundred at a
    time; each character is copied twice at most until the text is taken.
    """

    __slots__ = ("_parts", "_pieces", "size")

    _AT_ONCE = 256

    def __init__(self, text: str = "") -> None:
        self._parts = [text] if text else []
        self._pieces: list[str] = []
        self.size = len(text)
        """Number of characters."""

    def add(self, text: str) -> None:
        """Add a piece."""
        if not text:
            return
        self.size += len(text)
        self._pieces.append(text)
        if len(self._pieces) == self._AT_ONCE:
            self._parts.append("".join(self._pieces))
            self._pieces.clear()

    def __str__(self) -> str:
        if self._pieces or len(self._parts) > 1:
            self._parts = ["".join([*self._parts, *self._pieces])]
            self._pieces.clear()
        return self._parts[0] if self._parts else ""

    def take(self) -> str:
        """Return the text, and begin a new one."""
        text = str(self)
        self._parts, self.size = [], 0
        return text
