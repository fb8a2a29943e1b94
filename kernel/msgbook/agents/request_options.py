"""What of an agent goes into the body of a request. Pure."""

from __future__ import annotations

from typing import Any

from msgbook.agents.agent import Agent
from msgbook.provider import token_limit_key

_EFFORT = "medium"
"""What `reasoning: true` asks for."""


def request_options(agent: Agent, base_url: str | None = None) -> dict[str, Any]:
    """The keys of the chat API for an agent's properties; a property that is not set has none.

    - `temperature` only with `use_temperature`, since some models refuse it.
    - `max_output_tokens` under the name that the server reads (`token_limit_key`).
    - `reasoning_effort` as it is written, else `medium` for `reasoning: true`. `reasoning: false`
      sends nothing, since models that cannot reason refuse the key: `reasoning_effort: none`
      tells one that can not to.

    Args:
        base_url: Of the server; None for OpenAI's own.
    """
    options: dict[str, Any] = {}
    if agent.use_temperature and agent.temperature is not None:
        options["temperature"] = agent.temperature
    if agent.max_output_tokens is not None:
        options[token_limit_key(base_url)] = agent.max_output_tokens
    effort = agent.reasoning_effort or (_EFFORT if agent.reasoning else None)
    if effort is not None:
        options["reasoning_effort"] = effort
    return options
