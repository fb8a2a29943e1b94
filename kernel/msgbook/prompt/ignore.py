"""What `.gitignore` files leave out, from the notebook's folder down."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgbook.tools.files.opening import read_file
from msgbook.tools.files.text import decoded
from msgbook.tools.rights import Refused, Roots

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_SIZE_LIMIT = 100_000
_WILDCARDS = 3
"""Wildcards in one name of a pattern. A pattern becomes a regular expression, each wildcard
multiplies the time that a hostile file name can take, and nobody writes more of them."""


class Ignored:
    """Reads each `.gitignore` once; make a new one for each use."""

    def __init__(self, roots: Roots) -> None:
        self._roots = roots
        self._specs: dict[Path, GitIgnoreSpec | None] = {}

    def hides(self, path: Path, *, is_folder: bool) -> bool:
        """Whether a path is left out, taken by itself: the folders above it are not.

        The `.gitignore` that is nearest to the path and says something about it decides.
        """
        for folder in path.parents:
            if not self._roots.inside(folder):
                break
            spec = self._spec(folder)
            if spec is None:
                continue
            name = path.relative_to(folder).as_posix() + ("/" if is_folder else "")
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
        except Refused:  # most folders have none
            return None
        # Imported here: most kernels need it never, and none at its start.
        from pathspec import GitIgnoreSpec

        file = decoded(data)
        lines = file.lines.split("\n") if file else []
        return GitIgnoreSpec.from_lines(line for line in lines if _is_tame(line))


def _is_tame(line: str) -> bool:
    names = line.split("/")
    return len(names) < 20 and all(n.count("*") + n.count("?") <= _WILDCARDS for n in names)
