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
    "in use",
    "unsaved",
    "unreadable",
    "other",
]

STATUSES: dict[Status, str] = {
    "done": "all prompts have an answer",
    "incomplete": "the same, but an answer reached a limit",
    "answered": "all prompts had an answer before",
    "failed": "a turn failed",
    "interrupted": "a turn was stopped",
    "not run": "the run was stopped before",
    "in use": "another program answers a prompt of the file",
    "unsaved": "the file could not be written",
    "unreadable": "the file cannot be read, or not be used",
}
"""What the words of the summary mean."""

_FAILED: frozenset[Status] = frozenset({"failed", "interrupted", "not run", "in use"})
_UNUSABLE: frozenset[Status] = frozenset({"unsaved", "unreadable"})


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
    remarks: list[tuple[str, str]] = field(default_factory=list)
    """Place and words of each warning and error."""


def exit_code(results: Iterable[FileResult]) -> int:
    """Return the exit code of a run: 2 for a file that could not be used, 1 for a prompt without an answer."""
    statuses = {result.status for result in results}
    return 2 if statuses & _UNUSABLE else 1 if statuses & _FAILED else 0
