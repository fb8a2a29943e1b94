"""JSON of unknown origin, read once into frozen objects whose values have the types of their fields.

    @dataclass(frozen=True, slots=True)
    class Usage:
        input_tokens: Count = None

    read(Usage, {"input_tokens": 3, "more": []}).input_tokens

A value of another type counts as absent. Whoever writes a file keeps what it was read from: it has the keys
that nobody knows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, TypeGuard, TypeVar, cast, get_type_hints

_T = TypeVar("_T")

_COUNTS_END = 10**15
"""No count is that large; the page reads no larger integers exactly."""


def as_dict(value: Any) -> dict[str, Any]:
    """Return a dictionary; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """Return a list; an empty one for anything else."""
    return value if isinstance(value, list) else []


def as_items(value: Any) -> list[Any]:
    """Return a list; for anything else a list of it."""
    return value if isinstance(value, list) else [value]


def as_texts(value: Any) -> list[str]:
    """Return the texts of a list; an empty list for anything else."""
    return [entry for entry in as_list(value) if isinstance(entry, str)]


def as_dicts(value: Any) -> list[dict[str, Any]]:
    """Return the dictionaries of a list; an empty list for anything else."""
    return [entry for entry in as_list(value) if isinstance(entry, dict)]


def as_text(value: Any) -> str:
    """Return a text; an empty one for anything else."""
    return value if isinstance(value, str) else ""


def text_or_none(value: Any) -> str | None:
    """Return a text, also an empty one; None for anything else."""
    return value if isinstance(value, str) else None


def msgbook_metadata(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return `metadata.msgbook` of a notebook, cell or output; an empty dictionary without one."""
    return as_dict(as_dict(node.get("metadata")).get("msgbook"))


def is_texts(value: Any) -> TypeGuard[list[str]]:
    """Return whether a value is a list of texts."""
    return isinstance(value, list) and all(isinstance(entry, str) for entry in value)


def is_table_of_texts(value: Any) -> TypeGuard[dict[str, str]]:
    """Return whether a value is a dictionary all of whose values are texts."""
    return isinstance(value, dict) and is_texts([*value.values()])


def is_dicts(value: Any) -> TypeGuard[list[dict[str, Any]]]:
    """Return whether a value is a list of dictionaries."""
    return isinstance(value, list) and all(isinstance(entry, dict) for entry in value)


def has(value: Any, **kinds: type) -> TypeGuard[dict[str, Any]]:
    """Return whether a value is a dictionary whose entries of these names have these types."""
    if not isinstance(value, dict):
        return False
    for key, kind in kinds.items():  # noqa: SIM110 - a generator takes twice the time, of each cell
        if not isinstance(value.get(key), kind):
            return False
    return True


def has_attachments(cell: dict[str, Any]) -> bool:
    """Return whether the attachments of a cell, if it has some, are dictionaries by name."""
    attachments = cell.get("attachments", {})
    return isinstance(attachments, dict) and is_dicts([*attachments.values()])


def change_texts(
    value: Any, change: Callable[[str], str], change_key: Callable[[str], str] = str
) -> Any:
    """Return a JSON value in which each text is changed, and each key by `change_key`."""
    match value:
        case str():
            return change(value)
        case dict():
            items = value.items()
            return {change_key(key): change_texts(item, change, change_key) for key, item in items}
        case list() | tuple():
            return [change_texts(item, change, change_key) for item in value]
    return value


def joined_text(value: Any) -> str:
    """Return a text, or the texts of a list as one, as notebooks have lines; empty for anything else."""
    return "".join(as_texts(as_items(value)))


def as_amount(value: Any) -> float | None:
    """Return a finite number that is not negative; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def as_count(value: Any) -> int | None:
    """Return a whole number that is not negative; None for anything else."""
    number = as_amount(value)
    is_count = number is not None and number < _COUNTS_END and number.is_integer()
    return int(number) if number is not None and is_count else None


def _is_true(value: Any) -> bool:
    return value is True


def _some_text(value: Any) -> str | None:
    return as_text(value) or None


Text = Annotated[str, as_text]
SomeText = Annotated[str | None, _some_text]
"""None for an empty text, too."""
Flag = Annotated[bool, _is_true]
Amount = Annotated[float | None, as_amount]
Count = Annotated[int | None, as_count]
Object = Annotated[Mapping[str, Any], as_dict]


def one(cls: type[_T]) -> Callable[[Any], _T]:
    """Return what reads an object, as a field of another one."""
    return lambda value: read(cls, value)


def read(cls: type[_T], value: Any) -> _T:
    """Return an object of a dataclass, each of whose fields is annotated with its reader."""
    readers, absent = _fields(cast("Any", cls))
    values = absent.copy()
    for key, given in as_dict(value).items():
        reader = readers.get(key)
        if reader is not None:
            values[key] = reader(given)
    return cls(**values)


@cache
def _fields(cls: Any) -> tuple[dict[str, Callable[[Any], Any]], dict[str, Any]]:
    """Return the reader of each field, and the values of an object that has none."""
    hints = get_type_hints(cls, include_extras=True)
    readers = {key: hint.__metadata__[0] for key, hint in hints.items()}
    return readers, {key: reader(None) for key, reader in readers.items()}
