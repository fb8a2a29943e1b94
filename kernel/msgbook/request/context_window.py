"""Checks that a request fits the model's context window, and advice on what to leave out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import Any

from msgbook.errors import MsgbookError
from msgbook.messages import Message
from msgbook.notebook import Cell, describe_cell
from msgbook.request.builder import PreparedRequest
from msgbook.request.token_estimates import MessageTokens, estimate_cell_tokens, estimate_tokens
from msgbook.text import counted

_MAX_NAMED_CELLS = 3
"""Cells that the warning about a long request names."""


class ContextWindowError(MsgbookError):
    """The request is longer than the model's context window."""


@dataclass(frozen=True, slots=True)
class Overflow:
    """A request that does not fit the context window."""

    tokens: int
    """Estimate for the complete request."""
    window: int
    cells: tuple[int, ...]
    """Positions of the fewest cells to leave out so that the rest fits, in document order; all
    cells above if even that is not enough."""
    is_enough: bool
    """Whether the rest fits without these cells."""


def check_context_window(
    prepared: PreparedRequest,
    cells: Sequence[Cell],
    warn: Callable[[str], None],
    known: MessageTokens,
) -> None:
    """Refuse a request that does not fit the context window; warn about a long one.

    Args:
        cells: The cells above the running one.
        known: Estimates from requests before.

    Raises:
        ContextWindowError: The request does not fit. `warn` has been given advice on what to
            leave out.
    """
    tools, request = prepared.active_agent.tools.schemas, prepared.request
    if advice := describe_overflow(prepared, cells, tools):
        warn(advice)
        raise ContextWindowError("The request does not fit; nothing was sent.")
    estimates = known.of(request)
    cell_tokens = estimate_cell_tokens(request, estimates)
    tokens = sum(estimates) + estimate_tokens([], tools)
    limit = prepared.active_agent.limits.warn_tokens
    if warning := describe_length(tokens, limit, cell_tokens, cells):
        warn(warning)


def describe_overflow(
    prepared: PreparedRequest, cells: Sequence[Cell], tools: Sequence[Mapping[str, Any]]
) -> str | None:
    """Return advice on how to make a request fit the context window; None if it fits.

    The window is the agent's, or the model's, minus the agent's `max_output_tokens`.
    """
    agent, window = prepared.active_agent.agent, prepared.active_agent.window
    if window is None:
        return None
    reserved = agent.max_output_tokens or 0
    window -= reserved if reserved < window else 0
    request = prepared.request
    overflow = find_overflow(
        request.messages,
        request.owners,
        window,
        lambda message: estimate_tokens([message]),
        tool_tokens=estimate_tokens([], tools),
    )
    if overflow is None:
        return None
    advice = []
    if overflow.cells:
        names = _describe_cells(overflow.cells, estimate_cell_tokens(request), cells)
        advice.append(
            f"Exclude or summarize them, by history=exclude, history=summary or %compact: {names}."
        )
    if not overflow.is_enough:
        prompt = estimate_tokens(request.messages[-1:])
        system = estimate_tokens([m for m in request.messages[:1] if m["role"] == "system"], tools)
        advice.append(
            f"{'Even then it does not fit' if advice else 'No cell above can be left out'}: the "
            f"prompt with its context has {prompt:,}, the system message and the tools have "
            f"{system:,}. Shorten the prompt, or give the agent fewer tools."
        )
    return (
        f"This request has about {overflow.tokens:,} tokens (an estimate); {window:,} fit into the "
        f"{_window_of(prepared)}. {' '.join(advice)}"
    )


def _window_of(prepared: PreparedRequest) -> str:
    """Return whose context window it is, and where it can be set if the user has not set it."""
    active = prepared.active_agent
    if active.agent.context_window is not None:
        return f"context_window of agent {active.agent.name}"
    return f"context window of {active.model} (context_window of the agent or its provider sets another)"


def find_overflow(
    messages: Sequence[Message],
    owners: Sequence[int | None],
    window: int,
    count_tokens: Callable[[Message], int],
    *,
    tool_tokens: int = 0,
) -> Overflow | None:
    """Return the fewest cells to leave out so that a request fits; None if it fits. Pure.

    Args:
        messages: All messages of the request. The last one, the prompt, always stays.
        owners: For each message the position of its cell; None for the system message.
        window: Tokens that the request may have.
    """
    cell_tokens: dict[int, int] = defaultdict(int)
    total = tool_tokens
    for message, owner in zip(messages, owners, strict=True):
        tokens = count_tokens(message)
        total += tokens
        if owner is not None and owner != owners[-1]:
            cell_tokens[owner] += tokens
    if total <= window:
        return None
    rest = total
    chosen = []
    for cell in sorted(cell_tokens, key=lambda cell: (-cell_tokens[cell], cell)):
        if rest <= window:
            break
        rest -= cell_tokens[cell]
        chosen.append(cell)
    return Overflow(total, window, tuple(sorted(chosen)), rest <= window)


def describe_length(
    tokens: int, limit: int, cell_tokens: Mapping[int, int], cells: Sequence[Cell]
) -> str | None:
    """Return a warning about a request of more than `limit` tokens; None for a shorter one.

    Args:
        tokens: Estimate for the complete request.
        cell_tokens: As `estimate_cell_tokens` returns them.
        cells: The cells above the running one.
    """
    if tokens <= limit:
        return None
    above = [position for position in cell_tokens if position < len(cells)]
    largest = nlargest(_MAX_NAMED_CELLS, above, key=lambda cell: (cell_tokens[cell], -cell))
    names = _describe_cells(largest, cell_tokens, cells)
    return (
        f"This request has about {tokens:,} tokens (an estimate; warn_tokens is {limit:,})."
        f"{f' The largest cells above are {names}.' if names else ''} To send less, delete cells "
        "that you no longer need, or exclude them: %%msg history=exclude as the first line of a "
        'prompt, {"msgbook": {"history": "exclude"}} in the metadata of another cell. '
        "history=summary sends a summary instead."
    )


def _describe_cells(
    positions: Iterable[int], cell_tokens: Mapping[int, int], cells: Sequence[Cell]
) -> str:
    """Return names and sizes of cells: `cell 3 (Summarise a log): 1,200 tokens; ...`."""
    return "; ".join(
        f"{describe_cell(cells, position)}: {counted(cell_tokens[position], 'token')}"
        for position in positions
    )
