"""An approval request: what a tool call would do, and why it needs approval."""

from __future__ import annotations

from typing import NamedTuple

from msgbook.errors import MsgbookError


class ApprovalRequest(NamedTuple):
    """Request for the approval of one tool call.

    A named tuple, so that a worker of the file tools can send it as JSON and imports little.
    """

    reason: str
    """Completes "needs approval, since ..."; names the real path, or anything else that is touched."""
    preview: str = ""
    """Unified diff of the change; empty where the arguments say everything."""
    always_asks: bool = False
    """True if only a person can approve it, for this one call: no rule and no session does."""
    path: str = ""
    """The real path that is read or changed; a rule holds for it. Empty for other calls."""
    server: str = ""
    """Digest of the MCP server that is called; a saved rule holds for it. Empty for other calls."""


class ApprovalRequiredError(MsgbookError):
    """A call needs approval. Raised before the call has done anything."""

    def __init__(self, approval_request: ApprovalRequest) -> None:
        super().__init__(approval_request.reason)
        self.approval_request = approval_request
