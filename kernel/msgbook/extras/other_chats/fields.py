"""Values of a file of another program, with their types checked, and what of it cannot be read. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any, TypeVar

from msgbook.errors import MsgbookError
from msgbook.text import excerpt

_KINDS: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "nothing",
    bytes: "bytes",
}
_MILLISECONDS = 1e11
"""Times above are milliseconds: as seconds, they are thousands of years away."""


class BadChatError(MsgbookError):
    """A value that is not what its form says; the message names the field."""

    def __init__(self, where: str, expected: str, found: Any) -> None:
        super().__init__(f"expected {expected} in `{where}`, found {found}")


def kind_of(value: Any) -> str:
    """Return words for the type of a value."""
    return _KINDS.get(type(value), "another type")


def require(value: Any, kind: type, where: str) -> Any:
    """Return `value`, which has to be of a type. Raise `BadChatError` if it is not."""
    if type(value) is not kind:
        raise BadChatError(where, _KINDS[kind], kind_of(value))
    return value


def text_in(value: dict[str, Any], key: str, where: str) -> str:
    """Return the text of a key; empty if there is none, or null."""
    return _optional(value, key, str, where) or ""


def list_in(value: dict[str, Any], key: str, where: str) -> list[Any]:
    """Return the list of a key; empty if there is none, or null."""
    return _optional(value, key, list, where) or []


def dict_in(value: dict[str, Any], key: str, where: str) -> dict[str, Any]:
    """Return the object of a key; empty if there is none, or null."""
    return _optional(value, key, dict, where) or {}


def count_in(value: dict[str, Any], key: str) -> int | None:
    """Return the number of a key, such as a number of tokens; None unless it is a whole number from 0."""
    found = value.get(key)
    return found if type(found) is int and 0 <= found < 2**53 else None


def utc_time(value: Any) -> str | None:
    """Return a time, in seconds or as text, as turns have it: UTC with `Z`; None if it is none."""
    try:
        if isinstance(value, str):
            text = value.strip().replace("Z", "+00:00")
            time = datetime.fromisoformat(text)
            time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
        elif type(value) in (int, float) and math.isfinite(value):
            time = datetime.fromtimestamp(value / (1000 if value > _MILLISECONDS else 1), UTC)
        else:
            return None
    except (ValueError, OverflowError, OSError):
        return None
    return time.isoformat(timespec="seconds").replace("+00:00", "Z")


def without(value: dict[str, Any], known: Iterable[str]) -> dict[str, Any]:
    """Return the keys that are not known and hold something: what is kept of a message."""
    dropped = frozenset(known)
    return {
        key: item
        for key, item in value.items()
        if key not in dropped and item is not None and item not in ("", [], {})
    }


def shown(value: Any) -> str:
    """Return a value of a file for an error, on one short line."""
    return repr(excerpt(value, 40)) if isinstance(value, str) else kind_of(value)


def _optional(value: dict[str, Any], key: str, kind: type, where: str) -> Any:
    found = value.get(key)
    return None if found is None else require(found, kind, f"{where}.{key}" if where else key)


# What of a file cannot be read, while the rest of it is.


_T = TypeVar("_T")


class TooMuchError(MsgbookError):
    """All that is read is more than may be read. It is not the error of a part, and ends the reading."""


class Unread:
    """Collects the errors of parts that stand for themselves: a chat, a line, a file of an export.

    Attributes:
        reasons: One for each part; they name the place.
    """

    def __init__(self) -> None:
        self.reasons: list[str] = []
        self._where = ""

    def within(self, where: str) -> None:
        """Name the file that the next parts are of."""
        self._where = f"{where}: " if where else ""

    def add(self, error: MsgbookError) -> None:
        """Add the error of a part."""
        self.reasons.append(f"{self._where}{error}")

    def read(self, part: Callable[[], _T]) -> list[_T]:
        """Return what a part holds, as the only item; nothing if it cannot be read.

        Raises:
            TooMuchError: The part is beyond what may be read of all.
        """
        try:
            return [part()]
        except TooMuchError:
            raise
        except MsgbookError as error:
            self.add(error)
        except RecursionError:
            self.add(MsgbookError("it is nested too deep"))
        return []
