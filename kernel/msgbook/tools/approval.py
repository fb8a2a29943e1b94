"""Who decides about a tool call that is not free."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from msgbook.tools.base import Need
from msgbook_format.turn import Block

Choice = Literal["once", "session", "rule", "no"]


@dataclass(frozen=True, slots=True)
class Question:
    """A call that somebody has to allow."""

    call: Block
    need: Need


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person said."""

    choice: Choice
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about one call."""

    approval: Literal["user", "rule", "denied"]
    reason: str = ""
    """When denied: what the model is told."""


Ask = Callable[[Question], Awaitable[Answer | None]]
"""Asks a person, and takes as long as that person does; None when nobody is there."""

Approve = Callable[[Question], Awaitable[Decision]]
"""Decides about one call."""


def unattended(*, allow: bool) -> Approve:
    """The decision where nobody can be asked: no, unless the user's settings allow all."""

    async def approve(question: Question) -> Decision:
        if allow:
            return Decision("rule")
        return Decision(
            "denied",
            f"Denied: {question.call.get('name', 'the tool')} asks for something that is not free, "
            f"since {question.need.reason}, and nobody could be asked.",
        )

    return approve
