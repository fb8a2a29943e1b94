"""Ids, random digits and times that are saved in files, from one source, so that a cassette can repeat them; and the lane that they are for."""

from __future__ import annotations

import secrets
import uuid
from contextvars import ContextVar
from datetime import UTC, datetime


class Ids:
    """Makes everything random or dated that is saved in a file."""

    def new_token(self, size: int) -> str:
        """Return random hex digits.

        Args:
            size: Number of bytes; each is two digits.
        """
        return secrets.token_hex(size)

    def new_uuid(self) -> str:
        """Return a random UUID with hyphens."""
        return str(uuid.uuid4())

    def now(self) -> datetime:
        """Return the time in UTC."""
        return datetime.now(UTC)


# The lane of what runs: which conversation of a turn it belongs to.


LANE: ContextVar[str] = ContextVar("LANE", default="0")
"""The conversation's own turn is `0`. The first sub-agent of a lane is `LANE.1`, the second `LANE.2`, in the order in which they
are started in a turn. Set it in the task that runs the sub-agent; tasks and threads that it starts inherit it."""
