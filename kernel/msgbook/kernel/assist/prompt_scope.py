"""The names that a prompt can use, as completion and inspection know them. No model is asked."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from msgbook.approval import Roots
from msgbook.notebook import Cell, source_of
from msgbook_format.syntax import CHAT_CELLS, MSG_MAGIC, CellRule

if TYPE_CHECKING:
    from msgbook.agents import AvailableAgent
    from msgbook.tools import Tool


@dataclass(frozen=True, slots=True)
class PromptScope:
    """The names that a cell can use while it is written."""

    roots: Roots
    """Folders where reading needs no approval; relative paths begin in the notebook's folder."""
    cells: Sequence[Cell] = ()
    """The notebook's cells, if they are known; their values may be of any type."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """The notebook's metadata; its values may be of any type."""
    variables: Sequence[str] = ()
    """Names of variables in the notebook's Python."""
    models: Callable[[], Sequence[str]] = tuple
    """Returns the server's models, if they are known."""
    agents: Callable[[Sequence[Cell]], Sequence[AvailableAgent]] = lambda _above: ()
    """Returns the agents that a cell can name, given the cells above it; reads files."""
    tools: Sequence[Tool] = ()
    magics: Sequence[str] = ()
    """Names with their percent signs."""
    cell_rule: CellRule = CHAT_CELLS
    describe: Callable[[str], Awaitable[str]] | None = None
    """Describes a variable of the notebook's Python as a reference to it does; None without a Python."""
    redact: Callable[[str], str] = str
    """Removes secrets from a text, before anything is cut from it."""

    def check_read(self, real: Path) -> str | None:
        """Return why reading a real path needs approval; None if it needs none."""
        needed = self.roots.check_read(real)
        return needed.reason if needed else None

    def above(self, code: str) -> Sequence[Cell]:
        """Return the cells above the one with this source; all cells if its position is unknown."""
        return self.cells[: self._position(code)]

    def offered_tools(self, code: str) -> list[Tool]:
        """Return the tools of the agent that answers a cell; all tools if the agent is unknown."""
        # Imported here: the kernel starts without it.
        from msgbook.agents import requested_name
        from msgbook.notebook import parse_prompt

        if not self.tools:
            return []
        position = self._position(code)
        current = self.cells[position] if position is not None else None
        wanted = requested_name("agent", parse_prompt(code), current)
        for listed in self.agents(self.above(code)):
            if listed.agent.name == wanted or (wanted is None and listed.is_default):
                names = listed.agent.tools
                return [tool for tool in self.tools if names is None or tool.name in names]
        return list(self.tools)

    def macros(self, code: str) -> dict[str, str]:
        """Return name and value of the macros in force in a cell."""
        # Imported here: the kernel starts without it.
        from msgbook.request import macros_in_force

        return macros_in_force(self.metadata, self.above(code), code, self.cell_rule).values

    def _position(self, code: str) -> int | None:
        """Return the index of the only cell with this source; None for none or several."""
        found = [index for index, cell in enumerate(self.cells) if source_of(cell) == code]
        return found[0] if len(found) == 1 else None


def python_names(namespace: Mapping[str, Any], hidden: Mapping[str, Any]) -> list[str]:
    """Return the user's own variables, without IPython's."""
    return [
        name
        for name in list(namespace)
        if isinstance(name, str) and name not in hidden and not name.startswith("_")
    ]


# The tag of a prompt that contains the cursor.


MAGIC_START = re.compile(r"\s*(%{1,2}\w*)")
"""What stands before the cursor in the name of a magic; its group is the name so far."""

_AGENT = re.compile(
    rf"\s*{MSG_MAGIC}[ \t](?:[^\n]*[ \t])?agent=(?P<msg>\S+)|\s*%agent default (?P<set>\S+)"
)


class OpenTag(NamedTuple):
    """A tag that contains the cursor; it may have no end yet."""

    start: int
    """Offset of its content, after `@[` or `{{`, in code points."""
    end: int
    """Offset of the end of its content: of `]`, `}}` or the end of the line."""
    content: str
    is_closed: bool


def reference_at(code: str, cursor: int) -> OpenTag | None:
    """Return the `@[...]` that contains the cursor."""
    return _tag_at(code, cursor, "@[", "]")


def needs_other_cells(code: str, cursor: int) -> bool:
    """Return whether the completion at the cursor depends on other cells.

    It does where the name of a cell, a macro, an agent or a tool can be written.
    """
    cursor = max(0, min(cursor, len(code)))
    tag = reference_at(code, cursor)
    return (
        macro_at(code, cursor) is not None
        or (tag is not None and _can_name_cell_or_tool(code[tag.start : cursor]))
        or code.lstrip().startswith("%")
    )


def _can_name_cell_or_tool(typed: str) -> bool:
    return typed.startswith("cell:") or not set(typed) & set("/:{")


def python_name_at(code: str, cursor: int) -> str | None:
    """Return the NAME of the `@[py:NAME]` that contains the cursor."""
    tag = reference_at(code, max(0, min(cursor, len(code))))
    if tag is None or not tag.content.startswith("py:"):
        return None
    return tag.content.removeprefix("py:").strip() or None


def needs_cells_to_explain(code: str, cursor: int) -> bool:
    """Return whether what is at the cursor depends on other cells; the name of a variable does not."""
    name = python_name_at(code, cursor)
    return name is None or "{{" in name


def agent_name_at(code: str, cursor: int) -> str | None:
    """Return the NAME of the `%%msg agent=NAME` or `%agent default NAME` that contains the cursor."""
    named = _AGENT.match(code)
    kind = named.lastgroup if named else None
    if named is None or kind is None or not named.start(kind) <= cursor <= named.end(kind):
        return None
    return named[kind]


def macro_at(code: str, cursor: int) -> OpenTag | None:
    """Return the `{{NAME}}` that contains the cursor."""
    return _tag_at(code, cursor, "{{", "}}")


def _tag_at(code: str, cursor: int, opening: str, closing: str) -> OpenTag | None:
    line_start = code.rfind("\n", 0, cursor) + 1
    found = code.rfind(opening, line_start, cursor)
    start = found + len(opening)
    if found < 0 or code.find(closing, start, cursor) >= 0:
        return None
    line_end = code.find("\n", cursor)
    line_end = len(code) if line_end < 0 else line_end
    end = code.find(closing, start, line_end)
    closed = end >= 0
    end = end if closed else line_end
    return OpenTag(start, end, code[start:end], closed)


def is_unfinished(code: str) -> bool:
    """Return whether a prompt needs another line: a tag is open, or it ends with a backslash."""
    opening = code.rfind("@[")
    is_open = opening >= 0 and "]" not in code[opening:]
    return is_open or code.endswith("\\")
