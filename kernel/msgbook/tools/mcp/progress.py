"""The callback that takes the progress of a call."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Takes what a server says of the progress of a call; it may go backwards."""

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None: ...
