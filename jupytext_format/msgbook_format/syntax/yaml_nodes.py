"""YAML as nodes with their lines, for messages and edits, and plain values of bounded size."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import yaml

from msgbook_format import jsontext

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_STR = "tag:yaml.org,2002:str"
_UNPRINTABLE = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|\ufeff"
)


class YamlError(ValueError):
    """A text is not YAML, or is YAML that msgbook does not read; `line` counts from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


class Entry(NamedTuple):
    """Key of a mapping with its value."""

    key: str
    line: int
    """Line of the key, from 1."""
    node: yaml.Node


def compose(text: str) -> yaml.Node | None:
    """Return the root node of a YAML text, None for an empty one. Aliases are nodes that occur twice.

    Raises:
        YamlError: The text is not YAML, or is nested too deep.
    """
    found = _UNPRINTABLE.search(text)
    if found:
        line = text.count("\n", 0, found.start()) + 1
        raise YamlError(line, f"the character U+{ord(found[0]):04X} is not allowed in YAML")
    try:
        deep = deep_line(text)
        root: yaml.Node | None = None if deep else yaml.compose(text, _LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise YamlError(line, error.problem or error.context or "it is not YAML") from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise YamlError(1, str(error).partition("\n")[0] or "it is not YAML") from None
    if deep is not None:
        raise YamlError(deep, f"it is nested deeper than {jsontext.MAX_DEPTH} levels")
    return root


def deep_line(text: str) -> int | None:
    """Return the line, from 1, from which a YAML text is nested too deep to parse; None without one.

    For nodes, PyYAML's parser in C recurses without a bound and can end the process. For events
    it does not.

    Raises:
        yaml.YAMLError, ValueError: The text is not YAML.
    """
    depth = 0
    for event in yaml.parse(text, _LOADER):
        match event:
            case yaml.CollectionStartEvent():
                depth += 1
                if depth > jsontext.MAX_DEPTH:
                    return int(event.start_mark.line) + 1  # type: ignore[union-attr]  # is set
            case yaml.CollectionEndEvent():
                depth -= 1
    return None


def entries(node: yaml.Node | None) -> list[Entry]:
    """Return the entries of a mapping whose keys are strings, in file order; none for other nodes."""
    if not isinstance(node, yaml.MappingNode):
        return []
    return [
        Entry(key.value, key.start_mark.line + 1, value)
        for key, value in node.value
        if isinstance(key, yaml.ScalarNode) and key.tag == _STR
    ]


def last(found: list[Entry], key: str) -> Entry | None:
    """Return the entry of a key that counts, which is the last one."""
    return next((entry for entry in reversed(found) if entry.key == key), None)


def text_of(node: yaml.Node | None) -> str | None:
    """Return the string that a node is; None for any other node."""
    if isinstance(node, yaml.ScalarNode) and node.tag == _STR:
        return str(node.value)
    return None


def kind_of(node: yaml.Node) -> str:
    """Return the type of a node: `str`, `int`, `float`, `bool`, `null`, `seq`, `map`, ..."""
    return node.tag.rpartition(":")[2]


# Plain values of YAML nodes. Any text, however hostile, takes bounded time and memory.


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
        match node:
            case yaml.SequenceNode():
                return [self.value(item, level + 1) for item in node.value]
            case yaml.MappingNode():
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
