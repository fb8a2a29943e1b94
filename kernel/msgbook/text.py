"""What is done to text at the borders."""

from __future__ import annotations

RESULT_LIMIT = 50_000
"""Characters of a tool result or of a cell's output that a model is sent."""


def whole(text: str) -> str:
    """Join surrogate pairs and replace lone halves: no message and no file can carry those."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def one_line(text: str, limit: int = 500) -> str:
    """The text on one line, at most `limit` characters of it."""
    return " ".join(whole(text).split())[:limit]


def capped(text: str, limit: int = RESULT_LIMIT) -> str:
    """About `limit` characters of a text at most: its head and its tail."""
    if len(text) <= limit:
        return text
    head, tail = text[: limit * 3 // 4], text[-limit // 4 :]
    return f"{head}\n[... {len(text) - limit} characters left out ...]\n{tail}"
