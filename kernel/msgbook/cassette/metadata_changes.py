"""Changes that a turn made in a notebook beside the outputs of its cell, and how to take them back. Pure.

A replay begins with the notebook as it was: with a summary that is there already, for example, no model would be
asked for one.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

KEYS = ("macros", "summary", "agent_metadata")
"""Keys of `metadata.msgbook` that a turn changes."""

Change = dict[str, Any]
"""`cell`: the cell's number, absent for the notebook; `key`: one of `KEYS`; `before`: the value that was there,
absent for none."""


def turn_metadata(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a copy of what turns change in the metadata of a notebook and its cells."""
    nodes = [notebook["metadata"], *(cell["metadata"] for cell in notebook["cells"])]
    return [
        {key: deepcopy(found[key]) for key in KEYS if key in found} for found in map(_of, nodes)
    ]


def changed_metadata(before: list[dict[str, Any]], notebook: dict[str, Any]) -> list[Change]:
    """Return what has changed since `turn_metadata`. The cells are still the same."""
    found: list[Change] = []
    for number, (old, new) in enumerate(zip(before, turn_metadata(notebook), strict=True), -1):
        where: Change = {} if number < 0 else {"cell": number}
        for key in KEYS:
            if old.get(key) != new.get(key):
                kept = {"before": old[key]} if key in old else {}
                found.append({**where, "key": key, **kept})
    return found


def undo(notebook: dict[str, Any], changes: list[Change]) -> None:
    """Take changes back. Those of cells that are no longer there are left out."""
    cells = notebook["cells"]
    for change in reversed(changes):
        number = change.get("cell")
        if number is None:
            _undo_one(notebook["metadata"], change)
        elif number < len(cells):
            _undo_one(cells[number]["metadata"], change)


def _undo_one(metadata: dict[str, Any], change: Change) -> None:
    key = change["key"]
    if "before" in change:
        metadata.setdefault("msgbook", {})[key] = deepcopy(change["before"])
        return
    found = _of(metadata)
    found.pop(key, None)
    if not found:
        metadata.pop("msgbook", None)


def _of(metadata: dict[str, Any]) -> dict[str, Any]:
    found = metadata.get("msgbook")
    return found if isinstance(found, dict) else {}
