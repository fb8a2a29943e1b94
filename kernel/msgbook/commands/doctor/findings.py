"""What the doctor finds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

Status = Literal["pass", "fail", "unknown"]


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    check: str
    """Its name, for programs: `server`, `stream`, ..."""
    status: Status
    words: str
    """What was seen."""
    advice: str = ""
    """The next thing to try; empty when there is nothing to do."""


def as_objects(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """The findings as JSON has them."""
    return [asdict(finding) for finding in findings]


def exit_code(findings: Iterable[Finding]) -> int:
    """1 when a check failed, else 0: what is unknown is no failure."""
    return int(any(finding.status == "fail" for finding in findings))
