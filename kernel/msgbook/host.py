"""Functions that every host needs, the kernel and the command alike."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from msgbook.approval import Approver, Rule
    from msgbook.config import Settings

_PR_SET_DUMPABLE = 4
"""Number of the option in `linux/prctl.h`, which Python does not name."""


def hide_from_children() -> None:
    """Keep the user's other processes from reading this one's start environment (Linux only).

    It may contain the API key. Root can still read it.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def private_paths() -> tuple[Path, ...]:
    """Return the paths that tools neither read nor change without approval of each call.

    Jupyter's folders contain settings, tokens and connection files; the file of `MSGBOOK_CONFIG` may
    contain keys and approval rules.
    """
    from jupyter_core import paths

    from msgbook.config import config_path
    from msgbook.errors import ConfigError

    found = [paths.jupyter_config_dir(), paths.jupyter_data_dir(), paths.jupyter_runtime_dir()]
    try:
        settings = config_path(os.environ)
    except ConfigError:  # the first turn reports it
        settings = None
    return (*map(Path, found), *([settings.absolute()] if settings else []))


def sample(name: str) -> str:
    """Return a file that `msgbook demo` and the page's tour begin with."""
    return resources.files("msgbook").joinpath("samples", name).read_text("utf-8")


def home_folder() -> Path | None:
    """Return the user's home folder, which may contain skills; None if the user has none."""
    try:
        return Path.home()
    except RuntimeError:
        return None


def saved_approver(settings: Settings, folder: Path, rules: Sequence[Rule]) -> Approver:
    """Return the approver for a notebook's folder, which saves the rules that answers make."""
    # Imported here: a kernel starts without it.
    from msgbook.approval import Approver, Rules

    return Approver(settings.approval, folder, Rules.from_user_files(rules))
