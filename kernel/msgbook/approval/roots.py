"""Which files a tool may touch without asking. Imports nothing heavy: a worker starts with it.

The law: reading is free for regular files whose real path lies inside the notebook's folder (where
an agent is held to some folders of it, inside one of those) and looks like no secret, and for what
msgbook itself keeps in `.msgbook/blobs/`. Everything else has to be allowed, and so has every write.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Sequence
from copy import copy
from pathlib import Path
from typing import Any, NamedTuple

from msgbook.approval.secret_paths import looks_secret
from msgbook.text import visible as written_out

_PROCESSES = Path("/proc")
"""Tells what each process was started with, keys among it (Linux)."""
_LEFT_OUT = "the agent's allowed_uris leave it out"
_GUARDED = {".msgbook", ".git", ".agents", "agents.md"}
_BLOB = re.compile(r"[0-9a-f]{64}")
_PATH_LIMIT = 4096
_URL = re.compile(r"file:|[a-z][a-z0-9+.-]*://", re.IGNORECASE)


class Refused(Exception):  # noqa: N818 - nothing is wrong with us
    """What cannot be done; the message is for the model."""


class NotFree(Exception):  # noqa: N818
    """What has to be allowed first.

    Args:
        need: The fields of `msgbook.tools.base.ApprovalRequest`.
    """

    def __init__(self, need: dict[str, Any]) -> None:
        super().__init__(need)
        self.need = need


class Objection(NamedTuple):
    """Why something is not free."""

    reason: str
    every_time: bool
    """Whether neither a rule nor an approval for the session covers it."""
    path: str
    """The real path that it concerns."""


class Roots:
    """The folders below which reading is free.

    Args:
        folder: The notebook's folder: relative paths start there, and it is the root. Nothing is
            free when it is the home directory or holds it, `/` among them.
        private: Folders in which nothing is free, wherever they are: Jupyter's own.
        blobs: Folder of whole results, named by their digest; those are free, wherever it is.
        allowed: Real paths; inside the folder, what is none of them and below none of them is not
            free. None: all of the folder.
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

    def within(self, allowed: Sequence[Path] | None) -> Roots:
        """The same roots, held to some of their folders."""
        narrowed = copy(self)
        narrowed._allowed = None if allowed is None else tuple(allowed)
        return narrowed

    def resolve(self, path: str) -> Path:
        """The real path that a tool's argument means, every link followed.

        Raises:
            Refused: The text is no path.
        """
        if not path or "\0" in path or _URL.match(path) or len(path) > _PATH_LIMIT:
            raise Refused(
                f"{path[:200]!r} is no path of a file; give one relative to the notebook."
            )
        try:
            return (self.folder / path).resolve()
        except (OSError, RuntimeError) as error:  # a link to itself
            words = getattr(error, "strerror", None) or str(error)
        except UnicodeEncodeError:
            words = "half a surrogate pair is in it"
        raise Refused(f"{path!r}: {words}.")

    def inside(self, real: Path) -> bool:
        """Whether a real path is the notebook's folder or below it."""
        return real.is_relative_to(self.folder)

    def objection(self, real: Path) -> Objection | None:
        """Why reading a real path is not free; None when it is.

        A secret is asked about each time, so that leave to read elsewhere is no leave to read it.
        """
        if self._is_blob(real):
            return None
        secret = self.is_secret(real)
        words = []
        if not self.inside(real):
            words.append("it is outside the notebook's folder")
        elif self._too_wide:
            words.append("nothing is free in a folder that is or holds your home directory")
        elif not self._is_allowed(real):
            words.append(_LEFT_OUT)
        if secret:
            words.append("it may hold a secret")
        if not words:
            return None
        return Objection(f"{' and '.join(words)}: {one_line(str(real))}", secret, str(real))

    def holds_allowed(self, folder: Path) -> bool:
        """Whether a folder is not free only since `allowed` leaves it out, and holds what is free.

        Such a folder can be searched for what is `in_reach`.
        """
        objection = self.objection(folder)
        narrow = objection is not None and not objection.every_time and not self._too_wide
        return narrow and self.in_reach(folder)

    def in_reach(self, real: Path) -> bool:
        """Whether `allowed` leaves a path in, or something below it."""
        holds = any(path.is_relative_to(real) for path in self._allowed or ())
        return self.inside(real) and (holds or self._is_allowed(real))

    def write_objection(self, real: Path, deed: str) -> Objection:
        """Why a write is not free: none is.

        What steers msgbook, git or the shell, may hold a secret or lies outside is asked about
        each time.

        Args:
            deed: "it changes", "it makes the folder".
        """
        steers = any(folded(part) in _GUARDED for part in real.parts)
        outside = self._too_wide or not self.inside(real)
        every_time = steers or outside or self.objection(real) is not None
        where = ""
        if not self.inside(real):
            where = ", outside the notebook's folder"
        elif not self._is_allowed(real):
            where = f", and {_LEFT_OUT}"
        return Objection(f"{deed} {one_line(str(real))}{where}", every_time, str(real))

    def is_secret(self, real: Path) -> bool:
        """Whether a file is likely to hold a secret, whatever path a call starts from.

        Of the notebook's folder itself no part counts, since a person has chosen it.
        """
        parts = real.parts[len(self.folder.parts) if self.inside(real) else 1 :]
        return self._is_private(real) or looks_secret([folded(part) for part in parts])

    def _is_allowed(self, real: Path) -> bool:
        return self._allowed is None or any(real.is_relative_to(path) for path in self._allowed)

    def _is_private(self, real: Path) -> bool:
        own = _folded(real)
        return any(own[: len(folder)] == folder for folder in self._private)

    def name(self, real: Path) -> str:
        """How a path is shown: relative to the notebook's folder where it is inside."""
        return str(real.relative_to(self.folder)) if self.inside(real) else str(real)

    def _is_blob(self, real: Path) -> bool:
        # A blobs folder that is a link elsewhere is none: no real path lies below it.
        return real.parent == self._blobs and _BLOB.fullmatch(real.name) is not None


def folded(name: str) -> str:
    """A name without what some file systems do not tell apart.

    Case, Unicode forms, invisible characters (HFS+ ignores them), trailing dots and spaces and
    streams (Windows).
    """
    plain = unicodedata.normalize("NFKC", name)
    seen = "".join(c for c in plain if unicodedata.category(c) != "Cf").casefold()
    return seen.partition(":")[0].rstrip(". ") or seen


def visible(text: str) -> str:
    """The text with what is not seen written out; tabs and line feeds stay."""
    return written_out(text, keep="\t\n")


def one_line(text: str) -> str:
    """The text as `visible` shows it, on one line: for paths, which may have line feeds."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def _home(otherwise: Path) -> Path:
    """The home directory; `/` is too wide also for a user who has none."""
    try:
        return Path.home().resolve()
    except RuntimeError:
        return Path(otherwise.anchor)


def _folded(path: Path) -> tuple[str, ...]:
    return tuple(folded(part) if part != path.anchor else os.fspath(part) for part in path.parts)
