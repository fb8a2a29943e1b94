"""What a process that runs turns owes its user, a kernel as well as a command."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from msgbook.approval import Approver, Rule, SavedRules
from msgbook.config import Settings, config_path
from msgbook.errors import ConfigError

_PR_SET_DUMPABLE = 4


def hide_from_children() -> None:
    """Keep other processes of the user from reading this one's start environment (Linux).

    The key may stand there. Root can read it all the same.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


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


def home_folder() -> Path | None:
    """The user's home, where their own skills are; None for a user who has none."""
    try:
        return Path.home()
    except RuntimeError:
        return None


def saved_approver(settings: Settings, folder: Path, rules: Sequence[Rule]) -> Approver:
    """What is allowed in a notebook's folder; rules made by an answer are kept for good."""
    saved = SavedRules.from_user_file()
    return Approver(settings.approval, folder, rules, saved)
