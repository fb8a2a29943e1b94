"""One call of a file tool, inside the worker."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from msgbook.approval.request import ApprovalRequest, ApprovalRequiredError
from msgbook.approval.roots import Roots


class Call(NamedTuple):
    """Context of one call."""

    roots: Roots
    approved: ApprovalRequest | None = None
    """The approval request that was approved for this very call."""
    ripgrep: str | None = None
    """Path of ripgrep; None if there is none."""
    seen: Mapping[str, str] = {}
    """Digest of each file as this conversation last saw it, by real path."""
    now_seen: dict[str, str] = {}  # noqa: RUF012 - every call is given its own
    """Filled with the digests of the files that this call reads or writes."""

    def require(self, approval_request: ApprovalRequest | None) -> None:
        """Continue if no approval is needed, or if exactly this was approved.

        Raises:
            ApprovalRequiredError: It was not approved.
        """
        if approval_request not in (None, self.approved):
            raise ApprovalRequiredError(approval_request)

    def resolve_readable(self, path: str) -> Path:
        """Return the real path of an argument that may be read.

        Raises:
            ToolError: The text is not a path.
            ApprovalRequiredError: Reading it needs approval first.
        """
        real = self.roots.resolve(path)
        self.require(self.roots.check_read(real))
        return real

    def resolve_searchable(self, path: str) -> Path:
        """Return the real path of an argument that may be read, or of a folder that `is_searchable`."""
        real = self.roots.resolve(path)
        if not self.roots.is_searchable(real):
            self.require(self.roots.check_read(real))
        return real
