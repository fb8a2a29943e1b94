"""A request for approval: what a call would do, and why somebody has to allow it."""

from __future__ import annotations

from dataclasses import dataclass

from msgbook.errors import MsgbookError


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """Why a call is not free, and what exactly it would do."""

    reason: str
    """Completes "is not free, since ..."; names the real path or whatever else is touched."""
    preview: str = ""
    """Unified diff of what would be changed; empty where the arguments say all."""
    every_time: bool = False
    """Whether neither a rule nor an approval for the session covers it."""
    path: str = ""
    """The real path that is read or changed, to which a rule is held; empty for other calls."""


class ApprovalRequiredError(MsgbookError):
    """A call that is not free. Raised before anything has been done."""

    def __init__(self, need: ApprovalRequest) -> None:
        super().__init__(need.reason)
        self.need = need
