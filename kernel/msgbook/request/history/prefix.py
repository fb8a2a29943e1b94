"""The common beginning of two requests, which a server can cache. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgbook.notebook import Cell
from msgbook.request.history.request import History


@dataclass(frozen=True, slots=True)
class SentRequest:
    """The first request of a turn."""

    request: History
    cells: Sequence[Cell]
    """The cells above, and the prompt as the last one."""
    model: str = ""
    agent: str = ""
    tools: Sequence[Mapping[str, Any]] = ()
    """Schemas. Servers put them before the messages."""


@dataclass(frozen=True, slots=True)
class SharedPrefix:
    """The common beginning of two requests."""

    messages: int
    """Number of messages that both requests have in common."""
    bytes: int
    """Bytes of these messages and of the common beginning of the next ones, as `encode` returns them."""
    total: int
    """Bytes of the later request."""
    is_broken: bool
    """Whether the requests differ before one of them ends."""
    before: int | None = None
    """Position of the cell whose message in the earlier request differs first; None for the system
    message."""
    after: int | None = None
    """The same position for the later request."""

    @property
    def share(self) -> float:
        """Fraction of the later request that is shared, 0 to 1."""
        return self.bytes / self.total if self.total else 1.0


def shared_prefix(previous: History, request: History) -> SharedPrefix:
    """Return the common beginning of a request and the one before it."""
    same = 0
    for earlier, later in zip(previous.encoded, request.encoded, strict=False):
        if earlier != later:
            break
        same += 1
    size = sum(map(len, request.encoded[:same]))
    total = sum(map(len, request.encoded))
    if same in (len(previous.encoded), len(request.encoded)):
        return SharedPrefix(same, size, total, is_broken=False)
    size += _common_length(previous.encoded[same], request.encoded[same])
    before, after = previous.owners[same], request.owners[same]
    return SharedPrefix(same, size, total, True, before, after)


def _common_length(first: bytes, second: bytes) -> int:
    """Return the number of bytes with which both texts begin."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
