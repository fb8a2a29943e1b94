"""Plain values of YAML nodes. Any text, however hostile, takes bounded time and memory."""

from __future__ import annotations

from typing import Any

import yaml

from msgbook_format.syntax.yaml_nodes import YamlError, entries, kind_of

_MOST_NODES = 10_000
"""Nodes that are visited. An alias counts each time, because its node is copied."""

_MOST_LEVELS = 50
"""Levels of nodes. With an alias, a node can contain itself."""

_LONG_NUMBER = 50
"""Characters of a number. Longer ones take time and are of no use here."""


def plain_value(node: yaml.Node) -> Any:
    """Return the value of a node: None, bool, int, float, str, list, or dict with string keys.

    Keys that are not strings are left out. A value of any other type, such as a date, is its text.

    Raises:
        YamlError: The value is too large or nested too deep.
    """
    return _Reader().value(node, 0)


class _Reader:
    def __init__(self) -> None:
        self._left = _MOST_NODES
        self._scalars = yaml.constructor.SafeConstructor()

    def value(self, node: yaml.Node, level: int) -> Any:
        self._left -= 1
        if self._left < 0 or level > _MOST_LEVELS:
            line = node.start_mark.line + 1 if node.start_mark else 1
            raise YamlError(
                line, "the value is too large or nested too deep; aliases count as copies"
            )
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, level + 1) for item in node.value]
        if isinstance(node, yaml.MappingNode):
            return {entry.key: self.value(entry.node, level + 1) for entry in entries(node)}
        return self._scalar(node)

    def _scalar(self, node: yaml.Node) -> Any:
        kind, text = kind_of(node), str(node.value)
        if kind == "null":
            return None
        try:
            if kind == "bool":
                return self._scalars.construct_yaml_bool(node)  # type: ignore[arg-type]
            if kind == "int" and len(text) <= _LONG_NUMBER:
                return self._scalars.construct_yaml_int(node)  # type: ignore[arg-type]
            if kind == "float" and len(text) <= _LONG_NUMBER:
                return self._scalars.construct_yaml_float(node)  # type: ignore[arg-type]
        except (ValueError, KeyError, LookupError):
            return text  # a tag that the text does not fit: `!!int many`
        return text
