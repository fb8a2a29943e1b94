"""How Anthropic refuses a request."""

from __future__ import annotations

from typing import Any

from messages_stream import error_body


class RefusedError(Exception):
    """A request that is refused."""

    def __init__(self, words: str, status: int = 400) -> None:
        super().__init__(words)
        self.status = status

    def body(self) -> dict[str, Any]:
        """Return the body of the answer."""
        return error_body(self.status, str(self))


def require(holds: Any, words: str) -> None:
    """Raise `RefusedError` with these words unless a rule holds."""
    if not holds:
        raise RefusedError(words)


def require_keys(where: str, value: dict[str, Any], needed: str, allowed: str = "") -> None:
    """Raise unless a part of a request has the keys that it needs, and no other than those allowed."""
    for key in needed.split():
        require(key in value, f"{where}.{key}: Field required")
    for key in value.keys() - {*needed.split(), *allowed.split()}:
        require(False, f"{where}.{key}: Extra inputs are not permitted")
