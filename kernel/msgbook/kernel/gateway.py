"""Kernels that a gateway starts (Kernel Gateway, Enterprise Gateway), perhaps on another machine.

Such a kernel gets few of the user's environment variables and starts in the gateway's own folder.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgbook.host import private_paths

if TYPE_CHECKING:
    from msgbook.config import Settings

_GATEWAY = "KERNEL_GATEWAY"
_FOLDER = "KERNEL_WORKING_DIR"

_NO_FOLDER = (
    "A kernel gateway started this kernel in its own folder because {why}. Reading any file needs "
    "approval."
)
_PASSED_ON = "OPENAI_API_KEY,OPENAI_BASE_URL,ANTHROPIC_API_KEY,MSGBOOK_MODEL"
_NO_SETTINGS = (
    "The demo model answers because the kernel gateway passed on no settings. Start Kernel Gateway with "
    f"KG_ENV_PROCESS_WHITELIST={_PASSED_ON}, or Enterprise Gateway with EG_INHERITED_ENVS={_PASSED_ON}. "
    "Then restart this kernel."
)


def enter_folder(environ: Mapping[str, str]) -> None:
    """Change to the notebook's folder if a gateway names it and it exists on this machine."""
    named = _named(environ)
    if _GATEWAY in environ and named is not None:
        with contextlib.suppress(OSError):
            os.chdir(named)


def kernel_private_paths(environ: Mapping[str, str], folder: Path) -> tuple[Path, ...]:
    """Return `private_paths`, and the working directory if it is the gateway's own."""
    return (*private_paths(), *([folder] if _is_foreign(environ, folder) else []))


def notices(environ: Mapping[str, str], settings: Settings, folder: Path) -> list[str]:
    """Return notices about the gateway for the first turn."""
    found = []
    if _is_foreign(environ, folder):
        given = environ.get(_FOLDER)
        why = f"{_FOLDER} " + ("names no folder on this machine" if given else "is not set")
        found.append(_NO_FOLDER.format(why=why))
    if _GATEWAY in environ and settings.provider is None:
        found.append(_NO_SETTINGS)
    return found


def _is_foreign(environ: Mapping[str, str], folder: Path) -> bool:
    named = _named(environ)
    if _GATEWAY not in environ:
        return False
    # Unlike `resolve`, raises nothing at a link to itself.
    return named is None or os.path.realpath(named) != os.path.realpath(folder)


def _named(environ: Mapping[str, str]) -> Path | None:
    named = environ.get(_FOLDER, "")
    return Path(named) if Path(named).is_absolute() and "\0" not in named else None
