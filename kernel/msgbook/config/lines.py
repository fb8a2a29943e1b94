"""The line of a key in a TOML file, which `tomllib` does not report."""

from __future__ import annotations

from collections.abc import Iterable

Path = tuple[str, ...]
"""Keys from the top of a file down to a value."""


def find_line(lines: Iterable[str], path: Path) -> int:
    """Return the line, from 1, that first sets the key or the nearest of its tables; 1 if there is none."""
    best, most = 1, 0
    table: Path = ()
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text.startswith("["):
            found = table = keys_of_line(text)
        else:
            key, equals, _ = text.partition("=")
            found = (*table, *keys_of_line(f"{key}= 0")) if equals else ()
        common = _common(found, path)
        if common > most:
            best, most = number, common
    return best


def keys_of_line(line: str) -> Path:
    """Return the keys that a line names; none if the line is only part of a value."""
    import tomllib  # most kernels start without a file

    try:
        value = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return ()
    keys = []
    while isinstance(value, dict) and value:
        key, value = next(iter(value.items()))
        keys.append(key)
        value = value[0] if isinstance(value, list) and value else value
    return tuple(keys)


def _common(one: Path, two: Path) -> int:
    """Return the number of equal keys at the beginning of both."""
    pairs = zip(one, two, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(two)))
