"""Properties of an agent that become keys of the request's body. Pure."""

from __future__ import annotations

from typing import Any

from msgbook.agents.agent import Agent
from msgbook.messages import ApiName
from msgbook.provider import token_limit_key, turn_options

_EFFORTS: dict[bool | None, str] = {True: "medium", False: "none"}
"""The effort for `reasoning`."""


def make_request_options(
    agent: Agent, base_url: str | None = None, api: ApiName = "chat"
) -> dict[str, Any]:
    """Return the options of an agent's requests, by their names in the chat API.

    - `temperature` is sent only with `use_temperature`, because some models refuse it.
    - `max_output_tokens` is sent under the name that the server reads (`token_limit_key`).
    - `reasoning_effort` is sent as written, else `medium` for `reasoning: true` and `none` for
      `reasoning: false` (seed 004). A server that refuses it is asked without.
    - `extra` is sent as written, under its names in the API, and wins.
    - The options of the API that show the model's reasoning are sent unless it is switched off.

    Args:
        base_url: URL of the server; None for OpenAI's own.
        api: The API over which the server is asked.
    """
    options: dict[str, Any] = dict(turn_options(api))
    if agent.use_temperature and agent.temperature is not None:
        options["temperature"] = agent.temperature
    if agent.max_output_tokens is not None:
        options[token_limit_key(base_url)] = agent.max_output_tokens
    effort = agent.reasoning_effort or _EFFORTS.get(agent.reasoning)
    if effort is not None:
        options["reasoning_effort"] = effort
    if effort == "none":
        options.pop("reasoning_summary", None)
    return options | dict(agent.extra or {})
