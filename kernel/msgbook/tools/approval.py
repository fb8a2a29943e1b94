"""Who decides about a tool call that is not free."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from msgbook_format.turn import Block


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided about one call."""

    approval: Literal["user", "rule", "denied"]
    reason: str = ""
    """When denied: what the model is told."""


Approve = Callable[[Block, str], Awaitable[Decision]]
"""Given a call's block and why it is not free, decides. May take as long as a person does."""


def unattended(*, allow: bool) -> Approve:
    """The decision where nobody can be asked: no, unless the user's settings allow all."""

    async def approve(call: Block, reason: str) -> Decision:
        if allow:
            return Decision("rule")
        return Decision(
            "denied",
            f"Denied: {call.get('name', 'the tool')} asks for something that is not free, since "
            f"{reason}, and nobody could be asked.",
        )

    return approve
