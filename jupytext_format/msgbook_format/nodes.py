"""Notebook nodes, the dictionaries of nbformat, made from JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nbformat import NotebookNode

from msgbook_format import garbage

_new_node: Callable[[type[NotebookNode]], NotebookNode] = NotebookNode.__new__
_update: Callable[[NotebookNode, dict[str, Any]], None] = dict.update


def as_nodes(value: dict[str, Any]) -> NotebookNode:
    """Return JSON as notebook nodes, as `nbformat.from_dict` does, in a third of the time."""
    with garbage.paused():
        return _as_node(value)


def _as_node(value: dict[str, Any]) -> NotebookNode:
    # For a plain dictionary, the constructor does no more than `update`.
    node = _new_node(NotebookNode)
    _update(
        node,
        {
            key: _as_node(item)
            if type(item) is dict
            else _items_as_nodes(item)
            if type(item) is list
            else item
            for key, item in value.items()
        },
    )
    return node


def _items_as_nodes(items: list[Any]) -> list[Any]:
    return [
        _as_node(item)
        if type(item) is dict
        else _items_as_nodes(item)
        if type(item) is list
        else item
        for item in items
    ]
