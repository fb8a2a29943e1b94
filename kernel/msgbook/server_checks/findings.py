"""Findings of the doctor."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

_ADVICE = "Read it, "
"""Beginning of the advice in a warning about a project that is not trusted."""

Status = Literal["pass", "fail", "unknown", "note"]


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    check: str
    """Name for programs: `server`, `stream`, ..."""
    status: Status
    words: str
    """Description of what was found."""
    advice: str = ""
    """Next thing to try; empty if there is nothing to do."""


def split_advice(message: str) -> tuple[str, str]:
    """Split a warning into its description and the advice at its end."""
    words, begins, advice = message.partition(f" {_ADVICE}")
    return words, _ADVICE + advice if begins else ""


def as_objects(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Return the findings as JSON objects."""
    return [asdict(finding) for finding in findings]


def exit_code(findings: Iterable[Finding]) -> int:
    """Return 1 if a check failed, or else 0: an unknown result or a note is not a failure."""
    return int(any(finding.status == "fail" for finding in findings))
