"""Imports that ignore the working directory.

nbconvert puts it in front of `sys.path`, so that people can keep exporters there. A module that came
with the converted file would replace one of ours.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_working_directory() -> Iterator[None]:
    """Take the working directory from the front of `sys.path` while the block runs.

    Further back it stays: somebody else put it there.
    """
    try:
        here = ("", os.getcwd())  # noqa: PTH109  # as nbconvert writes it
    except FileNotFoundError:
        here = ("", "")
    removed = []
    while sys.path and sys.path[0] in here:
        removed.append(sys.path.pop(0))
    try:
        yield
    finally:
        sys.path[:0] = removed
