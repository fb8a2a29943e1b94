"""JSON as the notebook nodes that nbformat works with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nbformat import NotebookNode

_new_node: Callable[[type[NotebookNode]], NotebookNode] = NotebookNode.__new__
_update: Callable[[NotebookNode, dict[str, Any]], None] = dict.update


def as_nodes(value: dict[str, Any]) -> NotebookNode:
    """What `nbformat.from_dict` gives for JSON, in a third of the time."""
    # Its constructor does nothing for a plain dictionary that `update` does not do.
    node = _new_node(NotebookNode)
    _update(
        node,
        {
            key: as_nodes(item)
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
        as_nodes(item)
        if type(item) is dict
        else _items_as_nodes(item)
        if type(item) is list
        else item
        for item in items
    ]
