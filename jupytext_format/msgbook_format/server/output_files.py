"""Files that outputs of a message file name, on a contents manager over folders of files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgbook_format.output_files import load_output_files
from msgbook_format.references import open_references


def find_os_path(manager: Any, path: str) -> Path | None:
    """Where the file at `path` lies on disk; None if the manager has no files there."""
    find = getattr(manager, "_get_os_path", None)
    return None if find is None else Path(find(path))


def load_files(manager: Any, content: Any, path: str) -> bool:
    """Give the outputs of a notebook whose text is at `path` the data of their files, in place.

    Returns whether there are such outputs.
    """
    if next(open_references(content), None) is None:
        return False
    found = find_os_path(manager, path)
    for problem in load_output_files(content, found) if found is not None else ():
        manager.log.warning("%s: %s", path, problem)
    return True
