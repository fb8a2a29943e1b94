"""What the doctor finds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

_ADVICE = re.compile(r" (?=Check |Read it, |Is the server running|The server limits )")

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


def split_advice(message: str) -> tuple[str, str]:
    """A message's words and its advice: the question or request that it ends with."""
    found = _ADVICE.search(message)
    if found is None:
        return message, ""
    return message[: found.start()], message[found.end() :]


def as_objects(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """The findings as JSON has them."""
    return [asdict(finding) for finding in findings]


def exit_code(findings: Iterable[Finding]) -> int:
    """1 when a check failed, else 0: what is unknown is no failure."""
    return int(any(finding.status == "fail" for finding in findings))
