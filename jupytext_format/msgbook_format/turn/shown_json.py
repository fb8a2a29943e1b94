"""JSON of unknown origin, shortened for a reader.

An item of a server may hold a megabyte that nobody can read. The page has the same rules
(`shownJson.ts`); tests/format/turn/fixtures/shown_json.json tests both.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

STRING_LIMIT = 500
"""Greatest length of a string that is shown whole, in characters."""

_BEGINNING = 200
_ENTRIES = 100
_VALUES = 500
_DEPTH = 12
_ENCRYPTED = "encrypted"


def shown_json(value: Any) -> Any:
    """Return JSON that shows at most the beginning of a long value, and says what is left out.

    A value whose key begins with `encrypted` is never shown. `value` is not changed.
    """
    return _Shortener().shown(value, _DEPTH)


class _Shortener:
    def __init__(self) -> None:
        self._left = _VALUES

    def shown(self, value: Any, depth: int) -> Any:
        self._left -= 1
        if isinstance(value, str):
            return _string(value)
        if not isinstance(value, dict | list):
            return value
        if depth == 0 and value:
            return "… (nested too deep to be shown)"
        return self._object(value, depth) if isinstance(value, dict) else self._list(value, depth)

    def _object(self, value: dict[str, Any], depth: int) -> dict[str, Any]:
        shown: dict[str, Any] = {}
        for key, entry in islice(value.items(), _ENTRIES):
            if self._left <= 0:
                break
            is_hidden = key.startswith(_ENCRYPTED) and entry is not None
            shown[_string(key)] = _hidden(entry) if is_hidden else self.shown(entry, depth - 1)
        if len(shown) < len(value):
            shown["…"] = f"({len(value) - len(shown):,} more)"
        return shown

    def _list(self, value: list[Any], depth: int) -> list[Any]:
        shown: list[Any] = []
        for entry in islice(value, _ENTRIES):
            if self._left <= 0:
                break
            shown.append(self.shown(entry, depth - 1))
        if len(shown) < len(value):
            shown.append(f"… ({len(value) - len(shown):,} more)")
        return shown


def _string(text: str) -> str:
    return text if len(text) <= STRING_LIMIT else f"{text[:_BEGINNING]}… {_size(text)}"


def _hidden(value: Any) -> str:
    return _size(value) if isinstance(value, str) else "(not shown)"


def _size(text: str) -> str:
    return f"({len(text):,} characters)"
