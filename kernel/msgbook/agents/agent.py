"""An agent, its properties, and what it may use of the user's configuration. Pure; a file's values may be of any type."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import unquote, urlsplit

from msgbook.provider import SERVER_TOOLS
from msgbook.text import join_first, one_line, repair_surrogates, visible
from msgbook_format.agents import (
    OTHER_NAMES,
    USERS_OWN,
    find_property,
    property_table,
    read_names,
    read_text,
)

Origin = Literal["built-in", "configuration", "project", "notebook", "cell"]
"""Where an agent is defined; `cell` is a temporary one, of `%agent new`."""

_SHOWN = 60
"""Characters of a wrong value that a notice shows."""


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent. A property that is None is not set, and the user's settings apply."""

    name: str
    origin: Origin = "built-in"
    description: str | None = None
    """Help in choosing an agent; not part of the request."""
    models: tuple[str, ...] = ()
    """The first one answers; a later one only if the server knows none before it."""
    provider: str | None = None
    """Name of a provider in the user's configuration."""
    context_window: int | None = None
    """Tokens of request and answer together that the model accepts."""
    max_output_tokens: int | None = None
    reasoning: bool | None = None
    reasoning_effort: str | None = None
    """As the server spells it: `low`, `high`, `none`, ..."""
    use_temperature: bool = True
    temperature: float | None = None
    system_prompt: str | None = None
    """None for msgbook's default; an empty text for no system prompt."""
    tools: tuple[str, ...] | None = None
    """Names of the tools that it may call; None for all."""
    mcp_servers: tuple[str, ...] | None = None
    """Names of the servers whose tools it may call; None for all."""
    server_tools: tuple[str, ...] | None = None
    """Names of tools of the model's server that it may use; only the user's configuration sets them."""
    allowed_child_types: tuple[str, ...] | None = None
    """Names of the agents that its sub-agents may be; None for all, nothing for no sub-agents."""
    allowed_uris: tuple[str, ...] | None = None
    """Folders, as written, below which reading needs no approval; None for the user's roots."""
    max_steps: int | None = None
    token_budget: int | None = None
    time_budget: float | None = None
    """Seconds."""
    max_cost: float | None = None
    """In the currency of the prices."""
    rules: tuple[str, ...] | None = None
    """Names or patterns of the project's rules; None leaves it to the notebook."""
    skills: tuple[str, ...] | None = None
    """Names or patterns of skills; None leaves it to the notebook."""
    extra: Mapping[str, Any] | None = None
    """Further keys of a request's body, by their names in the API of the agent's server."""

    @property
    def limits(self) -> dict[str, float]:
        """The limits that the agent sets for its turns, by their names in the settings."""
        wanted = {
            "max_steps": self.max_steps,
            "token_budget": self.token_budget,
            "time_budget": self.time_budget,
            "max_cost": self.max_cost,
        }
        return {key: value for key, value in wanted.items() if value is not None}

    @property
    def names_configuration(self) -> bool:
        """False only if `narrow_agent` leaves the agent as it is: it names nothing that the user has to have configured."""
        named = (self.provider, self.tools, self.mcp_servers, self.server_tools, self.extra)
        return any(value is not None for value in named)


class ParsedAgent(NamedTuple):
    """An agent, as far as its definition could be read."""

    agent: Agent
    notices: tuple[str, ...]
    """One line for each property that is ignored."""


def parse_agent(name: str, table: Any, origin: Origin) -> ParsedAgent:
    """Parse an agent's table of properties. A wrong property is a notice; the others apply.

    Args:
        table: A value of any type from a file; None for no properties.
    """
    if not isinstance(table, Mapping):
        expected = "a mapping of properties"
        wrong = () if table is None else (_describe_wrong(name, "", expected, table),)
        return ParsedAgent(Agent(name, origin), wrong)
    found: dict[str, Any] = {}
    notices = []
    for key, value in table.items():
        known, field = find_property(key), OTHER_NAMES.get(key, key)
        if field != key and table.get(field) is not None:
            given = f"{key} and {field} are both given; {field} counts"
            notices.append(f"Agent {visible(name)}: {given}.")
        elif known is None:
            shown = _excerpt(key)
            notices.append(f"Agent {visible(name)}: unknown property {shown}; it is ignored.")
        elif known.is_users and origin != "configuration":
            notices.append(f"Agent {visible(name)}: {key} is ignored: {USERS_OWN}.")
        elif value is not None:
            try:
                found[field] = _repair(known.read(value))
            except ValueError:
                notices.append(
                    _describe_wrong(name, key, known.expected, value, is_closed=known.narrows)
                )
                if known.narrows:
                    found[field] = ()
    return ParsedAgent(replace(Agent(name, origin), **found), tuple(notices))


def parse_temporary(name: str, attributes: Mapping[str, str]) -> ParsedAgent:
    """Return the agent that a line `%agent new NAME key=value ...` makes.

    A temporary agent has no `system_prompt` (seed 004). Without `models`, its name is its model.
    """
    table = property_table(attributes)
    if not table.keys() & {"model", "models"}:
        table["models"] = [name]
    shown = visible(name)
    notices = []
    if "system_prompt" in table:
        del table["system_prompt"]
        notices.append(
            f"Agent {shown}: a temporary agent cannot set system_prompt; define it under agents: in "
            "the frontmatter."
        )
    parsed = parse_agent(name, table, "cell")
    return ParsedAgent(parsed.agent, (*notices, *parsed.notices))


