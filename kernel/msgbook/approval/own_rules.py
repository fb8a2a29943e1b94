"""Rules that the user writes on the page, what each rule has allowed, and all approvals that hold for later calls."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from msgbook.approval.rules import MCP_PREFIX, Rule, canonical_json, read_rules, rule_problem
from msgbook.approval.store import Store, StoreError, data_file
from msgbook.errors import MsgbookError
from msgbook.text import visible
from msgbook.tool_calls import parse_arguments

_RULES_LIMIT = 500
_TEXT_LIMIT = 20_000
_TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_KEY = "own"
_PYTHON, _SHELL = "python", "shell"


class RuleError(MsgbookError):
    """A rule that cannot be kept; its words are for the person who wrote it."""


def new_rule(tool: str, arguments: str, folder: str, tools: Collection[str]) -> dict[str, Any]:
    """Return the table of a rule that a person has written.

    Args:
        arguments: JSON text of an object; empty for any arguments.
        folder: Absolute path; empty for any folder.
        tools: Names of the tools that there are.

    Raises:
        RuleError: It is not valid, or allows more than a rule should.
    """
    if any(len(text) > _TEXT_LIMIT or visible(text) != text for text in (tool, arguments, folder)):
        raise RuleError("A rule has at most 20,000 visible characters.")
    if not _TOOL_NAME.fullmatch(tool):
        raise RuleError("Expected the name of a tool, such as `shell`.")
    if tool not in tools and not tool.startswith(MCP_PREFIX):
        raise RuleError(f"There is no tool `{tool}`. The tools are: {', '.join(tools)}.")
    if tool == _PYTHON:
        raise RuleError("`python` asks each time: no rule allows its calls.")
    table: dict[str, Any] = {"tool": tool}
    if arguments.strip():
        try:
            table["arguments"] = parse_arguments(arguments)
        except ValueError as error:
            raise RuleError(f"The arguments cannot be read: {error}.") from None
    if folder.strip():
        table["folder"] = folder.strip()
        if not _is_folder(folder.strip()):
            raise RuleError("Expected the absolute path of a folder that exists.")
    if problem := rule_problem(table):
        raise RuleError(f"The rule {problem}.")
    if tool == _SHELL and not _names_a_program(table.get("arguments")):
        raise RuleError(
            "A rule for `shell` needs a `command` that begins with the name of a program, such as "
            '{"command": "git status*"}.'
        )
    return table


def _is_folder(text: str) -> bool:
    try:
        return Path(text).expanduser().is_dir()
    except (OSError, RuntimeError, ValueError):  # too long, no such user, a lone surrogate
        return False


def _names_a_program(arguments: Any) -> bool:
    command = arguments.get("command") if isinstance(arguments, dict) else None
    return isinstance(command, str) and "*" not in (command.split() or ["*"])[0]


class OwnRules:
    """The rules that the user wrote, in the same file as those that answers made.

    Raises:
        StoreError: Raised by each method if the file cannot be read or written.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def tables(self) -> list[Any]:
        """Return all entries, oldest first; those that are not rules have no effect."""
        return self._store.entries(self._store.read(), _KEY)

    def rules(self) -> list[tuple[dict[str, Any], Rule]]:
        """Return the valid rules, each with its table."""
        read = ((table, read_rules([table], self._store.name)[0]) for table in self.tables())
        return [(table, rules[0]) for table, rules in read if rules]

    def add(self, table: Mapping[str, Any]) -> None:
        """Add a rule, once."""
        with self._store.changing() as data:
            tables = self._store.entries(data, _KEY)
            if len(tables) >= _RULES_LIMIT:
                raise StoreError(f"There are {_RULES_LIMIT} rules: delete one first.")
            if table not in tables:
                data |= {"version": 1, _KEY: [*tables, dict(table)]}

    def remove(self, removed: list[Any]) -> None:
        """Remove rules."""
        with self._store.changing() as data:
            kept = [table for table in self._store.entries(data, _KEY) if table not in removed]
            data |= {"version": 1, _KEY: kept}


@dataclass(frozen=True, slots=True)
class Uses:
    """Calls that a rule has allowed so far."""

    count: int = 0
    last: str = ""
    """Time of the last call, in ISO 8601; empty for none."""


NO_USES = Uses()


class RuleUses:
    """Counts how often each rule has allowed a call, and keeps when it did so last.

    It is a file of its own: it is written at each call that a rule allows, and no damage to it harms a rule.

    Raises:
        StoreError: Raised by each method if the file cannot be read or written.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    @classmethod
    def from_user_file(cls) -> RuleUses:
        """Return the counts that are kept in Jupyter's data directory."""
        return cls(Store(data_file("rule_uses.json")))

    def of(self, key: str) -> Uses:
        """Return what the rule with a key has allowed."""
        return _read_uses(_uses_in(self._store.read()).get(key))

    def note(self, key: str) -> None:
        """Note that the rule with a key has allowed a call."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._store.changing() as data:
            uses = _uses_in(data)
            count = _read_uses(uses.get(key)).count + 1
            data |= {"version": 1, "uses": {**uses, key: [count, now]}}

    def forget(self, keys: Collection[str]) -> None:
        """Remove what is kept of rules that are gone."""
        with self._store.changing() as data:
            uses = _uses_in(data)
            if not uses.keys().isdisjoint(keys):
                kept = {key: found for key, found in uses.items() if key not in keys}
                data |= {"version": 1, "uses": kept}


def _uses_in(data: Mapping[str, Any]) -> dict[str, Any]:
    uses = data.get("uses", {})
    return uses if isinstance(uses, dict) else {}


def _read_uses(found: Any) -> Uses:
    count, last = found if isinstance(found, list) and len(found) == 2 else (0, "")
    if type(count) is not int or count < 0 or not isinstance(last, str):
        return NO_USES
    return Uses(count, visible(last[:40]))


# The approvals that hold for later calls, as `%approvals` and the page list them.


Kind = Literal["session", "answer", "own", "settings"]


@dataclass(frozen=True, slots=True)
class Remembered:
    """One approval: of a tool for this session, by an answer, by a rule on the page or in `msgbook.toml`."""

    kind: Kind
    tool: str
    arguments: str | None = None
    """JSON text; None for any arguments."""
    folder: str = ""
    """Empty for any folder."""
    path: str = ""
    """Real path for which an answer holds."""
    entry: dict[str, Any] = field(default_factory=dict)
    """As saved."""
    uses: Uses = NO_USES

    @property
    def key(self) -> str:
        """Digest that names it."""
        return approval_key(self.kind, self.entry or {"tool": self.tool})

    def __str__(self) -> str:
        used = f" ({self.uses.count} times, last {self.uses.last})" if self.uses.count else ""
        if self.kind == "session":
            return f"{visible(self.tool)}, in this session{used}"
        at = f" at {self.path}" if self.path else ""
        words = visible(f"{self.tool} {self.arguments or 'any arguments'}{at}")
        if self.kind == "answer":
            return f"{words}, in this folder{used}"
        return f"{words}, {visible(f'in {self.folder}') if self.folder else 'in any folder'}{used}"


def approval_key(kind: Kind, entry: Any) -> str:
    """Return the digest that names an approval."""
    return hashlib.sha256(f"{kind} {canonical_json(entry)}".encode()).hexdigest()[:24]


def rule_entry(rule: Rule) -> dict[str, Any]:
    """Return a rule of the settings as a table."""
    folder = str(rule.folder) if rule.folder is not None else None
    return {"tool": rule.tool, "arguments": rule.arguments, "folder": folder}
