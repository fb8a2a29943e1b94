"""Which files a tool may read without asking."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path

from msgbook.tools.base import ApprovalNeededError, Need, ToolError

_SECRET_NAMES = (
    ".env*",
    "*.pem",
    "*.key",
    "id_*",
    ".netrc",
    ".git-credentials",
    ".npmrc",
    ".pypirc",
)
_SECRET_FOLDERS = {".ssh", ".aws", ".gnupg", ".docker", ".kube"}


class Roots:
    """The folders below which reading is free.

    Args:
        folder: The notebook's folder: relative paths start there, and it is the root. Nothing is
            free when it is the home directory or holds it, `/` among them.
        private: Folders in which nothing is free, wherever they are: Jupyter's own.
    """

    def __init__(self, folder: Path, private: Iterable[Path] = ()) -> None:
        self.folder = folder.resolve()
        too_wide = Path.home().resolve().is_relative_to(self.folder)
        self._roots = () if too_wide else (self.folder,)
        self._private = tuple(path.resolve() for path in private)

    def resolve(self, path: str) -> Path:
        """The real path that a tool's argument means, every link followed.

        Raises:
            ToolError: The text is no path.
        """
        if "\0" in path or path.startswith("file:"):
            raise ToolError(f"{path!r} is no path of a file; give one relative to the notebook.")
        try:
            return (self.folder / path).resolve()
        except (OSError, RuntimeError) as error:
            raise ToolError(f"{path}: {error}") from None

    def check_free(self, real: Path) -> None:
        """Let a read of a real path pass, or say why not.

        Raises:
            ApprovalNeededError: It is outside the roots, or likely to hold a secret.
        """
        if not any(real.is_relative_to(root) for root in self._roots):
            raise ApprovalNeededError(Need("it is outside the notebook's folder"))
        if self._is_secret(real):
            raise ApprovalNeededError(Need("it may hold a secret"))

    def open(self, real: Path, *, free: bool) -> int:
        """Open a regular file for reading and return the descriptor, which the caller closes.

        Args:
            free: Check the opened file itself too, so that a link swapped in meanwhile is caught.

        Raises:
            ToolError: There is no such file, or it is no regular one.
            ApprovalNeededError: What was opened is not free.
        """
        try:
            flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)
            descriptor = os.open(real, flags)
        except OSError as error:
            raise ToolError(f"{self.name(real)}: {error.strerror}") from None
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise ToolError(f"{self.name(real)} is no regular file.")
            opened = Path(f"/proc/self/fd/{descriptor}")
            if free and opened.exists():
                self.check_free(opened.resolve())
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor

    def name(self, real: Path) -> str:
        """How a path is shown: relative to the notebook's folder where it is inside."""
        return str(real.relative_to(self.folder)) if real.is_relative_to(self.folder) else str(real)

    def _is_secret(self, real: Path) -> bool:
        if any(real.is_relative_to(folder) for folder in self._private):
            return True
        parts = [part.lower() for part in real.relative_to(self.folder).parts]
        if any(part in _SECRET_FOLDERS for part in parts):
            return True
        if ".git" in parts and parts[-1] == "config":
            return True
        return any(fnmatch(part, pattern) for part in parts for pattern in _SECRET_NAMES)
