"""The durations in a turn. They are measured anew each time, so a cassette keeps them apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgbook.turn import TurnRecord


def list_times(record: TurnRecord) -> list[float]:
    """Return all durations of a turn in document order, in seconds."""
    return [holder["duration"] for holder in _timed(record)]


def set_times(record: TurnRecord, times: list[float]) -> bool:
    """Give a turn that has ended other durations. Return False if it has more or fewer; it is unchanged then."""
    holders = list(_timed(record))
    if len(holders) != len(times):
        return False
    head: Any = record.snapshot()
    for holder, seconds in zip(holders, times, strict=True):
        holder["duration"] = seconds
    if "duration" in head:
        record.set_head(duration=times[0])
    return True


def _timed(record: TurnRecord) -> Iterator[dict[str, Any]]:
    """Yield what has a duration: the turn, its blocks, and the sub-agents of a block."""
    turn: Any = record.snapshot()
    for holder in (turn, *turn["blocks"]):
        agents = holder.get("agents") if holder is not turn else None
        for timed in (holder, *(agents if isinstance(agents, list) else ())):
            if isinstance(timed, dict) and isinstance(timed.get("duration"), int | float):
                yield timed
