"""What an agent gives to a request: keys of the body, the system prompt, and tools of MCP servers. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeVar

from msgbook.agents.agent import Agent
from msgbook.agents.project_files import Skill, build_skills_index
from msgbook.config.vendors import vendor_of
from msgbook.messages import ApiName
from msgbook.provider import server_tool_options, turn_options
from msgbook.text import repair_surrogates

_EFFORTS: dict[bool | None, str] = {True: "medium", False: "none"}
"""The effort for `reasoning`."""


def make_request_options(
    agent: Agent,
    base_url: str | None = None,
    api: ApiName = "chat",
    server_tools: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the options of an agent's requests, by their names in the chat API.

    - `temperature` is sent only with `use_temperature`, because some models refuse it.
    - `max_output_tokens` is sent under the name that the server reads (`Vendor.token_limit`).
    - `reasoning_effort` is sent as written, else `medium` for `reasoning: true` and `none` for
      `reasoning: false` (seed 004). A server that refuses it is asked without.
    - Tools of the server are sent as the API calls them, before those in `extra`.
    - `extra` is sent as written, under its names in the API, and wins.
    - The options of the API that show the model's reasoning are sent unless it is switched off.

    Args:
        base_url: URL of the server; None for OpenAI's own.
        api: The API over which the server is asked.
        server_tools: Those of the agent's that it is offered.
    """
    options: dict[str, Any] = dict(turn_options(api))
    if agent.use_temperature and agent.temperature is not None:
        options["temperature"] = agent.temperature
    if agent.max_output_tokens is not None:
        options[vendor_of(base_url).token_limit] = agent.max_output_tokens
    effort = agent.reasoning_effort or _EFFORTS.get(agent.reasoning)
    if effort is not None:
        options["reasoning_effort"] = effort
    if effort == "none":
        options.pop("reasoning_summary", None)
    extra = dict(agent.extra or {})
    if server_tools:
        given = server_tool_options(api, server_tools)
        if "tools" in given and "tools" in extra:
            extra["tools"] = [*given["tools"], *extra["tools"]]
        options |= given
    return options | extra


# The system prompt: an agent's own prompt, what it may read, and its skills. Pure.
#
# The same agent in the same project gets the same bytes in each request and on each machine: a server's
# prefix cache stays valid, and no name of a user or of a home directory is sent.


SUB_AGENT = "You are a sub-agent: your task comes from another agent, not from a person."

_START = "# Files\n\nRelative paths start at the notebook's folder."


def build_system_prompt(
    agent_prompt: str,
    skills: Sequence[Skill],
    readable_paths: Sequence[str] | None = None,
    *,
    is_sub_agent: bool = False,
) -> str:
    """Return the agent's own prompt, what it is told about its rights, and the index of its skills.

    An agent whose own prompt is empty is told only its skills.

    Args:
        readable_paths: Paths that it reads without approval, as `describe_readable_paths` takes them; None
            for an agent that has no tool to read with.
        is_sub_agent: Whether another agent gave it its task.
    """
    parts = [agent_prompt]
    if agent_prompt:
        parts.append(SUB_AGENT if is_sub_agent else "")
        parts.append("" if readable_paths is None else describe_readable_paths(readable_paths))
    return "\n\n".join(part for part in (*parts, build_skills_index(skills)) if part)


def describe_readable_paths(paths: Sequence[str]) -> str:
    """Return a section that tells a model which folders it may read (seed 002).

    Args:
        paths: Relative to the notebook's folder, which is `.`; names of hostile files may be among
            them.
    """
    if not paths:
        return f"{_START} Reading any file needs the user's approval."
    listed = ", ".join(json.dumps(repair_surrogates(path), ensure_ascii=False) for path in paths)
    return (
        f"{_START} You may read these paths and everything below them without approval: {listed}. "
        "Everything else, and a file that may hold a secret, needs the user's approval."
    )


# Selection of the tools of MCP servers that an agent is offered. Pure.
#
# `mcp_servers` chooses servers, all if it is missing. `tools` chooses among all tools by name; servers that
# `mcp_servers` names give all of theirs, unless `tools` names some of them.


class ServerTool(Protocol):
    """A tool of a server."""

    @property
    def name(self) -> str:
        """Name that a model sees."""
        ...

    @property
    def server(self) -> str:
        """Name of its server."""
        ...


T = TypeVar("T", bound=ServerTool)


def select_servers(agent: Agent, configured: Iterable[str], prefix: str) -> list[str]:
    """Return the names of the servers of which an agent may be offered tools.

    Args:
        prefix: Beginning of the names of all tools of servers.
    """
    if agent.mcp_servers is not None:
        return [name for name in configured if name in agent.mcp_servers]
    if agent.tools is not None and not any(name.startswith(prefix) for name in agent.tools):
        return []
    return list(configured)


def select_server_tools(agent: Agent, tools: Sequence[T]) -> list[T]:
    """Return those of the tools of the selected servers that an agent is offered, in their order."""
    wanted = agent.tools
    if wanted is None:
        return list(tools)
    chosen = {tool.server for tool in tools if tool.name in wanted}
    whole = set(agent.mcp_servers or ()) - chosen
    return [tool for tool in tools if tool.name in wanted or tool.server in whole]
