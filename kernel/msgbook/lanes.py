"""The lane of what runs: which conversation of a turn it belongs to."""

from __future__ import annotations

from contextvars import ContextVar

LANE: ContextVar[str] = ContextVar("LANE", default="0")
"""The conversation's own turn is `0`. The first sub-agent of a lane is `LANE.1`, the second `LANE.2`, in the order in which they
are started in a turn. Set it in the task that runs the sub-agent; tasks and threads that it starts inherit it."""
