"""The durations in a turn. They are measured anew each time, so a cassette keeps them apart. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from msgbook_format.turn import Turn


def list_times(turn: Turn) -> list[float]:
    """Return all durations of a turn in document order, in seconds."""
    return [holder["duration"] for holder in _timed(turn)]


def with_times(turn: Turn, times: list[float]) -> Turn | None:
    """Return the turn with other durations; None if it has more or fewer.

    The turn itself and its blocks stay as they are.
    """
    copy = _copied(turn)
    holders = list(_timed(copy))
    if len(holders) != len(times):
        return None
    for holder, seconds in zip(holders, times, strict=True):
        holder["duration"] = seconds
    return cast("Turn", copy)


def _timed(turn: Any) -> Iterator[dict[str, Any]]:
    """Yield what has a duration: the turn, its blocks, and the sub-agents of a block."""
    for holder in (turn, *turn["blocks"]):
        for timed in (holder, *_agents(holder)):
            if isinstance(timed.get("duration"), int | float):
                yield timed


def _copied(turn: Turn) -> dict[str, Any]:
    copy: dict[str, Any] = {**turn}
    copy["blocks"] = [{**block} for block in turn["blocks"]]
    for block in copy["blocks"]:
        if "agents" in block:
            block["agents"] = [
                {**agent} if isinstance(agent, dict) else agent for agent in block["agents"]
            ]
    return copy


def _agents(holder: dict[str, Any]) -> Iterator[dict[str, Any]]:
    agents = holder.get("agents")
    return (agent for agent in agents if isinstance(agent, dict)) if agents else iter(())
