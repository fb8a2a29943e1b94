"""Imports that the working directory has no part in.

nbconvert puts it in front of `sys.path`, so that exporters can be kept there. A module that came
with the file that is converted would take the place of ours.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def working_directory_left_out() -> Iterator[None]:
    """Meanwhile nothing is imported from the working directory, unless it stands in the middle of
    `sys.path`, where somebody else has put it.
    """
    try:
        here = ("", os.getcwd())  # noqa: PTH109  # as nbconvert writes it
    except FileNotFoundError:
        here = ("", "")
    left_out = []
    while sys.path and sys.path[0] in here:
        left_out.append(sys.path.pop(0))
    try:
        yield
    finally:
        sys.path[:0] = left_out
