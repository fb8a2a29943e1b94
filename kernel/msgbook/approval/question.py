"""Asking about a tool call that is not free: the question, the answer, the decision. Pure."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from msgbook_format.turn import Block

if TYPE_CHECKING:
    from msgbook.approval.request import ApprovalRequest

Choice = Literal["once", "session", "rule", "no"]

CHOICES: tuple[Choice, ...] = ("once", "session", "rule", "no")


@dataclass(frozen=True, slots=True)
class Question:
    """A call that somebody has to allow."""

    call: Block
    need: ApprovalRequest

    @property
    def choices(self) -> tuple[Choice, ...]:
        """What a person can answer."""
        return ("once", "no") if self.need.every_time else CHOICES


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person said."""

    choice: Choice
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about one call."""

    approval: Literal["user", "rule", "denied"]
    """`user`: a person saw this very call and allowed it. `rule`: something decided before covers
    it: a rule, a grant for the session, or a policy that allows all."""
    reason: str = ""
    """When denied: what the model is told."""


Ask = Callable[[Question], Awaitable[Answer | None]]
"""Asks a person, and takes as long as that person does; None when nobody is there."""

Approve = Callable[[Question], Awaitable[Decision]]
"""Decides about one call."""
