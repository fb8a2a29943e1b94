"""The job of one file of many, and its result."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from msgbook.config import ApprovalPolicy
from msgbook.notebook import TurnUsage

Status = Literal[
    "done",
    "incomplete",
    "failed",
    "interrupted",
    "not run",
    "answered",
    "no prompt",
    "in use",
    "unsaved",
    "unreadable",
    "other",
]

EXIT_CODES: dict[Status, int] = {
    "done": 0,
    "incomplete": 0,
    "answered": 0,
    "no prompt": 0,
    "other": 0,
    "failed": 1,
    "interrupted": 1,
    "not run": 1,
    "in use": 1,
    "unsaved": 2,
    "unreadable": 2,
}
"""What each status makes of the exit code: 1 for a prompt without an answer, 2 for a file that could not be used.

The page about commands says what the words mean; `other` is a notebook of another kernel, which is not shown.
"""


@dataclass(frozen=True, slots=True)
class Job:
    """Answers prompts of one file. It can be sent to another machine."""

    path: Path
    again: bool = False
    """Whether prompts that have an answer are answered again."""
    approval: ApprovalPolicy = "allow"
    """Most permissive policy for tool calls; nobody can be asked."""
    folder: Path | None = None
    """Folder that the conversation works in; None for the file's own."""


@dataclass(frozen=True, slots=True)
class PaidTurn:
    """A turn that was run, and its cost; None where no price is known."""

    usage: TurnUsage
    cost: float | None


@dataclass(slots=True)
class FileResult:
    """The result of a job."""

    path: Path
    status: Status
    turns: list[PaidTurn] = field(default_factory=list)
    """Those of this run."""
    seconds: float = 0.0
    notices: list[tuple[str, str]] = field(default_factory=list)
    """Place and words of each warning and error."""

    def set_path(self, path: Path) -> None:
        """Set the path, and put it in place of the old one in the notices."""
        old, new = str(self.path), str(path)
        self.notices = [
            (place.replace(old, new), words.replace(old, new)) for place, words in self.notices
        ]
        self.path = path


def exit_code(results: Iterable[FileResult]) -> int:
    """Return the exit code of a run, the worst of its files'."""
    return max((EXIT_CODES[result.status] for result in results), default=0)
