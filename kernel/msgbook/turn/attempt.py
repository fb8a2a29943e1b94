"""One attempt to run a tool call, and how attempts are made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from msgbook.approval import ApprovalRequest
from msgbook.tools import Content
from msgbook_format.turn import Block


@dataclass(frozen=True, slots=True)
class Attempt:
    """Result of one attempt to run a call."""

    status: str
    content: Content
    duration: float = 0.0
    displays: Sequence[dict[str, Any]] = ()
    """MIME bundles that the tool displays to the reader."""
    notice: str = ""
    """What of its displays is left out; empty if nothing is."""
    approval_request: ApprovalRequest | None = None
    """Set if the call needs approval. It has done nothing then."""
    questions: int = 0
    """Number of questions that a person was asked about the call."""


RunCall = Callable[[Block, Callable[[], Awaitable[Attempt]]], Awaitable[Attempt]]
"""Makes an attempt: a cassette keeps its result, or returns the result that it has kept instead."""


async def run_now(_call: Block, run: Callable[[], Awaitable[Attempt]]) -> Attempt:
    """Run the call."""
    return await run()
