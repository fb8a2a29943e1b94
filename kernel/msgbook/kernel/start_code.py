"""Code of the user's that runs while a kernel starts: IPython's settings and start files. It finds no key."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

_OWN_OPTIONS = {"IPKernelApp": {"connection_file"}, "HistoryManager": {"hist_file"}}
"""What msgbook sets. Any other option may load an extension or run code."""


def runs_at_start(app: Any) -> bool:
    """Return whether IPython's application will run any code of the user's before the first cell.

    Call it before the application loads its settings files.
    """
    options = ((of, name) for of, named in app.config.items() for name in named)
    return (
        bool(os.environ.get("PYTHONSTARTUP"))
        or any(name not in _OWN_OPTIONS.get(of, ()) for of, name in options)
        or any(_files_of_code(map(Path, app.config_file_paths)))
    )


def _files_of_code(folders: Iterable[Path]) -> list[Path]:
    """Return IPython's settings and start files in its folders."""
    names = ("ipython*config.py", "ipython*config.json", "startup/*.py", "startup/*.ipy")
    return [path for folder in folders for name in names for path in folder.glob(name)]


def hide_all_keys(aside: Mapping[str, str]) -> dict[str, str]:
    """Remove all that holds a key, as the settings say, from the process's environment.

    Args:
        aside: Variables that were removed before.

    Returns:
        These, and those that are removed now.
    """
    # Imported here: most kernels start without reading the settings.
    from msgbook.config import Settings, hide_keys, load_settings
    from msgbook.errors import ConfigError

    before = {**aside, **os.environ}
    try:
        settings = load_settings(before)
    except ConfigError:  # the first cell reports it
        settings = Settings()
    hide_keys(settings)
    return {name: value for name, value in before.items() if name not in os.environ}
