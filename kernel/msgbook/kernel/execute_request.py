"""What an execute_request tells of its cell: clients tell different things, and any may be forged."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from msgbook.notebook.saved_notebook import regular_notebook
from msgbook.notebook.session_memory import Asked

_VSCODE = "vscode-notebook-cell"
_DRIVE = re.compile(r"/[A-Za-z]:/")
_HANDLE = re.compile(r"[WXYZa-f]+([0-6]+)s")
"""A number to base 7 behind a letter that tells its length, so that handles sort as texts."""


def asked_for(
    source: str,
    cell_id: Any,
    metadata: Mapping[str, Any] | None,
    *,
    folder: Path,
    is_typed: bool,
    client: str | None = None,
) -> Asked:
    """The cell that a request is about.

    Args:
        metadata: Of the request. JupyterLab and VS Code send the cell's.
        folder: The kernel's. A notebook that a client names counts only below it.
        is_typed: Whether the client takes questions and names no cell.
        client: Client session of the request.
    """
    cell_id = cell_id if isinstance(cell_id, str) else None
    ours = (metadata or {}).get("msgbook")
    path, place = None, None
    if cell_id is not None and cell_id.startswith(f"{_VSCODE}:"):
        path, place = named_notebook(cell_id, folder), _place(cell_id)
    ours = ours if isinstance(ours, dict) else {}
    return Asked(source, cell_id, ours, path, place, is_typed=is_typed, client=client)


def named_notebook(uri: str, folder: Path) -> Path | None:
    """The file of the notebook that a cell's URI names, as VS Code spells it.

    The notebook's own metadata can put another URI in its place. So it has to be an existing
    regular file below the kernel's folder, and says no more than where the cells above stand.

    Returns:
        None where it names none: one that is not saved yet, or lies on another machine.
    """
    found = regular_notebook(path_of(uri))
    try:
        if found is not None and found.resolve().is_relative_to(folder.resolve()):
            return found
    except (OSError, RuntimeError):
        return None
    return None


def path_of(uri: str, *, windows: bool = os.name == "nt") -> str:
    """The path that a URI names; empty where it is no URI."""
    try:
        path = unquote(urlsplit(uri).path, errors="strict")
    except ValueError:
        return ""
    return path[1:] if windows and _DRIVE.match(path) else path


def _place(uri: str) -> int | None:
    """Where the cell stood when VS Code opened the notebook."""
    handle = _HANDLE.match(uri.partition("#")[2])
    return int(handle[1], 7) if handle and len(handle[1]) < 10 else None
