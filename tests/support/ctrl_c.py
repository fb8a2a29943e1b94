"""Ctrl+C at a given place, without a signal that could come earlier or later."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


@contextmanager
def interrupted_at(function: Callable[..., Any] = os.fsync, *, call: int = 1) -> Iterator[None]:
    """Raise `KeyboardInterrupt` where a function of C is called for the n-th time, by this thread."""
    calls = 0

    def watch(_frame: FrameType, event: str, called: Any) -> None:
        nonlocal calls
        if event == "c_call" and called is function:
            calls += 1
            if calls == call:
                raise KeyboardInterrupt

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(before)
