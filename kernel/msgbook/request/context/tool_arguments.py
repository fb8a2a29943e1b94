"""Arguments of a tool call in a tag, `@[tool{json}]`, with macros expanded. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgbook.request.context.macro_expansion import GROWTH, expand_macros
from msgbook.request.context.tags import TagError
from msgbook.request.records import is_flat
from msgbook.text import one_line


class ToolArguments:
    """Reads the arguments of a prompt's calls, within one limit of what macros may add."""

    def __init__(self, macros: Mapping[str, str]) -> None:
        self._macros = macros
        self._left = GROWTH

    def read(self, written: str) -> dict[str, Any]:
        """Parse the arguments, and expand macros in their strings, where values need no escapes.

        If the text is JSON only after expansion, macros may stand for other values than strings.

        Raises:
            TagError: The text is not a JSON object, it is nested too deep, or a macro cannot be
                expanded.
        """
        try:
            arguments = _json_object(written)
        except TagError:
            return _json_object(self._expand(written))
        return {self._expand(key): self._expand_strings(arguments[key]) for key in arguments}

    def _expand_strings(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._expand(value)
        if isinstance(value, list):
            return [self._expand_strings(item) for item in value]
        if isinstance(value, dict):
            return {self._expand(key): self._expand_strings(value[key]) for key in value}
        return value

    def _expand(self, text: str) -> str:
        result = expand_in_tag(text, self._macros, self._left)
        self._left -= max(0, len(result) - len(text))
        return result


def expand_in_tag(text: str, macros: Mapping[str, str], growth: int) -> str:
    """Expand the macros in a part of a tag.

    Args:
        growth: Characters that macros may add.

    Raises:
        TagError: A macro cannot be expanded.
    """
    result, problems = expand_macros(text, macros, growth)
    for problem in problems:
        raise TagError(problem.message.rstrip("."))
    return result


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text, parse_constant=_no_constant)
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError) as error:
        raise TagError(f"its arguments are not JSON: {one_line(str(error), 200)}") from None
    if not isinstance(value, dict):
        raise TagError("expected a JSON object as its arguments")
    if not is_flat(value):
        raise TagError("its arguments are nested too deep")
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")
