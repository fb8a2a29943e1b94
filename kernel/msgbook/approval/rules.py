"""Rules that allow calls without a question: the user's own, and those made by answering one.

What a rule covers has to be what its author thought of: anything that could be read in two ways
is not covered, and asks.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgbook.approval.store import Store, StoreError, data_file
from msgbook.call_arguments import parse_arguments
from msgbook.text import visible

_RULE_KEYS = {"tool", "arguments", "folder"}

_NOT_IN_STAR = set(";&|<>`$\\\"'()#~!{}[]?*")
"""What a `*` never matches: a shell reads these as more than text. `#` would end the command before
the rest of the pattern, and `.{.,}` is a way up."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Calls that are allowed."""

    tool: str
    arguments: Mapping[str, Any] | None = None
    """Each argument that a call may have: its value, a string with `*` patterns among them. None
    for any arguments."""
    folder: Path | None = None
    """The notebook's folder, or one above it; None for any."""

    def covers(self, tool: str, arguments: str, folder: Path, path: str = "") -> bool:
        """Whether a call is allowed.

        Args:
            arguments: JSON text, as the model sent it.
            folder: The notebook's, resolved.
            path: The real path that the call concerns (`ApprovalRequest.path`); it counts in place of the
                argument `path`, whose links may have been turned elsewhere.
        """
        if tool != self.tool or not (self.folder is None or folder.is_relative_to(self.folder)):
            return False
        if self.arguments is None:
            return True
        given = _parsed(arguments)
        if given is None or not given.keys() <= self.arguments.keys():
            return False
        return all(
            (_leads_to(value, path, folder) if path and key == "path" else _fits(value, given[key]))
            if key in given
            else value == "*"
            for key, value in self.arguments.items()
        )

    def __str__(self) -> str:
        arguments = "any arguments" if self.arguments is None else _dump(self.arguments)
        return visible(f"{self.tool} {arguments}" + (f" in {self.folder}" if self.folder else ""))


def read_rules(
    tables: Iterable[Any], source: str, within: Path | None = None
) -> tuple[list[Rule], list[str]]:
    """The rules of `[approval] rules`.

    Args:
        source: The file's name, for the warnings.
        within: A folder in which alone they hold; None for a file that is the user's own.

    Returns:
        The rules, and a warning for each table that is none: it allows nothing.
    """
    rules, warnings = [], []
    for number, table in enumerate(tables, 1):
        problem = _problem(table)
        if problem:
            words = f"{source}: rule {number} of [approval] {problem}; it allows nothing."
            warnings.append(words)
            continue
        folder = Path(table["folder"]).expanduser().resolve() if "folder" in table else None
        if within is not None:
            folder = within if folder is None or not folder.is_relative_to(within) else folder
        rules.append(Rule(table["tool"], table.get("arguments"), folder))
    return rules, warnings


class SavedRules:
    """The rules that the user made by answering a question: exactly one call in one folder each.

    They are read anew each time: what another kernel added or took away holds at once. Entries
    that are no rules allow nothing and stay in the file.

    Raises:
        StoreError: From each method, when the file cannot be read or written.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    @classmethod
    def from_user_file(cls) -> SavedRules:
        """Return the rules that are kept in Jupyter's data directory."""
        return cls(Store(data_file("rules.json")))

    def covers(self, tool: str, arguments: str, folder: Path, path: str = "") -> bool:
        """Whether a call is allowed; `path` is the real one that it concerns (`ApprovalRequest.path`)."""
        entry = _entry(tool, arguments, folder, path)
        return entry is not None and entry in self._entries()

    def add(self, tool: str, arguments: str, folder: Path, path: str = "") -> None:
        """Allow this call from now on, as long as it concerns this real path."""
        entry = _entry(tool, arguments, folder, path)
        if entry is None:
            raise StoreError("The arguments can be read in two ways; no rule was made of them.")
        entries = self._entries()
        if entry not in entries:
            self._write([*entries, entry])

    def in_folder(self, folder: Path) -> list[dict[str, str]]:
        """Return the rules of a folder, oldest first: `tool`, `arguments`, `folder`, `path`."""
        return [entry for entry in self._entries() if _is_in(entry, folder)]

    def remove(self, rules: list[dict[str, str]]) -> None:
        """Allow these calls no longer."""
        self._write([entry for entry in self._entries() if entry not in rules])

    def _entries(self) -> list[Any]:
        entries = self._store.read().get("rules", [])
        if not isinstance(entries, list):
            raise StoreError(f"{self._store.name}: rules is no list; mend it or delete the file.")
        return entries

    def _write(self, entries: list[Any]) -> None:
        self._store.write({**self._store.read(), "version": 1, "rules": entries})


