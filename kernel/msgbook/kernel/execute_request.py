"""The cell that an `execute_request` asks to run.

Clients put different things about it into the message, and all of them may be forged.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from msgbook.notebook import RequestedCell, find_notebook_file
from msgbook_format.links import real_path

_VSCODE = "vscode-notebook-cell"
_DRIVE = re.compile(r"/[A-Za-z]:/")
_HANDLE = re.compile(r"[WXYZa-f]+([0-6]+)s")
"""VS Code's number of a cell: base 7, after a letter for its length, so that numbers sort as text."""


def requested_cell(
    source: str,
    cell_id: Any,
    metadata: Mapping[str, Any] | None,
    *,
    folder: Path,
    is_console: bool,
    client_session: str | None = None,
) -> RequestedCell:
    """Return the cell that an `execute_request` is about.

    Args:
        metadata: The request's. JupyterLab and VS Code put the cell's metadata into it.
        folder: The kernel's. A notebook that the client names has to be below it.
        is_console: Whether the client takes questions and names no cell.
        client_session: Session in the request's header.
    """
    cell_id = cell_id if isinstance(cell_id, str) else None
    path, position = None, None
    if cell_id is not None and cell_id.startswith(f"{_VSCODE}:"):
        path, position = named_notebook(cell_id, folder), _position(cell_id)
    ours = (metadata or {}).get("msgbook")
    return RequestedCell(
        source,
        cell_id,
        ours if isinstance(ours, dict) else {},
        path,
        position,
        is_console=is_console,
        client_session=client_session,
    )


def named_notebook(uri: str, folder: Path) -> Path | None:
    """Return the notebook's file from a cell's URI, as VS Code spells it.

    A notebook's metadata can forge the URI. So the file has to be an existing regular file below
    the kernel's folder, and is only used to find the cells above.

    Returns:
        None for a notebook that is not saved yet, or is on another machine.
    """
    found = find_notebook_file(path_of(uri))
    try:
        if found is not None and real_path(found).is_relative_to(folder.resolve()):
            return found
    except OSError:
        return None
    return None


def path_of(uri: str, *, windows: bool = os.name == "nt") -> str:
    """Return the path in a URI; empty if it is no URI."""
    try:
        path = unquote(urlsplit(uri).path, errors="strict")
    except ValueError:
        return ""
    return path[1:] if windows and _DRIVE.match(path) else path


def _position(uri: str) -> int | None:
    """Return the index that the cell had when VS Code opened the notebook."""
    handle = _HANDLE.match(uri.partition("#")[2])
    return int(handle[1], 7) if handle and len(handle[1]) < 10 else None
