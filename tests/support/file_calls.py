"""Calls of the file tools as a worker answers them, without a process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from msgbook.approval.roots import Roots
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

    def reply(self, tool: str, allowed: dict[str, Any] | None = None, **arguments: Any) -> Any:
        request = {"tool": tool, "arguments": arguments, "allowed": allowed, "seen": self.seen}
        request["within"] = self._within
        reply = answer(self.roots, request, self._ripgrep)
        self.seen.update(reply["seen"])
        return reply

    def free(self, tool: str, **arguments: Any) -> Any:
        """What a call gives that needs no leave."""
        return self.reply(tool, **arguments)["content"]

    def need(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What has to be allowed first."""
        need: dict[str, Any] = self.reply(tool, **arguments)["need"]
        return need

    def allowed(self, tool: str, **arguments: Any) -> Any:
        """What a call gives that somebody has allowed."""
        return self.reply(tool, self.need(tool, **arguments), **arguments)["content"]

    def error(self, tool: str, **arguments: Any) -> str:
        """Why a call fails, for the model."""
        words: str = self.reply(tool, **arguments)["error"]
        return words
