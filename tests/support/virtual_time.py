"""Waits that cost no time."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Awaitable, Callable
from typing import Any


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to the next timer instead of waiting for it."""

    def __init__(self) -> None:
        self.now = 0.0
        loop = self

        class Selector(selectors.SelectSelector):
            def select(self, timeout: float | None = None) -> Any:
                loop.now += timeout or 0.0
                return super().select(0)

        super().__init__(Selector())

    def time(self) -> float:
        return self.now


def in_virtual_time(main: Callable[[], Awaitable[None]]) -> None:
    """Run a coroutine function on such a loop."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        runner.run(main())  # type: ignore[arg-type]
