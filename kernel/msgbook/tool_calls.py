"""Tool calls: their arguments in JSON that all readers understand alike, and the names of msgbook's own tools."""

from __future__ import annotations

import json
from typing import Any

from msgbook_format import jsontext


def parse_arguments(text: str) -> dict[str, Any]:
    """Return the arguments of a call as an object without repeated keys.

    If a key is repeated, some readers take the first value and others the last. A person could then
    approve one call, and another one would run.

    Args:
        text: JSON as the model sent it. An empty text means no arguments.

    Raises:
        ValueError: The text is no such object; the message says why.
    """
    if jsontext.is_too_deep(text):
        raise ValueError("they are nested too deeply")
    value = json.loads(text or "{}", object_pairs_hook=_unique)
    if not isinstance(value, dict):
        raise ValueError("expected a JSON object")  # noqa: TRY004 - not a fault of the caller's
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object has the same key twice")
    return found


# The names of msgbook's own tools. Their schemas are taken by all servers; those of other tools have many authors.


OWN_NAMES = frozenset(
    {
        "read",
        "glob",
        "grep",
        "write",
        "edit",
        "mkdir",
        "shell",
        "python",
        "read_cell",
        "edit_cell",
        "insert_cell",
        "run_cell",
        "dispatch_subagents",
        "get_agent_types",
        "task_finish",
    }
)
"""The names of msgbook's own tools, also of those that a host or an agent does not offer."""
