"""Ctrl+C or something else at a given place, without a signal or thread that could come earlier or later."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType
from typing import Any


@contextmanager
def at_call(
    function: Callable[..., Any], do: Callable[[], None], *, call: int = 1
) -> Iterator[None]:
    """Do something just before this thread calls a function of C for the n-th time."""
    calls = 0

    def watch(_frame: FrameType, event: str, called: Any) -> None:
        nonlocal calls
        if event == "c_call" and called is function:
            calls += 1
            if calls == call:
                do()

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(before)


def interrupted_at(
    function: Callable[..., Any] = os.fsync, *, call: int = 1
) -> AbstractContextManager[None]:
    """Raise `KeyboardInterrupt` instead of the n-th call of a function of C."""
    return at_call(function, _interrupt, call=call)


def _interrupt() -> None:
    raise KeyboardInterrupt
