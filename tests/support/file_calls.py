"""Calls of the file tools as a worker answers them, without a process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from msgbook.approval import ApprovalRequest, Roots
from msgbook.tools.files.serve import answer


class FileCalls:
    """One conversation's calls.

    Args:
        folder: The notebook's folder.
        allowed: The paths to which the agent is held; None: to none.
    """

    def __init__(
        self,
        folder: Path,
        private: Iterable[Path] = (),
        blobs: Path | None = None,
        ripgrep: str | None = None,
        allowed: Sequence[Path] | None = None,
    ) -> None:
        self.roots = Roots(folder, private, blobs)
        self._within = None if allowed is None else [str(path) for path in allowed]
        self._ripgrep = ripgrep
        self.seen: dict[str, str] = {}

    def reply(self, tool: str, approved: ApprovalRequest | None = None, **arguments: Any) -> Any:
        request = {"tool": tool, "arguments": arguments, "seen": self.seen}
        request["approved"] = approved._asdict() if approved else None
        request["within"] = self._within
        reply = answer(self.roots, request, self._ripgrep)
        self.seen.update(reply["seen"])
        if "approval_request" in reply:
            reply["approval_request"] = ApprovalRequest(**reply["approval_request"])
        return reply

    def run(self, tool: str, **arguments: Any) -> Any:
        """Return the content of a call that needs no approval."""
        return self.reply(tool, **arguments)["content"]

    def approval_request(self, tool: str, **arguments: Any) -> ApprovalRequest:
        """Return the approval request of a call that needs one."""
        needed: ApprovalRequest = self.reply(tool, **arguments)["approval_request"]
        return needed

    def run_approved(self, tool: str, **arguments: Any) -> Any:
        """Return the content of a call that needs approval and gets it."""
        approved = self.approval_request(tool, **arguments)
        return self.reply(tool, approved, **arguments)["content"]

    def error(self, tool: str, **arguments: Any) -> str:
        """Return why a call fails, in words for the model."""
        words: str = self.reply(tool, **arguments)["error"]
        return words
