"""Attributes of a text cell, taken one by one by the code that knows them."""

from __future__ import annotations

from typing import Any

from msgbook_format import jsontext
from msgbook_format.syntax.attributes import Attributes


class AttributeReader:
    """Attributes of one text cell, taken one by one; `rest` are those that nobody took."""

    __slots__ = ("_first", "rest")

    def __init__(self, pairs: Attributes) -> None:
        self.rest = list(pairs)
        self._first = dict(reversed(pairs))

    def take(self, key: str) -> str | None:
        """Return the first text value of `key` and remove it from `rest`; None without one.

        Call this once for each key.
        """
        value = self._first.pop(key, None)
        if value is True:
            value = next(
                (text for name, text in self.rest if name == key and text is not True), None
            )
        if value is None or value is True:
            return None
        self.rest.remove((key, value))
        return value

    def take_object(self, key: str) -> dict[str, Any] | None:
        """Return what `take` does, as a JSON object; any other value is put back."""
        text = self.take(key)
        if text is None:
            return None
        value = jsontext.load_object(text)
        if value is None:
            self.put_back(key, text)
        return value

    def take_flag(self, key: str) -> bool:
        """Return whether the flag `key` is set, and remove it from `rest`."""
        if key not in self._first or (key, True) not in self.rest:
            return False
        self.rest.remove((key, True))
        return True

    def put_back(self, key: str, value: str) -> None:
        """Append a taken value to `rest`, because it could not be used; it cannot be taken again."""
        self.rest.append((key, value))
