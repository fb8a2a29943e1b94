"""The arguments of a call that a prompt names: `@[tool{json}]`, with macros in it. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgbook.request.context.content_reference import is_flat
from msgbook.request.context.macro_expansion import GROWTH, expand_macros
from msgbook.request.context.tags import TagError
from msgbook.text import one_line


class ToolArguments:
    """Reads the arguments of a prompt's calls, which share what macros may add."""

    def __init__(self, macros: Mapping[str, str]) -> None:
        self._macros = macros
        self._left = GROWTH

    def read(self, written: str) -> dict[str, Any]:
        """The arguments, macros expanded: in strings, so that a value needs no escapes.

        Where the whole is JSON only with its macros expanded, they may stand for more than text.

        Raises:
            TagError: They are no JSON object, nested too deep, or a macro cannot be expanded.
        """
        try:
            arguments = _json_object(written)
        except TagError:
            return _json_object(self._expanded(written))
        return {self._expanded(key): self._in_strings(arguments[key]) for key in arguments}

    def _in_strings(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._expanded(value)
        if isinstance(value, list):
            return [self._in_strings(item) for item in value]
        if isinstance(value, dict):
            return {self._expanded(key): self._in_strings(value[key]) for key in value}
        return value

    def _expanded(self, text: str) -> str:
        result = expand_in_tag(text, self._macros, self._left)
        self._left -= max(0, len(result) - len(text))
        return result


def expand_in_tag(text: str, macros: Mapping[str, str], growth: int) -> str:
    """A part of a tag with its macros expanded.

    Args:
        growth: Characters that macros may add.

    Raises:
        TagError: A macro cannot be expanded.
    """
    result, problems = expand_macros(text, macros, growth)
    for problem in problems:
        raise TagError(problem.words.rstrip("."))
    return result


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text, parse_constant=_no_constant)
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError) as error:
        raise TagError(f"its arguments are no JSON: {one_line(str(error), 200)}") from None
    if not isinstance(value, dict):
        raise TagError("its arguments are no JSON object")
    if not is_flat(value):
        raise TagError("its arguments are nested too deep")
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
