"""All paths below a folder, without following links or entering folders of tools such as `.git`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from msgbook.approval.roots import Roots
from msgbook.errors import ToolError
from msgbook.tools.files.opening import list_entries

SKIPPED = (".git", "node_modules", "__pycache__", ".msgbook")
"""Folders that are not entered, unless the walk starts there."""
_FOLDERS = 50_000

Hidden = Callable[[str, str], bool]
"""Returns whether to leave out a path, relative with `/`, of a kind (`file`, `folder`, `other`)."""


def walk(
    roots: Roots, top: Path, hidden: Hidden | None = None, limit: int = _FOLDERS
) -> Iterator[tuple[str, str]]:
    """Yield the paths below a folder and their kinds, relative with `/`, sorted by folder.

    Folders that cannot be listed are left out.

    Args:
        hidden: Says what to leave out, with everything below it.
        limit: Most folders to list.

    Raises:
        ToolError: The top cannot be listed, or there are too many folders.
    """
    waiting = [""]
    listed = 0
    while waiting:
        folder = waiting.pop()
        listed += 1
        if listed > limit:
            raise ToolError(f"There are more than {limit} folders; name one of them.")
        try:
            found = list_entries(roots, top / folder)
        except OSError as error:
            if not folder:
                raise ToolError(f"{roots.format_path(top)}: {error.strerror}") from None
            continue
        below = []
        for name, kind in found:
            if hidden and hidden(folder + name, kind):
                continue
            yield folder + name, kind
            if kind == "folder" and name not in SKIPPED:
                below.append(f"{folder}{name}/")
        waiting += reversed(below)
