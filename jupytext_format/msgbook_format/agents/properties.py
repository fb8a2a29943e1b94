"""The properties of an agent and what each may be: for whoever follows them, and whoever checks."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

_NAMES_LIMIT = 200
"""Names in a list: each is looked for among all that there are."""


class Property(NamedTuple):
    """What a property may be."""

    expected: str
    """For a person."""
    read: Callable[[Any], Any]
    """Makes of a value what it means. Raises `ValueError` for what is not expected."""
    of_word: Callable[[str], Any]
    """What an attribute of `%agent new` means, before it is read."""
    narrows: bool = False
    """Whether it holds an agent back: what cannot be read then allows nothing, rather than all."""


def property_table(attributes: Mapping[str, str]) -> dict[str, Any]:
    """Return the properties that a `%agent new` line sets, not read yet; unknown ones, too."""
    return {
        key: PROPERTIES[key].of_word(value) if key in PROPERTIES else value
        for key, value in attributes.items()
    }


def read_text(value: Any) -> str:
    """A text that says something.

    Raises:
        ValueError: It is something else.
    """
    if isinstance(value, str) and value.strip():
        return value.strip()
    raise ValueError


def read_names(value: Any) -> tuple[str, ...]:
    """Names: a list of them, each once, or a single one.

    Raises:
        ValueError: It is something else, or very long.
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


_NAMES = Property("a list of names, or one name", read_names, _names_of_word)
_NARROWING = _NAMES._replace(narrows=True)
_NAME = Property("a name", read_text, str)
_TEXT = Property("a text", _any_text, str)
_TRUTH = Property("true or false", _truth, _scalar_of_word)
_COUNT = Property("a positive whole number", _count, _scalar_of_word)

PROPERTIES: Mapping[Any, Property] = {
    "description": _TEXT,
    "models": _NAMES,
    "provider": _NAME,
    "context_window": _COUNT,
    "max_output_tokens": _COUNT,
    "reasoning": _TRUTH,
    "reasoning_effort": _NAME,
    "use_temperature": _TRUTH,
    "temperature": Property("a number from 0 on", _number, _scalar_of_word),
    "system_prompt": _TEXT,
    "tools": _NARROWING,
    "mcp_servers": _NARROWING,
    "allowed_uris": _NARROWING._replace(expected="a list of folders, or one folder"),
    "max_steps": _COUNT,
    "token_budget": _COUNT,
    "time_budget": Property("a positive number of seconds", _positive, _scalar_of_word),
    "rules": _NAMES,
    "skills": _NAMES,
}
"""Those that there are, by name. A value None sets nothing."""
