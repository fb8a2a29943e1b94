"""The `extra` table of an agent: keys of a request's body that msgbook has no property for. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from msgbook.agents.agent import Agent
from msgbook.text import join_first, one_line, visible

_OURS = {
    *("model", "models", "messages", "input", "instructions", "prompt", "system"),
    *(
        "stream",
        "stream_options",
        "store",
        "previous_response_id",
        "conversation",
        "background",
        "n",
    ),
}
"""Keys that msgbook sets itself: what is sent, how it is streamed, and that the server stores nothing."""

_FREE = {
    *(
        "top_p",
        "top_k",
        "min_p",
        "frequency_penalty",
        "presence_penalty",
        "repetition_penalty",
        "seed",
    ),
    *(
        "stop",
        "verbosity",
        "text",
        "reasoning",
        "thinking",
        "enable_thinking",
        "chat_template_kwargs",
    ),
    *("response_format", "parallel_tool_calls"),
}
"""Keys that only shape the answer. Any other may send the conversation on, as a search does, or cost more."""

_NAMED = 5
"""Most keys that a notice names."""


def narrow_extra(agent: Agent) -> tuple[Agent, list[str]]:
    """Remove keys from an agent's `extra` that it may not set.

    Returns:
        The agent, and one line for each reason why keys are removed.
    """
    extra = agent.extra or {}
    ours = [key for key in extra if key in _OURS]
    free = agent.origin == "configuration"
    others = [key for key in extra if not free and key not in _OURS | _FREE]
    notices = []
    if ours:
        notices.append(f"msgbook itself sets {_shown(ours)}.")
    if others:
        notices.append(f"only your own configuration can set {_shown(others)}.")
    if not notices:
        return agent, []
    kept: dict[str, Any] = {k: v for k, v in extra.items() if k not in (*ours, *others)}
    title = f"Agent {visible(agent.name)}: extra:"
    return replace(agent, extra=kept), [f"{title} {notice}" for notice in notices]


def _shown(keys: list[str]) -> str:
    return join_first([repr(visible(one_line(key, 60))) for key in keys], _NAMED)
