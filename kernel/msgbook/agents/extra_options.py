"""The `extra` table of an agent: keys of a request's body that msgbook has no property for. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from msgbook.agents.agent import Agent
from msgbook.text import join_first, one_line, visible

_OURS = {
    "model",
    "models",
    "messages",
    "input",
    "instructions",
    "prompt",
    "system",
    "n",
    "stream",
    "stream_options",
    "background",
    "store",
    "previous_response_id",
    "conversation",
}
"""Keys that msgbook sets itself: what is sent, how it is streamed, and that the server stores nothing."""

_FREE = {
    "top_p",
    "top_k",
    "min_p",
    "frequency_penalty",
    "presence_penalty",
    "repetition_penalty",
    "seed",
    "stop",
    "verbosity",
    "text",
    "response_format",
    "parallel_tool_calls",
    "reasoning",
    "thinking",
    "enable_thinking",
    "chat_template_kwargs",
}
"""Keys that only shape the answer. Any other may send the conversation on, as a search does, or cost more."""

_REASONING = {"effort", "summary", "generate_summary", "context", "max_tokens", "enabled"}
"""Free keys of `reasoning`. `mode` may cost many times as much, and `exclude` hides the reasoning."""

_NAMED = 5
"""Most keys that a notice names."""


def narrow_extra(agent: Agent) -> tuple[Agent, list[str]]:
    """Remove keys from an agent's `extra` that it may not set.

    Returns:
        The agent, and one line for each reason why keys are removed.
    """
    extra: Mapping[str, Any] = agent.extra or {}
    free = agent.origin == "configuration"
    ours = [key for key in extra if key in _OURS]
    others = [key for key in extra if not free and key not in _OURS | _FREE]
    kept: dict[str, Any] = {k: v for k, v in extra.items() if k not in (*ours, *others)}
    if not free:
        others += _narrow_tables(kept)
    notices = []
    if ours:
        notices.append(f"msgbook itself sets {_shown(ours)}.")
    if others:
        notices.append(f"only your own configuration can set {_shown(others)}.")
    if not _is_list_of_tables(kept.get("tools", [])):
        del kept["tools"]
        notices.append("expected a list of tables under 'tools'; it is ignored.")
    if not notices:
        return agent, []
    title = f"Agent {visible(agent.name)}: extra:"
    return replace(agent, extra=kept), [f"{title} {notice}" for notice in notices]


def _narrow_tables(extra: dict[str, Any]) -> list[str]:
    """Remove from the tables in an `extra` what is not free, and return the keys. In place.

    A text in `chat_template_kwargs` may be the template itself (vLLM), or words of the system message (gpt-oss).
    """
    refused = []
    for name, is_free in (
        ("chat_template_kwargs", lambda _, value: isinstance(value, bool | int | float)),
        ("reasoning", lambda key, _: key in _REASONING),
    ):
        table = extra.get(name)
        if isinstance(table, Mapping):
            extra[name] = {key: value for key, value in table.items() if is_free(key, value)}
            refused += [f"{name}.{key}" for key in table if key not in extra[name]]
    return refused


def _is_list_of_tables(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, Mapping) for one in value)


def _shown(keys: list[str]) -> str:
    return join_first([repr(visible(one_line(key, 60))) for key in keys], _NAMED)
