"""YAML as nodes with their lines, for messages and edits; no values are built from it."""

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
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > jsontext.MAX_DEPTH:
                return int(event.start_mark.line) + 1  # type: ignore[union-attr]  # is set
        elif isinstance(event, yaml.CollectionEndEvent):
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
