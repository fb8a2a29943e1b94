"""Imports of installed packages alone: none from the working directory, which may be anybody's.

Once Python of the user's has run, the notebook's folder is on the import path before the packages, as in IPython.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def installed_paths() -> list[str]:
    """Return the absolute paths of `sys.path` other than that of the working directory."""
    try:
        here = Path.cwd().resolve()
    except FileNotFoundError:
        here = None
    return [path for path in sys.path if Path(path).is_absolute() and Path(path).resolve() != here]


@contextmanager
def without_working_directory() -> Iterator[None]:
    """Take the working directory from `sys.path` while the block runs."""
    kept = installed_paths()
    removed = [(place, path) for place, path in enumerate(sys.path) if path not in kept]
    sys.path[:] = kept
    try:
        yield
    finally:
        for place, path in removed:
            sys.path.insert(place, path)
