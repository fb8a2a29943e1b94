"""One call of a file tool, inside the worker."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from msgbook.approval.roots import NotFree, Objection, Roots


class Call(NamedTuple):
    """What a tool works with."""

    roots: Roots
    allowed: Mapping[str, Any] | None = None
    """The need that somebody has allowed for this very call."""
    ripgrep: str | None = None
    """Where ripgrep is."""
    seen: Mapping[str, str] = {}
    """Digest of each file as this conversation last saw it, by real path."""
    now_seen: dict[str, str] = {}  # noqa: RUF012 - every call is given its own
    """Takes in the digests of what this call read or wrote."""

    def require(self, objection: Objection | None, preview: str = "") -> None:
        """Go on if nothing speaks against it, or if exactly this has been allowed.

        Raises:
            NotFree: Somebody has to allow it first.
        """
        if objection is None:
            return
        need = {**objection._asdict(), "preview": preview}
        if need != self.allowed:
            raise NotFree(need)

    def readable(self, path: str) -> Path:
        """The real path of an argument, free to read or allowed.

        Raises:
            Refused: The text is no path.
            NotFree: Somebody has to allow it first.
        """
        real = self.roots.resolve(path)
        self.require(self.roots.objection(real))
        return real

    def searchable(self, path: str) -> Path:
        """The real path of an argument that is searched: as `readable`, or it holds what is free."""
        real = self.roots.resolve(path)
        if not self.roots.holds_allowed(real):
            self.require(self.roots.objection(real))
        return real
