"""One call of a file tool, inside the worker."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from msgbook.approval.request import ApprovalRequest, ApprovalRequiredError
from msgbook.approval.roots import Roots


class Call(NamedTuple):
    """What a tool works with."""

    roots: Roots
    approved: ApprovalRequest | None = None
    """The approval request that was approved for this very call."""
    ripgrep: str | None = None
    """Where ripgrep is."""
    seen: Mapping[str, str] = {}
    """Digest of each file as this conversation last saw it, by real path."""
    now_seen: dict[str, str] = {}  # noqa: RUF012 - every call is given its own
    """Takes in the digests of what this call read or wrote."""

    def require(self, approval_request: ApprovalRequest | None) -> None:
        """Continue if no approval is needed, or if exactly this was approved.

        Raises:
            ApprovalRequiredError: It was not approved.
        """
        if approval_request not in (None, self.approved):
            raise ApprovalRequiredError(approval_request)

    def readable(self, path: str) -> Path:
        """The real path of an argument, free to read or allowed.

        Raises:
            ToolError: The text is no path.
            ApprovalRequiredError: Somebody has to allow it first.
        """
        real = self.roots.resolve(path)
        self.require(self.roots.check_read(real))
        return real

    def searchable(self, path: str) -> Path:
        """The real path of an argument that is searched: as `readable`, or it holds what is free."""
        real = self.roots.resolve(path)
        if not self.roots.is_searchable(real):
            self.require(self.roots.check_read(real))
        return real