def text_value(value: Any) -> str:
    """Return a non-empty text, with surrogates repaired.

    Raises:
        ValueError: The value is something else.
    """
    return repair_surrogates(read_text(value))


def name_values(value: Any) -> tuple[str, ...]:
    """Return names from a list or a single name, with surrogates repaired.

    Raises:
        ValueError: The value is something else, or very long.
    """
    return tuple(map(repair_surrogates, read_names(value)))


def _repair(value: Any) -> Any:
    """Return a property with surrogates repaired."""
    match value:
        case dict():
            return json.loads(repair_surrogates(json.dumps(value, ensure_ascii=False)))
        case tuple():
            return tuple(map(repair_surrogates, value))
        case str():
            return repair_surrogates(value)
    return value


def _describe_wrong(
    name: str, key: str, expected: str, value: Any, *, is_closed: bool = False
) -> str:
    place = f"Agent {visible(name)}: {key}".removesuffix(": ")
    effect = "nothing is allowed" if is_closed else "it is ignored"
    return f"{place}: expected {expected}, got {_excerpt(value)}; {effect}."


def _excerpt(value: Any) -> str:
    """Return the beginning of a value, on one line."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        text = f"a {type(value).__name__}"
    return visible(repair_surrogates(text if len(text) <= _SHOWN else text[:_SHOWN] + "..."))


# The `extra` table of an agent: keys of a request's body that msgbook has no property for. Pure.


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
    "stop_sequences",
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


# Narrowing of agents: they name what the user has configured, and can only restrict it. Pure.
#
# `max_steps` and the budgets are narrowed elsewhere, with the user's own limits, by
# `Limits.narrow(agent.limits)`.


@dataclass(frozen=True, slots=True)
class ConfiguredNames:
    """Names of providers, tools and MCP servers that the user has configured."""

    providers: Collection[str] = ()
    tools: Collection[str] = ()
    mcp_servers: Collection[str] = ()


def narrow_agent(agent: Agent, configured: ConfiguredNames) -> tuple[Agent, list[str]]:
    """Remove names from an agent that the user has not configured, and keys of `extra` that it may not set.

    Returns:
        The agent, and one line for each removed name or group of keys.
    """
    notices = []
    provider = agent.provider
    if provider is not None and provider not in configured.providers:
        notices.append(
            f"{_title(agent)}: provider {_quoted(provider)} is not in your configuration"
            f"{_list_known(configured.providers)}; your default one answers."
        )
        provider = None
    tools, unknown = _split(agent.tools, configured.tools)
    notices += [
        f"{_title(agent)}: there is no tool {_quoted(name)}{_list_known(configured.tools)}."
        for name in unknown
    ]
    servers, unknown = _split(agent.mcp_servers, configured.mcp_servers)
    notices += [
        f"{_title(agent)}: the MCP server {_quoted(name)} is not in your configuration"
        f"{_list_known(configured.mcp_servers)}."
        for name in unknown
    ]
    of_server, unknown = _split(agent.server_tools, SERVER_TOOLS)
    notices += [
        f"{_title(agent)}: there is no server tool {_quoted(name)}{_list_known(SERVER_TOOLS)}. Others go under "
        "tools of its extra."
        for name in unknown
    ]
    agent, refused = narrow_extra(agent)
    narrowed = replace(
        agent, provider=provider, tools=tools, mcp_servers=servers, server_tools=of_server
    )
    return narrowed, [*notices, *refused]


def narrow_roots(
    agent: Agent, roots: Sequence[Path], real: Callable[[str], Path | None]
) -> tuple[tuple[Path, ...], list[str]]:
    """Narrow the folders below which an agent reads without approval to its `allowed_uris`.

    Args:
        roots: The user's folders, as real paths.
        real: Returns the real path of a path, relative to the notebook's folder; None if the text
            is not a path.

    Returns:
        The folders, and one line for each entry of `allowed_uris` that lies outside the user's folders.
    """
    if agent.allowed_uris is None:
        return tuple(roots), []
    allowed: list[Path] = []
    notices = []
    for uri in agent.allowed_uris:
        path = _path_of(uri)
        wanted = real(path) if path is not None else None
        common = [_overlap(wanted, root) for root in roots] if wanted is not None else []
        found = [path for path in common if path is not None]
        if not found:
            problem = "is not a folder" if wanted is None else "is outside of your own folders"
            notices.append(
                f"{_title(agent)}: allowed_uris: {_quoted(uri)} {problem}; it allows nothing."
            )
        allowed += found
    return tuple(dict.fromkeys(allowed)), notices


def _overlap(one: Path, other: Path) -> Path | None:
    if one.is_relative_to(other):
        return one
    return other if other.is_relative_to(one) else None


def _path_of(uri: str) -> str | None:
    """Return the path of a `file:` URI of this machine; a plain path as it is."""
    if not uri.lower().startswith("file:"):
        return uri
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    return unquote(parts.path) or None if parts.netloc in ("", "localhost") else None


def _split(
    wanted: tuple[str, ...] | None, known: Collection[str]
) -> tuple[tuple[str, ...] | None, list[str]]:
    if wanted is None:
        return None, []
    found = tuple(name for name in wanted if name in known)
    return found, [name for name in wanted if name not in known]


def _title(agent: Agent) -> str:
    return f"Agent {visible(agent.name)}"


def _quoted(name: str) -> str:
    return repr(visible(one_line(name, 100)))


def _list_known(names: Collection[str]) -> str:
    return f" ({', '.join(names)})" if names else " (there are none)"
