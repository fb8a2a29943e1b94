"""The notebook's folder as root: reading below it needs no approval. A worker starts with this module.

Regular files whose real path lies inside the notebook's folder and does not look like a secret are
read without approval; an agent with `allowed_uris` reads only inside those. So are the results that
msgbook keeps in `.msgbook/blobs/`. Everything else needs approval, and so does every write.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Sequence
from copy import copy
from pathlib import Path

from msgbook.approval.request import ApprovalRequest
from msgbook.approval.secret_paths import looks_secret
from msgbook.errors import ToolError
from msgbook.text import visible
from msgbook_format.links import real_path

_PROCESSES = Path("/proc")
"""Shows each process's arguments and environment, where keys may be (Linux)."""
_LEFT_OUT = "it is outside the folders that this agent may use"
_GUARDED = {".msgbook", ".git", ".agents", "agents.md"}
_BLOB = re.compile(r"[0-9a-f]{64}")
_PATH_LIMIT = 4096
_URL = re.compile(r"file:|[a-z][a-z0-9+.-]*://", re.IGNORECASE)


class Roots:
    """The folders below which reading needs no approval.

    Args:
        folder: The notebook's folder: relative paths start there, and it is the root. Reading needs
            approval even there if it is or contains the home directory.
        private: Folders in which reading always needs approval: Jupyter's own.
        blobs: Folder of complete results, named by their digests. Reading them needs no approval.
        allowed: Real paths. If set, reading inside the folder needs approval outside of these.
    """

    def __init__(
        self,
        folder: Path,
        private: Iterable[Path] = (),
        blobs: Path | None = None,
        allowed: Sequence[Path] | None = None,
    ) -> None:
        self.folder = folder.resolve()
        self._too_wide = _home(self.folder).is_relative_to(self.folder)
        self._private = [_folded(path.resolve()) for path in (*private, _PROCESSES)]
        self._blobs = blobs
        self._allowed = None if allowed is None else tuple(allowed)

    def narrow_to(self, allowed: Sequence[Path] | None) -> Roots:
        """Return the same roots with other `allowed` paths."""
        narrowed = copy(self)
        narrowed._allowed = None if allowed is None else tuple(allowed)
        return narrowed

    def resolve(self, path: str) -> Path:
        """Return the real path of a tool's argument, with every link followed.

        Raises:
            ToolError: The text is not a path.
        """
        if not path or "\0" in path or _URL.match(path) or len(path) > _PATH_LIMIT:
            raise ToolError(
                f"{path[:200]!r} is not the path of a file. Give a path relative to the notebook."
            )
        try:
            return real_path(self.folder / path)
        except OSError as error:  # a loop of links
            words = error.strerror or str(error)
        except UnicodeEncodeError:
            words = "it contains half of a surrogate pair"
        raise ToolError(f"{path!r}: {words}.")

    def is_inside(self, real: Path) -> bool:
        """Return whether a real path is the notebook's folder or below it."""
        return real.is_relative_to(self.folder)

    def check_read(self, real: Path) -> ApprovalRequest | None:
        """Return the approval request for reading a real path; None if none is needed.

        A likely secret always asks, so that an approval to read other files does not cover it.
        """
        if self._is_blob(real):
            return None
        secret = self.is_secret(real)
        words = []
        if not self.is_inside(real):
            words.append("it is outside the notebook's folder")
        elif self._too_wide:
            words.append("the notebook's folder is or contains your home directory")
        elif not self._is_allowed(real):
            words.append(_LEFT_OUT)
        if secret:
            words.append("it may hold a secret")
        if not words:
            return None
        reason = f"{' and '.join(words)}: {visible(str(real))}"
        return ApprovalRequest(reason, always_asks=secret, path=str(real))

    def check_write(self, real: Path, effect: str, preview: str = "") -> ApprovalRequest:
        """Return the approval request for a write; every write needs one.

        It always asks for a path that controls msgbook, git or the shell, for a likely secret, and
        for a path outside the notebook's folder.

        Args:
            effect: "it changes", "it makes the folder".
            preview: Diff of the change.
        """
        controls = any(folded(part) in _GUARDED for part in real.parts)
        outside = self._too_wide or not self.is_inside(real)
        always_asks = controls or outside or self.check_read(real) is not None
        where = ""
        if not self.is_inside(real):
            where = ", outside the notebook's folder"
        elif not self._is_allowed(real):
            where = f", and {_LEFT_OUT}"
        reason = f"{effect} {visible(str(real))}{where}"
        return ApprovalRequest(reason, preview, always_asks, str(real))

    def is_searchable(self, folder: Path) -> bool:
        """Return whether a folder needs approval only because `allowed` names folders below it.

        Such a folder is searched without approval, but only the parts that are `is_in_reach`.
        """
        needed = self.check_read(folder)
        narrow = needed is not None and not needed.always_asks and not self._too_wide
        return narrow and self.is_in_reach(folder)

    def is_in_reach(self, real: Path) -> bool:
        """Return whether `allowed` includes a path or something below it."""
        holds = any(path.is_relative_to(real) for path in self._allowed or ())
        return self.is_inside(real) and (holds or self._is_allowed(real))

    def list_readable_paths(self) -> list[str]:
        """Return the paths below which reading needs no approval, relative to the notebook's folder.

        They are sorted, have slashes, and none is below another; `.` is the notebook's folder.
        """
        found: list[Path] = []
        if not self._too_wide:
            for path in sorted({self.folder} if self._allowed is None else {*self._allowed}):
                covered = any(path.is_relative_to(other) for other in found)
                if not covered and self.is_inside(path) and not self.is_secret(path):
                    found.append(path)
        return [path.relative_to(self.folder).as_posix() for path in found]

    def is_secret(self, real: Path) -> bool:
        """Return whether a file is likely to hold a secret, whatever path a call starts from.

        The parts of the notebook's own path do not count, since a person has chosen that folder.
        """
        parts = real.parts[len(self.folder.parts) if self.is_inside(real) else 1 :]
        return self._is_private(real) or looks_secret([folded(part) for part in parts])

    def format_path(self, real: Path) -> str:
        """Return a path as it is shown: relative to the notebook's folder if it is inside."""
        return str(real.relative_to(self.folder)) if self.is_inside(real) else str(real)

    def _is_allowed(self, real: Path) -> bool:
        return self._allowed is None or any(real.is_relative_to(path) for path in self._allowed)

    def _is_private(self, real: Path) -> bool:
        own = _folded(real)
        return any(own[: len(folder)] == folder for folder in self._private)

    def _is_blob(self, real: Path) -> bool:
        # If the blobs folder is a link, no real path lies below it, so nothing in it is a blob.
        return real.parent == self._blobs and _BLOB.fullmatch(real.name) is not None


def folded(name: str) -> str:
    """Return a name reduced so that names that a file system may take for the same are equal.

    Removes case, Unicode forms, invisible characters (HFS+ ignores them), and trailing dots, spaces
    and streams (Windows).
    """
    plain = unicodedata.normalize("NFKC", name)
    seen = "".join(c for c in plain if unicodedata.category(c) != "Cf").casefold()
    return seen.partition(":")[0].rstrip(". ") or seen


def _home(otherwise: Path) -> Path:
    """Return the home directory; `/` for a user who has none."""
    try:
        return Path.home().resolve()
    except RuntimeError:
        return Path(otherwise.anchor)


def _folded(path: Path) -> tuple[str, ...]:
    return tuple(folded(part) if part != path.anchor else os.fspath(part) for part in path.parts)
