"""A request that is longer than the model's context window: which cells to leave out. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from msgbook.messages import Message

Weigh = Callable[[Message], int]
"""About how many tokens a message has."""


@dataclass(frozen=True, slots=True)
class TooLong:
    """A request that does not fit."""

    tokens: int
    """Of all of it, by estimate."""
    window: int
    cells: tuple[int, ...]
    """Positions of the cells whose messages are enough to leave out, as few as possible, in
    document order; all that there are where even that is not enough."""
    is_enough: bool
    """Whether the rest fits."""


def too_long(
    messages: Sequence[Message],
    owners: Sequence[int | None],
    window: int,
    weigh: Weigh,
    *,
    fixed: int = 0,
) -> TooLong | None:
    """Which cells to exclude or sum up so that a request fits; None for one that does.

    Args:
        messages: The whole request; the last one, the prompt, stays.
        owners: For each message the position of its cell; None for what belongs to none.
        window: Tokens that the model takes, those kept for its answer aside.
        fixed: Tokens of what is no message: the tools.
    """
    weights: dict[int, int] = defaultdict(int)
    total = fixed
    for message, owner in zip(messages, owners, strict=True):
        weight = weigh(message)
        total += weight
        if owner is not None and owner != owners[-1]:
            weights[owner] += weight
    if total <= window:
        return None
    rest = total
    chosen = []
    for cell in sorted(weights, key=lambda cell: (-weights[cell], cell)):
        if rest <= window:
            break
        rest -= weights[cell]
        chosen.append(cell)
    return TooLong(total, window, tuple(sorted(chosen)), rest <= window)
