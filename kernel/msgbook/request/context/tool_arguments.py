"""Arguments of a tool call in a tag, `@[tool{json}]`, and notices about what tags cannot bring. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from msgbook.events import Notice
from msgbook.request.context.macros import GROWTH, expand_macros
from msgbook.request.context.tags import TagError
from msgbook.request.records import is_flat
from msgbook.scanner import Problem
from msgbook.text import one_line
from msgbook_format.typed import change_texts


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
        expanded: dict[str, Any] = change_texts(arguments, self._expand, self._expand)
        return expanded

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


# Notices about references that cannot be resolved, each shown once and not too many of them.


_LIMIT = 50
"""Notices of one prompt."""


class ReferenceNotices:
    """Collects the notices of one prompt.

    Attributes:
        notices: Grows with each call.
    """

    def __init__(self) -> None:
        self.notices: list[Notice] = []

    def add(self, text: str) -> None:
        notice = Notice(text, "warning")
        if len(self.notices) == _LIMIT:
            self.notices.append(
                Notice("Further problems with references are not shown.", "warning")
            )
        elif len(self.notices) < _LIMIT and notice not in self.notices:
            self.notices.append(notice)

    def add_failure(self, tag: str, reason: object, where: str = "") -> None:
        """Add a notice that says why nothing is sent for a tag.

        Args:
            where: Key of the file or rule that holds the tag; empty for the prompt.
        """
        place = f"{one_line(where, 200)}: " if where else ""
        self.add(f"{place}@[{one_line(tag, 200)}] is not sent: {str(reason).rstrip('.')}.")

    def add_about(self, tag: str, words: str) -> None:
        """Add a notice about a tag of which something is sent."""
        self.add(f"@[{one_line(tag, 200)}]: {words.rstrip('.')}.")

    def add_problems(self, problems: Iterable[Problem], where: str) -> None:
        """Add a notice for each problem in the text of a file or rule."""
        for problem in problems:
            self.add(f"{one_line(where, 200)}, line {problem.line}: {problem.message}")
