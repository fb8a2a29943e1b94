"""What is the user's own on this machine, and no model's."""

from __future__ import annotations

import os
from pathlib import Path

from msgbook.config import config_path
from msgbook.errors import ConfigError


def private_paths() -> tuple[Path, ...]:
    """What tools neither read nor change without asking each time, wherever it is.

    Jupyter's own folders hold settings, tokens and the connections of kernels; the settings of
    `MSGBOOK_CONFIG` may hold keys, and allow calls.
    """
    from jupyter_core import paths

    found = [paths.jupyter_config_dir(), paths.jupyter_data_dir(), paths.jupyter_runtime_dir()]
    try:
        settings = config_path(os.environ)
    except ConfigError:  # the session has its words
        settings = None
    return (*map(Path, found), *([settings.absolute()] if settings else []))
