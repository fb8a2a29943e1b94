"""The import path of the notebook's Python."""

from __future__ import annotations

import sys
from pathlib import Path


def import_from_folder() -> None:
    """Let Python import from the notebook's folder, with the same priority as in IPython.

    Call it only when Python of the user's runs. The kernel starts when somebody opens a notebook, and
    modules of that folder could take the place of those that it imports later.
    """
    if "" in sys.path:
        return
    packages = {"site-packages", "dist-packages"}
    places = (n for n, path in enumerate(sys.path) if Path(path).name in packages)
    sys.path.insert(next(places, 0), "")
