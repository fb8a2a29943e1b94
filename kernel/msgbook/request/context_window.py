"""A request that does not fit into the model's context window is not sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgbook.errors import MsgbookError
from msgbook.notebook.cells import Cell
from msgbook.request.builder import PreparedRequest
from msgbook.request.history.window import too_long
from msgbook.request.token_estimates import estimate, named_cells, warn_of_length, weights


class ContextWindowError(MsgbookError):
    """The request is longer than what the model takes."""


def require_room(
    prepared: PreparedRequest, cells: Sequence[Cell], say: Callable[[str], None]
) -> None:
    """Say of a request that it is long; refuse one that does not fit.

    Args:
        cells: Those above the running one.

    Raises:
        ContextWindowError: It is longer than the model's context window. Which cells to leave out
            has been said.
    """
    tools, request = prepared.answerer.tools.schemas, prepared.request
    if words := overflow(prepared, cells, tools):
        say(words)
        raise ContextWindowError("The request does not fit; nothing was sent.")
    of_cells = weights(request)
    others = [m for m, owner in zip(request.messages, request.owners, strict=True) if owner is None]
    tokens = sum(of_cells.values()) + estimate(others, tools)
    limit = prepared.answerer.limits.warn_tokens
    if words := warn_of_length(tokens, limit, of_cells, cells):
        say(words)


def overflow(
    prepared: PreparedRequest, cells: Sequence[Cell], tools: Sequence[Mapping[str, Any]]
) -> str | None:
    """Which cells to exclude or sum up so that a request fits; None for one that does.

    The window is the agent's `context_window`, less its `max_output_tokens`.
    """
    agent = prepared.answerer.agent
    if agent.context_window is None:
        return None
    kept = agent.max_output_tokens or 0
    window = agent.context_window - kept if kept < agent.context_window else agent.context_window
    request = prepared.request
    found = too_long(
        request.messages,
        request.owners,
        window,
        lambda message: estimate([message]),
        fixed=estimate([], tools),
    )
    if found is None:
        return None
    advice = []
    if found.cells:
        named = named_cells(found.cells, weights(request), cells)
        advice.append(
            f"Exclude or sum up, by history=exclude, history=summary or %compact: {named}."
        )
    if not found.is_enough:
        prompt = estimate(request.messages[-1:])
        beside = estimate([m for m in request.messages[:1] if m["role"] == "system"], tools)
        advice.append(
            f"{'Even then it does not fit' if advice else 'No cell above can be left out'}: the "
            f"prompt has {prompt:,}, with what it brings, and system message and tools have "
            f"{beside:,}. Shorten it, or give the agent fewer tools."
        )
    return (
        f"This request has about {found.tokens:,} tokens (an estimate); {window:,} fit into the "
        f"context_window of agent {agent.name}. {' '.join(advice)}"
    )
