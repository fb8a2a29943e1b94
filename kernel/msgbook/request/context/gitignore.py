"""Paths that the `.gitignore` files in and below the notebook's folder exclude."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgbook.approval import Roots
from msgbook.errors import ToolError
from msgbook.tools.files import decode, read_file
from msgbook_format.links import nfc

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_SIZE_LIMIT = 100_000
_LINES = 1000
_PATH_LIMIT = 1000
"""Characters; a longer path is left out, whatever a `.gitignore` says."""
_STARS, _STARS_OF_A_NAME, _FOLDERS = 3, 2, 2
"""Limits of stars in a pattern (`**` counts as one), of stars in one name, and of `**`. A pattern
becomes a regular expression that blocks the whole kernel, and each star multiplies the time that a
hostile path can cost. Real patterns have fewer."""


class GitIgnore:
    """Reads each `.gitignore` once. Make a new object for each listing or glob."""

    def __init__(self, roots: Roots) -> None:
        self._roots = roots
        self._specs: dict[Path, GitIgnoreSpec | None] = {}

    def hides(self, path: Path, *, is_folder: bool) -> bool:
        """Return whether a path itself is excluded; folders above it are not looked at.

        The nearest `.gitignore` with a matching pattern decides.
        """
        for folder in path.parents:
            if not self._roots.is_inside(folder):
                break
            spec = self._spec(folder)
            if spec is None:
                continue
            name = nfc(path.relative_to(folder).as_posix()) + ("/" if is_folder else "")
            if len(name) > _PATH_LIMIT:
                return True
            is_hidden = spec.check_file(name).include
            if is_hidden is not None:
                return is_hidden
        return False

    def _spec(self, folder: Path) -> GitIgnoreSpec | None:
        if folder not in self._specs:
            self._specs[folder] = self._read(folder / ".gitignore")
        return self._specs[folder]

    def _read(self, path: Path) -> GitIgnoreSpec | None:
        try:
            data, _ = read_file(self._roots, path, _SIZE_LIMIT)
        except ToolError:  # most folders have none
            return None
        # Imported here: most kernels need it never, and none at its start.
        from pathspec import GitIgnoreSpec

        file = decode(data)
        lines = nfc(file.lines).split("\n") if file else []
        return GitIgnoreSpec.from_lines(list(filter(_is_tame, lines))[:_LINES])


def _is_tame(line: str) -> bool:
    names = line.split("/")
    folders = names.count("**")
    stars = [name.count("*") for name in names if name != "**"]
    return (
        len(names) < 20
        and folders <= _FOLDERS
        and folders + sum(stars) <= _STARS
        and max(stars, default=0) <= _STARS_OF_A_NAME
    )
