"""Approval rules: the user's own, and those made by answering a question.

A rule covers only what its author clearly meant: an ambiguous call needs approval.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgbook.approval.store import Store, StoreError, data_file
from msgbook.text import visible
from msgbook.tool_calls import parse_arguments
from msgbook_format.links import real_path

if TYPE_CHECKING:
    from msgbook.approval.own_rules import OwnRules


MCP_PREFIX = "mcp__"
"""Beginning of the names of all tools of MCP servers. Which program such a name means is known to the user's
own configuration alone."""

_ARGUMENTS_LIMIT = 100_000
"""Characters of the arguments of a rule that an answer makes: all rules are read at each call that needs one."""

_RULE_KEYS = {"tool", "arguments", "folder"}
_KEY = "rules"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that approves calls of one tool."""

    tool: str
    arguments: Mapping[str, Any] | None = None
    """Value of each argument that a call may have; a string may contain `*`. None for any arguments."""
    folder: Path | None = None
    """The notebook's folder, or a folder above it; None for any folder."""

    def covers(self, tool: str, arguments: str, folder: Path, path: str = "") -> bool:
        """Return whether the rule approves a call.

        Args:
            arguments: JSON text, as the model sent it.
            folder: The notebook's folder, resolved.
            path: The real path of the call (`ApprovalRequest.path`). It is compared instead of the
                argument `path`, since a link in that may lead elsewhere by now.
        """
        if tool != self.tool or not (self.folder is None or folder.is_relative_to(self.folder)):
            return False
        if self.arguments is None:
            return True
        given = _parsed(arguments)
        if given is None or not given.keys() <= self.arguments.keys():
            return False
        return all(
            (
                matches_path(value, path, folder)
                if path and key == "path"
                else matches_value(value, given[key])
            )
            if key in given
            else value == "*"
            for key, value in self.arguments.items()
        )

    def __str__(self) -> str:
        arguments = "any arguments" if self.arguments is None else canonical_json(self.arguments)
        return visible(f"{self.tool} {arguments}" + (f" in {self.folder}" if self.folder else ""))


def read_rules(
    tables: Iterable[Any], source: str, within: Path | None = None
) -> tuple[list[Rule], list[str]]:
    """Read the tables of `[approval] rules`.

    Args:
        source: The file's name, for warnings.
        within: Folder to which the rules are limited; None for the user's own file.

    Returns:
        The rules, and a warning for each table that is not a rule.
    """
    rules, warnings = [], []
    for number, table in enumerate(tables, 1):
        problem = rule_problem(table)
        if problem:
            words = f"{source}: rule {number} of [approval] {problem}; it is ignored."
            warnings.append(words)
            continue
        if within is not None and table["tool"].startswith(MCP_PREFIX):
            warnings.append(
                f"{source}: rule {number} of [approval] is ignored: only your own configuration can "
                "approve calls of MCP servers."
            )
            continue
        folder = real_path(Path(table["folder"]).expanduser()) if "folder" in table else None
        if within is not None:
            folder = within if folder is None or not folder.is_relative_to(within) else folder
        rules.append(Rule(table["tool"], table.get("arguments"), folder))
    return rules, warnings


class SavedRules:
    """Rules that the user made by answering a question, each for exactly one call in one folder.

    They are read for each question, so that changes by another kernel count at once. Entries that
    are not rules have no effect and stay in the file.

    Raises:
        StoreError: Raised by each method if the file cannot be read or written.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    @classmethod
    def from_user_file(cls) -> SavedRules:
        """Return the rules that are kept in Jupyter's data directory."""
        return cls(Store(data_file("rules.json")))

    def covers(
        self, tool: str, arguments: str, folder: Path, path: str = "", server: str = ""
    ) -> bool:
        """Return whether `find` finds a rule."""
        return self.find(tool, arguments, folder, path, server) is not None

    def find(
        self, tool: str, arguments: str, folder: Path, path: str = "", server: str = ""
    ) -> dict[str, str] | None:
        """Return the rule that approves a call; `path` and `server` are those of its `ApprovalRequest`."""
        entry = _entry(tool, arguments, folder, path, server)
        return entry if entry in self._entries() else None

    @property
    def own(self) -> OwnRules:
        """The rules that the user wrote, in the same file."""
        from msgbook.approval.own_rules import OwnRules

        return OwnRules(self._store)

    def add(
        self, tool: str, arguments: str, folder: Path, path: str = "", server: str = ""
    ) -> None:
        """Add a rule for this call, as long as its real path and its MCP server stay the same."""
        entry = _entry(tool, arguments, folder, path, server)
        if entry is None:
            raise StoreError("No rule was made, since the arguments can be read in two ways.")
        if len(entry["arguments"]) > _ARGUMENTS_LIMIT:
            raise StoreError(
                f"No rule was made, since the arguments are longer than {_ARGUMENTS_LIMIT:,} characters."
            )
        with self._store.changing() as data:
            entries = self._store.entries(data, _KEY)
            if entry not in entries:
                data |= {"version": 1, _KEY: [*entries, entry]}

    def in_folder(self, folder: Path) -> list[dict[str, str]]:
        """Return the rules of a folder, oldest first: `tool`, `arguments`, `folder`, `path`, `server`."""
        return [entry for entry in self.everywhere() if entry["folder"] == str(folder)]

    def everywhere(self) -> list[dict[str, str]]:
        """Return the rules of all folders, oldest first."""
        return [entry for entry in self._entries() if _is_rule(entry)]

    def remove(self, rules: list[dict[str, str]]) -> None:
        """Remove rules."""
        with self._store.changing() as data:
            kept = [entry for entry in self._store.entries(data, _KEY) if entry not in rules]
            data |= {"version": 1, _KEY: kept}

    def _entries(self) -> list[Any]:
        return self._store.entries(self._store.read(), _KEY)


