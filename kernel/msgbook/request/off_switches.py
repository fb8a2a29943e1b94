"""Tools and MCP servers that a notebook switches off for all agents. Pure; a file may be hostile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any, Literal

from msgbook.agents import name_values
from msgbook.notebook import metadata_of

OffKey = Literal["disabled_tools", "disabled_mcp_servers"]


def switched_off(key: OffKey, metadata: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names, with the wildcards `*` and `?`, in a key of the notebook's `metadata.msgbook`.

    A value that cannot be read switches everything off: a file may only narrow.
    """
    value = metadata_of({"metadata": metadata}).get(key)
    if value is None:
        return ()
    try:
        return name_values(value)
    except ValueError:
        return ("*",)


def is_off(name: str, patterns: Iterable[str]) -> bool:
    """Return whether a name is switched off."""
    return any(name == pattern or fnmatchcase(name, pattern) for pattern in patterns)
