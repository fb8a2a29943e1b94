"""What an agent is. Pure; files are hostile, so any value may be of any type."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from msgbook.text import visible, whole

Origin = Literal["built-in", "configuration", "project", "notebook", "cell"]
"""Where an agent is defined; `cell` is a temporary one, of `%agent new`."""

_NAMES_LIMIT = 200
"""Names in a list: each is looked for among all that there are."""
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


class Parsed(NamedTuple):
    """An agent as far as it could be read."""

    agent: Agent
    notices: tuple[str, ...]
    """What is not followed, a line each."""


def parse_agent(name: str, table: Any, origin: Origin) -> Parsed:
    """An agent of a table of properties; what is wrong in it is a notice, the rest counts.

    Args:
        table: Of any type, as a file holds it; None for no properties.
    """
    if not isinstance(table, Mapping):
        wrong = () if table is None else (_expected(name, "", "a mapping of properties", table),)
        return Parsed(Agent(name, origin), wrong)
    found: dict[str, Any] = {}
    notices = []
    for key, value in table.items():
        known = _PROPERTIES.get(key)
        if known is None:
            shown = _shown(key)
            notices.append(f"Agent {visible(name)}: unknown property {shown}; it is ignored.")
        elif value is not None:
            try:
                found[key] = known.read(value)
            except ValueError:
                notices.append(_expected(name, key, known.expected, value, closed=known.narrows))
                if known.narrows:
                    found[key] = ()
    return Parsed(replace(Agent(name, origin), **found), tuple(notices))


def parse_temporary(name: str, words: list[str]) -> Parsed:
    """An agent of the words `key=value` behind `%agent new NAME`.

    A temporary agent has no `system_prompt` (seed 004).
    """
    table: dict[str, Any] = {}
    notices = []
    for word in words:
        key, equals, value = word.partition("=")
        if key == "system_prompt":
            notices.append(
                f"Agent {visible(name)}: a temporary agent cannot set system_prompt; define it "
                "under agents: in the frontmatter."
            )
        elif not equals:
            notices.append(
                f"Agent {visible(name)}: expected KEY=VALUE, got {_shown(word)}; it is ignored."
            )
        else:
            known = _PROPERTIES.get(key)
            table[key] = known.of_word(value) if known else value
    parsed = parse_agent(name, table, "cell")
    return Parsed(parsed.agent, (*notices, *parsed.notices))


def text_value(value: Any) -> str:
    """A text that says something.

    Raises:
        ValueError: It is something else.
    """
    if isinstance(value, str) and value.strip():
        return whole(value.strip())
    raise ValueError


def name_values(value: Any) -> tuple[str, ...]:
    """Names: a list of them, each once, or a single one.

    Raises:
        ValueError: It is something else, or very long.
    """
    values = value if isinstance(value, list | tuple) else [value]
    if len(values) > _NAMES_LIMIT:
        raise ValueError
    return tuple(dict.fromkeys(map(text_value, values)))


def _truth(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise ValueError


def _number(value: Any) -> float:
    if type(value) in (int, float) and 0 <= value < math.inf:
        return value  # type: ignore[no-any-return]  # just checked
    raise ValueError


def _positive(value: Any) -> float:
    if _number(value) > 0:
        return _number(value)
    raise ValueError


def _count(value: Any) -> int:
    if type(value) is int and value > 0:
        return value
    raise ValueError


def _any_text(value: Any) -> str:
    if isinstance(value, str):
        return whole(value)
    raise ValueError


def _names_of_word(word: str) -> list[str]:
    inner = word[1:-1] if word.startswith("[") and word.endswith("]") else word
    return [name.strip() for name in inner.split(",") if name.strip()]


def _scalar_of_word(word: str) -> Any:
    """A truth value or a number where it is one, else the word."""
    try:
        value = json.loads(word.lower())
    except (ValueError, RecursionError):
        return word
    return value if isinstance(value, bool | int | float) else word


class _Property(NamedTuple):
    expected: str
    read: Callable[[Any], Any]
    """Raises `ValueError` for what is not expected."""
    of_word: Callable[[str], Any] = _scalar_of_word
    """What a word of a magic means, before it is read."""
    narrows: bool = False
    """Whether it holds an agent back: what cannot be read then allows nothing, rather than all."""


_NAMES = _Property("a list of names, or one name", name_values, _names_of_word)
_NARROWING = _NAMES._replace(narrows=True)
_NAME = _Property("a name", text_value, str)
_TEXT = _Property("a text", _any_text, str)
_TRUTH = _Property("true or false", _truth)
_COUNT = _Property("a positive whole number", _count)

_PROPERTIES: dict[Any, _Property] = {
    "description": _TEXT,
    "models": _NAMES,
    "provider": _NAME,
    "context_window": _COUNT,
    "max_output_tokens": _COUNT,
    "reasoning": _TRUTH,
    "reasoning_effort": _NAME,
    "use_temperature": _TRUTH,
    "temperature": _Property("a number from 0 on", _number),
    "system_prompt": _TEXT,
    "tools": _NARROWING,
    "mcp_servers": _NARROWING,
    "allowed_uris": _NARROWING._replace(expected="a list of folders, or one folder"),
    "max_steps": _COUNT,
    "token_budget": _COUNT,
    "time_budget": _Property("a positive number of seconds", _positive),
    "rules": _NAMES,
    "skills": _NAMES,
}


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
    return visible(whole(text if len(text) <= _SHOWN else text[:_SHOWN] + "..."))