def _entry(
    tool: str, arguments: str, folder: Path, path: str, server: str
) -> dict[str, str] | None:
    given = _parsed(arguments)
    if given is None:
        return None
    entry = {"tool": tool, "arguments": canonical_json(given), "folder": str(folder)}
    what = {"path": path, "server": server}
    return {**entry, **{key: value for key, value in what.items() if value}}


def _is_rule(entry: Any) -> bool:
    return isinstance(entry, dict) and all(isinstance(entry.get(k), str) for k in _RULE_KEYS)


def _parsed(arguments: str) -> dict[str, Any] | None:
    try:
        return parse_arguments(arguments)
    except ValueError:
        return None


def rule_problem(table: Any) -> str:
    """Return why a table is not a rule; empty for a rule."""
    if not isinstance(table, dict) or not isinstance(table.get("tool"), str):
        return "is not a table with the name of a tool, such as { tool = 'shell' }"
    unknown = sorted(table.keys() - _RULE_KEYS)
    if unknown:
        return f"has the unknown key {unknown[0]!r}"
    if not isinstance(table.get("arguments", {}), dict) or not _is_json(table.get("arguments")):
        return "has arguments that are not a table of JSON values"
    return _folder_problem(table.get("folder", "/"))


def _is_json(value: Any) -> bool:
    """Return whether a value contains none of TOML's dates, which no call can have."""
    try:
        canonical_json(value)
    except TypeError:
        return False
    return True


def _folder_problem(folder: Any) -> str:
    try:
        fine = isinstance(folder, str) and Path(folder).expanduser().is_absolute()
        if fine:
            real_path(Path(folder).expanduser())
    except (OSError, RuntimeError, ValueError):  # a loop of links, no such user, NUL
        fine = False
    return "" if fine else "has a folder that is not an absolute path, or does not exist"


# Comparison of a value in a rule with a value of a call's arguments. Pure.


_NOT_IN_STAR = set(";&|<>`$\\\"'()#~!{}[]?*")
"""Characters that `*` never matches, since a shell gives them a meaning. `#` would end the command before
the rest of the pattern, and `.{.,}` would lead to the folder above."""


def canonical_json(value: Any) -> str:
    """Return the JSON text that all equal values have in common."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def matches_path(expected: Any, real: str, folder: Path) -> bool:
    """Return whether a pattern, absolute or relative to the notebook's folder, matches a real path."""
    if not isinstance(expected, str):
        return False
    shown = real if Path(expected).is_absolute() else os.path.relpath(real, folder)
    return matches_value(os.path.normpath(expected), shown)


def matches_value(expected: Any, given: Any) -> bool:
    """Return whether the value of a rule, in which `*` stands for harmless text, matches a call's."""
    if isinstance(expected, str) and "*" in expected:
        if isinstance(given, str):
            return _matches_text(expected, given)
        return expected == "*" and (given is None or isinstance(given, bool | int | float))
    return canonical_json(expected) == canonical_json(given)


def _matches_text(pattern: str, text: str) -> bool:
    """Return whether a text is the pattern with harmless text in place of each `*`.

    Each piece of the pattern matches at its first place, so that no text takes long. In rare cases
    only a later place would match; then the call needs approval.
    """
    first, *middle, last = pattern.split("*")
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return False
    at, end = len(first), len(text) - len(last)
    for piece in middle:
        found = text.find(piece, at, end)
        if found < 0 or not _is_harmless(text[at:found]):
            return False
        at = found + len(piece)
    return _is_harmless(text[at:end])


def _is_harmless(text: str) -> bool:
    """Return whether `*` may match a text: no shell syntax, no `..`, no invisible characters."""
    return not _NOT_IN_STAR & set(text) and ".." not in text and visible(text) == text
