"""Descriptions of Python values: type, size and first items. They never raise and never take long.

Nothing is imported for them: if a value comes from pandas or NumPy, the package is loaded already.
"""

from __future__ import annotations

import dataclasses
import inspect
import reprlib
import sys
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any

from msgbook.text import capped, repair_surrogates

LIMIT = 10_000
"""Characters of a description: some 2,500 tokens. A model that needs more can run code."""
_ITEMS = 20
"""Items of a list, a mapping or a dataclass that are shown: enough to see of what kind they are."""
_ROWS = 5
"""Rows of a table, as `head()` of pandas shows."""
_COLUMNS = 50
"""Columns of a table. Their names tell more than rows."""
_BITS = 10_000
"""A longer integer is not written out: the time grows with the square of its length."""


def describe_value(value: Any) -> str:
    """Return the description of a value for a model, about `LIMIT` characters at most."""
    try:
        return capped(repair_surrogates(_describe(value)), LIMIT)
    except Exception as error:
        return f"{_type_name(value)}: it cannot be shown, since it raises {_type_name(error)}"


def _describe(value: Any) -> str:
    name = _type_name(value)
    special = _describe_library_value(value)
    if special is not None:
        return f"{name}, {special}"
    match value:
        case str():
            return f"{name}, {len(value)} characters:\n{capped(value, LIMIT - 200)}"
        case bytes() | bytearray():
            return f"{name}, {len(value)} bytes: {_short(bytes(value[:200]))}"
        case Mapping():
            lines = (f"{_short(key)}: {_short(value[key])}" for key in islice(value, _ITEMS))
            return _list_items(name, len(value), "items", lines)
    if isinstance(value, list | tuple | set | frozenset) or _is_sequence(value):
        return _list_items(name, len(value), "items", map(_short, islice(value, _ITEMS)))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        lines = (f"{f.name}: {_short(getattr(value, f.name, None))}" for f in fields[:_ITEMS])
        return _list_items(name, len(fields), "fields", lines)
    if inspect.isroutine(value) or inspect.isclass(value):
        return _callable(value)
    return f"{name}: {_short(value)}"


def _list_items(name: str, count: int, unit: str, lines: Iterable[str]) -> str:
    shown = list(lines)
    rest = [f"... and {count - len(shown)} more"] if count > len(shown) else []
    return "\n".join([f"{name}, {count} {unit}:", *shown, *rest])


def _callable(value: Any) -> str:
    try:
        signature = str(inspect.signature(value))
    except (ValueError, TypeError):  # built-in functions have none
        signature = "(...)"
    kind = "class" if inspect.isclass(value) else "function"
    doc = inspect.getdoc(value) or ""
    return f"{kind} {value.__qualname__}{signature}\n{capped(doc, 1000)}".rstrip()


def _is_sequence(value: Any) -> bool:
    return type(value).__module__ == "collections" and hasattr(value, "__len__")


def _describe_library_value(value: Any) -> str | None:
    """Return what follows the type of a pandas or NumPy value; None for any other value."""
    for module, kind, describe in _LIBRARY:
        wanted = getattr(sys.modules.get(module), kind, None)
        if isinstance(wanted, type) and isinstance(value, wanted):
            return describe(value)
    return None


def _frame(value: Any) -> str:
    rows, columns = value.shape
    kinds = [
        f"{_short(n)}: {t}" for n, t in zip(value.columns[:_COLUMNS], value.dtypes, strict=False)
    ]
    kinds += [f"... and {columns - _COLUMNS} more columns"] if columns > _COLUMNS else []
    head = value.iloc[:_ROWS, :_COLUMNS].to_string(max_colwidth=40)
    return "\n".join([f"{rows} rows x {columns} columns:", *kinds, "", f"First rows:\n{head}"])


def _series(value: Any) -> str:
    head = value.iloc[:_ITEMS].to_string()
    return f"{len(value)} values, dtype {value.dtype}, name {_short(value.name)}:\n{head}"


def _array(value: Any) -> str:
    # `flat` copies only the requested items; `ravel` may copy the whole array.
    begin = ", ".join(_short(item) for item in value.flat[:_ITEMS].tolist())
    rest = ", ..." if value.size > _ITEMS else ""
    return f"shape {value.shape}, dtype {value.dtype}: {begin}{rest}"


_LIBRARY: tuple[tuple[str, str, Callable[[Any], str]], ...] = (
    ("pandas", "DataFrame", _frame),
    ("pandas", "Series", _series),
    ("numpy", "ndarray", _array),
)


class _Repr(reprlib.Repr):
    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = 200
        self.maxdict = self.maxlist = self.maxtuple = self.maxset = 6
        self.maxlevel = 3

    def repr_int(self, value: int, level: int) -> str:
        if value.bit_length() > _BITS:
            return f"<an integer of {value.bit_length()} bits>"
        return super().repr_int(value, level)


_REPR = _Repr()


def _short(value: Any) -> str:
    """Return a short `repr` on one line; if it raises, the name of the exception."""
    try:
        return " ".join(_REPR.repr(value).splitlines())
    except Exception as error:
        return f"<{_type_name(value)}, whose repr raises {_type_name(error)}>"


def _type_name(value: Any) -> str:
    kind = type(value)
    module = kind.__module__ if isinstance(kind.__module__, str) else "?"
    return (
        kind.__qualname__ if module in ("builtins", "__main__") else f"{module}.{kind.__qualname__}"
    )
