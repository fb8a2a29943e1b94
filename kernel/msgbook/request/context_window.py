"""A request that does not fit into the model's context window is not sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgbook.errors import MsgbookError
from msgbook.notebook.cells import Cell
from msgbook.request.builder import PreparedRequest
from msgbook.request.history.window import too_long
from msgbook.request.token_estimates import (
    describe_cells,
    estimate_cell_tokens,
    estimate_tokens,
    warn_about_length,
)


class ContextWindowError(MsgbookError):
    """The request is longer than what the model takes."""


def check_context_window(
    prepared: PreparedRequest, cells: Sequence[Cell], warn: Callable[[str], None]
) -> None:
    """Say of a request that it is long; refuse one that does not fit.

    Args:
        cells: Those above the running one.

    Raises:
        ContextWindowError: It is longer than the model's context window. Which cells to leave out
            has been said.
    """
    tools, request = prepared.active_agent.tools.schemas, prepared.request
    if words := describe_overflow(prepared, cells, tools):
        warn(words)
        raise ContextWindowError("The request does not fit; nothing was sent.")
    of_cells = estimate_cell_tokens(request)
    others = [m for m, owner in zip(request.messages, request.owners, strict=True) if owner is None]
    tokens = sum(of_cells.values()) + estimate_tokens(others, tools)
    limit = prepared.active_agent.limits.warn_tokens
    if words := warn_about_length(tokens, limit, of_cells, cells):
        warn(words)


def describe_overflow(
    prepared: PreparedRequest, cells: Sequence[Cell], tools: Sequence[Mapping[str, Any]]
) -> str | None:
    """Which cells to exclude or sum up so that a request fits; None for one that does.

    The window is the agent's `context_window`, less its `max_output_tokens`.
    """
    agent = prepared.active_agent.agent
    if agent.context_window is None:
        return None
    kept = agent.max_output_tokens or 0
    window = agent.context_window - kept if kept < agent.context_window else agent.context_window
    request = prepared.request
    found = too_long(
        request.messages,
        request.owners,
        window,
        lambda message: estimate_tokens([message]),
        fixed=estimate_tokens([], tools),
    )
    if found is None:
        return None
    advice = []
    if found.cells:
        named = describe_cells(found.cells, estimate_cell_tokens(request), cells)
        advice.append(
            f"Exclude or sum up, by history=exclude, history=summary or %compact: {named}."
        )
    if not found.is_enough:
        prompt = estimate_tokens(request.messages[-1:])
        beside = estimate_tokens([m for m in request.messages[:1] if m["role"] == "system"], tools)
        advice.append(
            f"{'Even then it does not fit' if advice else 'No cell above can be left out'}: the "
            f"prompt has {prompt:,}, with what it brings, and system message and tools have "
            f"{beside:,}. Shorten it, or give the agent fewer tools."
        )
    return (
        f"This request has about {found.tokens:,} tokens (an estimate); {window:,} fit into the "
        f"context_window of agent {agent.name}. {' '.join(advice)}"
    )
