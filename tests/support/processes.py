"""Processes that a test starts and has to end."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable
from typing import Any


def stop(process: subprocess.Popen[Any]) -> None:
    """End a server.

    Jupyter's can hang at its very end: a thread of AnyIO is not told that the loop has stopped when
    a request was being answered just then. It has shut its kernels down by that time.
    """
    process.terminate()
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(30)


async def until(fact: Callable[[], bool]) -> None:
    """Wait until something holds; the test's time limit ends what never does."""
    while not fact():  # noqa: ASYNC110 - processes send no events
        await asyncio.sleep(0.01)
