"""What an agent is. Pure; files are hostile, so any value may be of any type."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from msgbook.text import repair_surrogates, visible
from msgbook_format.agents import PROPERTIES, property_table, read_names, read_text

Origin = Literal["built-in", "configuration", "project", "notebook", "cell"]
"""Where an agent is defined; `cell` is a temporary one, of `%agent new`."""

_SHOWN = 60
"""Characters of a wrong value that a notice shows."""


@dataclass(frozen=True, slots=True)
class Agent:
    """Somebody who answers. What is None is not set: the user's settings count."""

    name: str
    origin: Origin = "built-in"
    description: str | None = None
    """For who chooses among agents; no part of the request."""
    models: tuple[str, ...] = ()
    """The first one answers; the others are there to choose from."""
    provider: str | None = None
    """Name of one in the user's configuration."""
    context_window: int | None = None
    """Tokens of request and answer together that the model takes."""
    max_output_tokens: int | None = None
    reasoning: bool | None = None
    reasoning_effort: str | None = None
    """As the server spells it: `low`, `high`, `none`, ..."""
    use_temperature: bool = True
    temperature: float | None = None
    system_prompt: str | None = None
    """None for msgbook's own; an empty text for none at all."""
    tools: tuple[str, ...] | None = None
    """Names of those that it may call; None for all."""
    mcp_servers: tuple[str, ...] | None = None
    """Names of those whose tools it may call; None for all."""
    allowed_uris: tuple[str, ...] | None = None
    """Folders below which it reads freely, as written; None for the user's roots."""
    max_steps: int | None = None
    token_budget: int | None = None
    time_budget: float | None = None
    """Seconds."""
    rules: tuple[str, ...] | None = None
    """Names or patterns of the project's rules; None leaves it to the notebook."""
    skills: tuple[str, ...] | None = None
    """Names or patterns of skills; None leaves it to the notebook."""

    @property
    def limits(self) -> dict[str, float]:
        """The limits that it wants for its turns, by their names in the settings."""
        wanted = {
            "max_steps": self.max_steps,
            "token_budget": self.token_budget,
            "time_budget": self.time_budget,
        }
        return {key: value for key, value in wanted.items() if value is not None}


class ParsedAgent(NamedTuple):
    """An agent as far as it could be read."""

    agent: Agent
    notices: tuple[str, ...]
    """What is not followed, a line each."""


def parse_agent(name: str, table: Any, origin: Origin) -> ParsedAgent:
    """An agent of a table of properties; what is wrong in it is a notice, the rest counts.

    Args:
        table: Of any type, as a file holds it; None for no properties.
    """
    if not isinstance(table, Mapping):
        wrong = () if table is None else (_expected(name, "", "a mapping of properties", table),)
        return ParsedAgent(Agent(name, origin), wrong)
    found: dict[str, Any] = {}
    notices = []
    for key, value in table.items():
        known = PROPERTIES.get(key)
        if known is None:
            shown = _shown(key)
            notices.append(f"Agent {visible(name)}: unknown property {shown}; it is ignored.")
        elif value is not None:
            try:
                found[key] = _sendable(known.read(value))
            except ValueError:
                notices.append(_expected(name, key, known.expected, value, closed=known.narrows))
                if known.narrows:
                    found[key] = ()
    return ParsedAgent(replace(Agent(name, origin), **found), tuple(notices))


def parse_temporary(name: str, attributes: Mapping[str, str]) -> ParsedAgent:
    """Return the agent that a line `%agent new NAME key=value ...` makes.

    A temporary agent has no `system_prompt` (seed 004).
    """
    table = property_table(attributes)
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
    """A text that says something, and that can be sent.

    Raises:
        ValueError: It is something else.
    """
    return repair_surrogates(read_text(value))


def name_values(value: Any) -> tuple[str, ...]:
    """Names that can be sent: a list of them, or a single one.

    Raises:
        ValueError: It is something else, or very long.
    """
    return tuple(map(repair_surrogates, read_names(value)))


def _sendable(value: Any) -> Any:
    """A property without halves of characters."""
    if isinstance(value, tuple):
        return tuple(map(repair_surrogates, value))
    return repair_surrogates(value) if isinstance(value, str) else value


def _expected(name: str, key: str, expected: str, value: Any, *, closed: bool = False) -> str:
    what = f"Agent {visible(name)}: {key}".removesuffix(": ")
    taken = "nothing is allowed" if closed else "it is ignored"
    return f"{what}: expected {expected}, got {_shown(value)}; {taken}."


def _shown(value: Any) -> str:
    """The beginning of a value, on one line."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        text = f"a {type(value).__name__}"
    return visible(repair_surrogates(text if len(text) <= _SHOWN else text[:_SHOWN] + "..."))
