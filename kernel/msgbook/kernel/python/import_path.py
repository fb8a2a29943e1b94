"""Where the notebook's Python imports from."""

from __future__ import annotations

import sys
from pathlib import Path


def import_from_folder() -> None:
    """Let Python import from the notebook's folder, at the place where IPython has it.

    Not before Python of the user's runs: the kernel starts when somebody opens a notebook, and
    imports a good deal later on, which modules of that folder would take the place of.
    """
    if "" in sys.path:
        return
    packages = {"site-packages", "dist-packages"}
    places = (n for n, path in enumerate(sys.path) if Path(path).name in packages)
    sys.path.insert(next(places, 0), "")
