"""Walking down a folder: no links, not into what holds no work of the user's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgbook.tools.files.opening import entries
from msgbook.tools.rights import Refused, Roots

SKIPPED = (".git", "node_modules", "__pycache__", ".msgbook")
"""Folders that are not gone into, unless one starts there."""
_FOLDERS = 50_000
"""Folders that are listed at most."""


def walk(roots: Roots, top: Path) -> Iterator[tuple[str, str]]:
    """Paths below a folder and their kinds, relative with `/`, sorted by folder.

    Folders that cannot be listed are left out.

    Raises:
        Refused: The top cannot be listed, or there are too many folders.
    """
    waiting = [""]
    listed = 0
    while waiting:
        folder = waiting.pop()
        listed += 1
        if listed > _FOLDERS:
            raise Refused(f"There are more than {_FOLDERS} folders; give one of them as `path`.")
        try:
            found = entries(roots, top / folder)
        except OSError as error:
            if not folder:
                raise Refused(f"{roots.name(top)}: {error.strerror}") from None
            continue
        below = []
        for name, kind in found:
            yield folder + name, kind
            if kind == "folder" and name not in SKIPPED:
                below.append(f"{folder}{name}/")
        waiting += reversed(below)
