"""A rule that approves calls of one tool, as its author wrote it. Pure but for the folders it names.

A rule covers only what its author clearly meant: an ambiguous call needs approval.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgbook.errors import MsgbookError
from msgbook.text import visible
from msgbook.tool_calls import parse_arguments
from msgbook_format.links import real_path
from msgbook_format.typed import as_dict, as_text, has

MCP_PREFIX = "mcp__"
"""Beginning of the names of all tools of MCP servers. Which program such a name means is known to the user's
own configuration alone."""

RULE_KEYS = {"tool", "arguments", "folder"}

_TEXT_LIMIT = 20_000
"""Characters of each text of a rule. The form shows a rule as a whole, so that nobody allows what they have not seen."""
_TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_PYTHON, _RUN_CELL, _SHELL = "python", "run_cell", "shell"


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
        given = parsed_arguments(arguments)
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


def parsed_arguments(arguments: str) -> dict[str, Any] | None:
    """Return the arguments of a call; None if they can be read in two ways, or in none."""
    try:
        return parse_arguments(arguments)
    except ValueError:
        return None


def rule_problem(table: Any) -> str:
    """Return why a table is not a rule; empty for a rule."""
    if not has(table, tool=str):
        return "is not a table with the name of a tool, such as { tool = 'shell' }"
    unknown = sorted(table.keys() - RULE_KEYS)
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


# What a person writes on the page.


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
    if tool in (_PYTHON, _RUN_CELL):
        raise RuleError(f"`{tool}` asks each time: no rule allows its calls.")
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
    command = as_text(as_dict(arguments).get("command"))
    return "*" not in (command.split() or ["*"])[0]


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
        match given:
            case str():
                return _matches_text(expected, given)
            case None | bool() | int() | float():
                return expected == "*"
        return False
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
    # No shell syntax, no `..`, no invisible characters.
    return not _NOT_IN_STAR & set(text) and ".." not in text and visible(text) == text
