"""An agent and its properties. Pure; a file may be hostile, so any value may be of any type."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from msgbook.text import repair_surrogates, visible
from msgbook_format.agents import (
    OTHER_NAMES,
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
    allowed_child_types: tuple[str, ...] | None = None
    """Names of the agents that its sub-agents may be; None for all, nothing for no sub-agents."""
    allowed_uris: tuple[str, ...] | None = None
    """Folders, as written, below which reading needs no approval; None for the user's roots."""
    max_steps: int | None = None
    token_budget: int | None = None
    time_budget: float | None = None
    """Seconds."""
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
        }
        return {key: value for key, value in wanted.items() if value is not None}


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
    if isinstance(value, dict):
        return json.loads(repair_surrogates(json.dumps(value, ensure_ascii=False)))
    if isinstance(value, tuple):
        return tuple(map(repair_surrogates, value))
    return repair_surrogates(value) if isinstance(value, str) else value


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
