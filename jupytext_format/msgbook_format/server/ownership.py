"""Tests whether a notebook of a contents manager belongs to a message file; others are left alone."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from tornado.web import HTTPError

from msgbook_format.files import has_section
from msgbook_format.jupytext_plugin import FORMAT_NAME
from msgbook_format.jupytext_plugin.message_format import is_message_path
from msgbook_format.jupytext_plugin.pairing import find_message_file, find_other_files
from msgbook_format.metadata import msgbook_metadata
from msgbook_format.server.output_files import find_os_path
from msgbook_format.server.received_notebook import find_formats


def can_touch_message_file(manager: Any, content: Any, path: str) -> bool:
    """Return whether saving a notebook can change a message file."""
    if is_message_path(path) or is_paired(manager, path) or _name_our_format(find_formats(content)):
        return True
    if not path.endswith(".md") or not isinstance(content, dict):
        return False
    return is_message_notebook(content, path) or has_message_section(content)


def is_paired(manager: Any, path: str) -> bool:
    """Return whether a file was opened or saved as half of a pair with a message file."""
    return _name_our_format(manager.paired_notebooks.get(path, ("", ""))[1])


def _name_our_format(formats: Any) -> bool:
    """Return whether formats of Jupytext, which may have any type, name ours."""
    return re.search(rf"\b{FORMAT_NAME}\b", str(formats)) is not None


def is_message_notebook(content: Any, path: str) -> bool:
    """Return whether a notebook at `path` is saved in our format."""
    if is_message_path(path):
        return True
    node = content
    for key in ("metadata", "jupytext", "text_representation"):
        node = node.get(key)
        if not isinstance(node, dict):
            return False
    return bool(node.get("format_name") == FORMAT_NAME)


def has_message_section(content: Any) -> bool:
    """Return whether a notebook was read from a message section.

    The notebook of a pair does not name its format.
    """
    user = msgbook_metadata(content).get("frontmatter")
    return isinstance(user, str) and has_section(f"---\n{user}---\n")


def require_pair_inside(manager: Any, content: Any, path: str) -> None:
    """Raise 400 if another file of the notebook's pair is a link that leads outside.

    Nobody has opened that file, and a pair that came with a folder would write into it or show it.
    Outside means neither below the server's folder nor below that of the file at `path`.
    """
    opened, root = find_os_path(manager, path), find_os_path(manager, "")
    if opened is None or root is None:
        return
    folders = [os.path.realpath(root), os.path.realpath(opened.parent)]
    formats = find_formats(content) or manager.paired_notebooks.get(path, ("", ""))[1]
    for other in find_other_files(path, formats):
        found = find_os_path(manager, other)
        real = Path(os.path.realpath(found)) if found is not None else None
        if real is not None and not any(real.is_relative_to(folder) for folder in folders):
            message = (
                f"{path}: expected its pair {other} in the server's folder, found a link that leads "
                f"out of it. Replace the link with the file, or delete it."
            )
            raise HTTPError(400, message, reason="pair elsewhere")


def find_pair(manager: Any, content: Any, path: str) -> str | None:
    """Return the message file that is paired with the notebook `content` at `path`, if any."""
    return find_message_file(
        path, find_formats(content) or manager.paired_notebooks.get(path, ("", ""))[1]
    )
