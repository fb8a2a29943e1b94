"""What `.gitignore` files leave out, from the notebook's folder down."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgbook.approval import Roots
from msgbook.errors import ToolError
from msgbook.tools.files import decoded, read_file

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_SIZE_LIMIT = 100_000
_LINES = 1000
_PATH_LIMIT = 1000
"""Characters; what is longer is left out, whatever a `.gitignore` says."""
_STARS, _STARS_OF_A_NAME, _FOLDERS = 3, 2, 2
"""Stars of a pattern, `**` being one; those of one name; `**`. A pattern becomes a regular
expression that holds up the whole kernel, each star multiplies the time that a hostile path can
take, and nobody writes more of them."""


class GitIgnore:
    """Reads each `.gitignore` once; make a new one for each use."""

    def __init__(self, roots: Roots) -> None:
        self._roots = roots
        self._specs: dict[Path, GitIgnoreSpec | None] = {}

    def hides(self, path: Path, *, is_folder: bool) -> bool:
        """Whether a path is left out, taken by itself: the folders above it are not.

        The `.gitignore` that is nearest to the path and says something about it decides.
        """
        for folder in path.parents:
            if not self._roots.is_inside(folder):
                break
            spec = self._spec(folder)
            if spec is None:
                continue
            name = path.relative_to(folder).as_posix() + ("/" if is_folder else "")
            if len(name) > _PATH_LIMIT:
                return True
            said = spec.check_file(name).include
            if said is not None:
                return said
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

        file = decoded(data)
        lines = file.lines.split("\n") if file else []
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