def _entry(tool: str, arguments: str, folder: Path, path: str) -> dict[str, str] | None:
    given = _parsed(arguments)
    if given is None:
        return None
    entry = {"tool": tool, "arguments": _dump(given), "folder": str(folder)}
    return {**entry, "path": path} if path else entry


def _is_in(entry: Any, folder: Path) -> bool:
    texts = isinstance(entry, dict) and all(isinstance(entry.get(k), str) for k in _RULE_KEYS)
    return texts and entry["folder"] == str(folder)


def _parsed(arguments: str) -> dict[str, Any] | None:
    try:
        return parse_arguments(arguments)
    except ValueError:
        return None


def _dump(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _problem(table: Any) -> str:
    """What keeps a table from being a rule; empty for a rule."""
    if not isinstance(table, dict) or not isinstance(table.get("tool"), str):
        return "has to be a table with the name of a tool, such as { tool = 'shell' }"
    unknown = sorted(table.keys() - _RULE_KEYS)
    if unknown:
        return f"has the unknown key {unknown[0]!r}"
    if not isinstance(table.get("arguments", {}), dict) or not _is_json(table.get("arguments")):
        return "has arguments that are no table of JSON values"
    return _folder_problem(table.get("folder", "/"))


def _is_json(value: Any) -> bool:
    """Whether it is free of TOML's dates, which no call can hold."""
    try:
        _dump(value)
    except TypeError:
        return False
    return True


def _folder_problem(folder: Any) -> str:
    try:
        fine = isinstance(folder, str) and Path(folder).expanduser().is_absolute()
        if fine:
            Path(folder).expanduser().resolve()
    except (OSError, RuntimeError, ValueError):  # a link to itself, NUL
        fine = False
    return "" if fine else "has a folder that is no absolute path, or leads nowhere"


def _leads_to(expected: Any, real: str, folder: Path) -> bool:
    """Whether a pattern of paths, relative to the notebook's folder or absolute, fits a real one."""
    if not isinstance(expected, str):
        return False
    shown = real if Path(expected).is_absolute() else os.path.relpath(real, folder)
    return _fits(os.path.normpath(expected), shown)


def _fits(expected: Any, given: Any) -> bool:
    if isinstance(expected, str) and "*" in expected:
        if isinstance(given, str):
            return _matches(expected, given)
        return expected == "*" and (given is None or isinstance(given, bool | int | float))
    return _dump(expected) == _dump(given)


def _matches(pattern: str, text: str) -> bool:
    """Whether a text is the pattern with something harmless in place of each `*`.

    The first place where a piece of the pattern fits is taken, so that no text takes long; in rare
    cases a later one would have done, and the call asks.
    """
    first, *middle, last = pattern.split("*")
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return False
    at, end = len(first), len(text) - len(last)
    for piece in middle:
        found = text.find(piece, at, end)
        if found < 0 or not _harmless(text[at:found]):
            return False
        at = found + len(piece)
    return _harmless(text[at:end])


def _harmless(text: str) -> bool:
    """Whether a `*` may stand for it: no syntax of a shell, no way up, nothing that is not seen."""
    return not _NOT_IN_STAR & set(text) and ".." not in text and visible(text) == text
