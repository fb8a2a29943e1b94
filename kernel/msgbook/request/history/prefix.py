"""How much of a request is the beginning of the one before: what a server's cache can use. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgbook.notebook.cells import Cell
from msgbook.request.history.request import History


@dataclass(frozen=True, slots=True)
class SentRequest:
    """The first request of a turn."""

    request: History
    cells: Sequence[Cell]
    """Those above, and as the last one the cell that ran."""
    model: str = ""
    agent: str = ""
    tools: Sequence[Mapping[str, Any]] = ()
    """Schemas; servers put them before the messages."""


@dataclass(frozen=True, slots=True)
class SharedPrefix:
    """What two requests begin with."""

    messages: int
    """How many whole messages."""
    bytes: int
    """Of those, and of what the next ones have in common, as `messages.encode` gives them."""
    total: int
    """Bytes of the later request."""
    is_broken: bool
    """Whether they differ before one of them ends."""
    before: int | None = None
    """Where it is broken: the position of the cell that gave the first differing message of the
    earlier request; None for the system message."""
    after: int | None = None
    """The same for the later request."""

    @property
    def share(self) -> float:
        """The part of the later request that is shared, 0 to 1."""
        return self.bytes / self.total if self.total else 1.0


def shared_prefix(previous: History, request: History) -> SharedPrefix:
    """What a request has in common with the one before, from the start."""
    same = 0
    for one, other in zip(previous.encoded, request.encoded, strict=False):
        if one != other:
            break
        same += 1
    size = sum(map(len, request.encoded[:same]))
    total = sum(map(len, request.encoded))
    if same in (len(previous.encoded), len(request.encoded)):
        return SharedPrefix(same, size, total, is_broken=False)
    size += _common(previous.encoded[same], request.encoded[same])
    before, after = previous.owners[same], request.owners[same]
    return SharedPrefix(same, size, total, True, before, after)


def _common(one: bytes, other: bytes) -> int:
    """How many bytes two texts begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
