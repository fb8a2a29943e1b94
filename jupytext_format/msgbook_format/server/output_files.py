"""The files behind message files, on a contents manager over folders of files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tornado.web import HTTPError

from msgbook_format.files import require_regular
from msgbook_format.outputs import load_output_files, open_references


def find_os_path(manager: Any, path: str) -> Path | None:
    """Return the path on disk of the file at `path`; None if the manager has no files on disk."""
    find = getattr(manager, "_get_os_path", None)
    return None if find is None else Path(find(path))


def require_regular_file(manager: Any, path: str) -> None:
    """Raise 400 for a pipe or a device at `path`, which the server would read forever."""
    found = find_os_path(manager, path)
    if found is None or not found.exists() or found.is_dir():
        return
    try:
        require_regular(found)
    except OSError as error:
        raise HTTPError(400, f"{path}: {error.strerror}", reason="no regular file") from error


def load_files(manager: Any, content: Any, path: str) -> bool:
    """Load the data of output files into a notebook whose text is at `path`, in place.

    Returns whether any output refers to a file.
    """
    if next(open_references(content), None) is None:
        return False
    found = find_os_path(manager, path)
    for problem in load_output_files(content, found) if found is not None else ():
        manager.log.warning("%s: %s", path, problem)
    return True
