"""A pause of cyclic garbage collection, which costs most where there is nothing to collect."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused() -> Iterator[None]:
    """Pause the collector, for code that makes many objects and no cycles.

    The collector visits all objects again and again while their number grows. The time for each
    cell of a large notebook would grow with the notebook.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
