"""Properties of an agent and their values. Turns and `check` read them from this one table."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

_NAMES_LIMIT = 200
"""Names in a list. Each of them is compared with all that there are."""

_TABLE_LIMIT = 20_000
"""Characters of a table as JSON. It is sent with each request."""


class Property(NamedTuple):
    """A property of an agent."""

    expected: str
    """Description, for a person, of the values that it may have."""
    read: Callable[[Any], Any]
    """Returns the meaning of a value. Raises `ValueError` for any other value."""
    from_word: Callable[[str], Any]
    """Returns the value of an attribute of `%agent new`, which is not yet read."""
    narrows: bool = False
    """True if it restricts the agent: a value that cannot be read then allows nothing."""
    is_users: bool = False
    """True if only the user's own configuration can set it; anywhere else it has no effect."""


def property_table(attributes: Mapping[str, str]) -> dict[str, Any]:
    """Return the properties of a `%agent new` line, which are not yet read; unknown ones as well."""
    return {
        key: known.from_word(value) if (known := find_property(key)) else value
        for key, value in attributes.items()
    }


def find_property(key: Any) -> Property | None:
    """Return a property by its name or another name of it; None if there is none."""
    return PROPERTIES.get(OTHER_NAMES.get(key, key))


def read_text(value: Any) -> str:
    """Return a text that is not blank, without blanks at both ends.

    Raises:
        ValueError: The value is not such a text.
    """
    if isinstance(value, str) and value.strip():
        return value.strip()
    raise ValueError


def read_names(value: Any) -> tuple[str, ...]:
    """Return the names in a list, each once, or a single name.

    Raises:
        ValueError: The value is something else, or a very long list.
    """
    values = value if isinstance(value, list | tuple) else [value]
    if len(values) > _NAMES_LIMIT:
        raise ValueError
    return tuple(dict.fromkeys(map(read_text, values)))


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
        return value
    raise ValueError


def _names_from_word(word: str) -> list[str]:
    inner = word[1:-1] if word.startswith("[") and word.endswith("]") else word
    return [name.strip() for name in inner.split(",") if name.strip()]


def _scalar_from_word(word: str) -> Any:
    """Return the truth value or number that a word is, else the word."""
    try:
        value = json.loads(word.lower())
    except (ValueError, RecursionError):
        return word
    return value if isinstance(value, bool | int | float) else word


def _json_table(value: Any) -> dict[str, Any]:
    """Return a copy of a table of JSON values."""
    try:
        text = json.dumps(value, allow_nan=False) if isinstance(value, Mapping) else ""
    except (TypeError, RecursionError):
        raise ValueError from None
    if 0 < len(text) <= _TABLE_LIMIT:
        return json.loads(text)  # type: ignore[no-any-return]  # of a mapping
    raise ValueError


def _table_from_word(word: str) -> Any:
    """Return the JSON that a word is, else the word."""
    try:
        return json.loads(word)
    except (ValueError, RecursionError):
        return word


_NAMES = Property("a list of names, or one name", read_names, _names_from_word)
_NARROWING = _NAMES._replace(narrows=True)
_NAME = Property("a name", read_text, str)
_TEXT = Property("a text", _any_text, str)
_TRUTH = Property("true or false", _truth, _scalar_from_word)
_COUNT = Property("a positive whole number", _count, _scalar_from_word)

PROPERTIES: Mapping[Any, Property] = {
    "description": _TEXT,
    "models": _NAMES,
    "provider": _NAME,
    "context_window": _COUNT,
    "max_output_tokens": _COUNT,
    "reasoning": _TRUTH,
    "reasoning_effort": _NAME,
    "use_temperature": _TRUTH,
    "temperature": Property("a number from 0 on", _number, _scalar_from_word),
    "system_prompt": _TEXT,
    "tools": _NARROWING,
    "mcp_servers": _NARROWING,
    "server_tools": _NAMES._replace(is_users=True),
    "allowed_child_types": _NARROWING,
    "allowed_uris": _NARROWING._replace(expected="a list of folders, or one folder"),
    "max_steps": _COUNT,
    "token_budget": _COUNT,
    "time_budget": Property("a positive number of seconds", _positive, _scalar_from_word),
    "max_cost": Property("a positive number", _positive, _scalar_from_word),
    "rules": _NAMES,
    "skills": _NAMES,
    "extra": Property("a table of JSON values", _json_table, _table_from_word),
}
"""All properties, by name. A value None sets nothing."""

OTHER_NAMES: Mapping[Any, str] = {"model": "models"}
"""Properties by other names that are accepted: `%model` and `%%msg` know one model. A property that is
given by its own name, too, has the value that stands there."""

USERS_OWN = "only [agents.NAME] of your own msgbook.toml can set it"
"""Says where a property belongs that only the user can set."""
