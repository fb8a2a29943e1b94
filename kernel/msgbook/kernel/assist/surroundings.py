"""What completion and inspection can look at, and what stands at the cursor. Asks nobody."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from msgbook.approval import Roots
from msgbook.notebook.cells import Cell, IsMagic, any_magic, source_of

if TYPE_CHECKING:
    from msgbook.agents.resolve import AvailableAgent
    from msgbook.tools import Tool


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is known around a cell that is being written."""

    roots: Roots
    """Folders where reading needs no approval; relative paths begin in the notebook's folder."""
    cells: Sequence[Cell] = ()
    """Those of the notebook, as far as they are known; may hold anything."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """The notebook's; may hold anything."""
    names: Sequence[str] = ()
    """Names of the notebook's Python."""
    models: Callable[[], Sequence[str]] = tuple
    """Those that the server offers, as far as that is known."""
    agents: Callable[[Sequence[Cell]], Sequence[AvailableAgent]] = lambda _above: ()
    """Those that can be named below some cells; reads files."""
    tools: Sequence[Tool] = ()
    magics: Sequence[str] = ()
    """With their percent signs."""
    is_magic: IsMagic = any_magic

    def check_read(self, real: Path) -> str | None:
        """Return why reading a real path needs approval; None if it needs none."""
        needed = self.roots.check_read(real)
        return needed.reason if needed else None

    @property
    def named(self) -> dict[str, Cell]:
        """The cells that have an id, by it."""
        ids = ((cell.get("id"), cell) for cell in self.cells)
        return {cell_id: cell for cell_id, cell in ids if isinstance(cell_id, str)}

    def above(self, code: str) -> Sequence[Cell]:
        """The cells above the one with this source; all cells where that cannot be told."""
        return self.cells[: self._place(code)]

    def offered_tools(self, code: str) -> list[Tool]:
        """The tools that the agent who answers a cell is offered; all where nobody is known."""
        # Imported here, like the macros.
        from msgbook.agents.resolve import requested_name
        from msgbook.notebook.cells import parse_prompt

        if not self.tools:
            return []
        place = self._place(code)
        current = self.cells[place] if place is not None else None
        wanted = requested_name("agent", parse_prompt(code), current)
        for listed in self.agents(self.above(code)):
            if listed.agent.name == wanted or (wanted is None and listed.is_default):
                names = listed.agent.tools
                return [tool for tool in self.tools if names is None or tool.name in names]
        return list(self.tools)

    def macros(self, code: str) -> dict[str, str]:
        """Name and value of the macros in force in a cell."""
        # Imported here: the kernel starts without it.
        from msgbook.request.context.macros import macros_in_force

        return macros_in_force(self.metadata, self.above(code), code, self.is_magic).values

    def _place(self, code: str) -> int | None:
        """Where the one cell with this source stands; None for none or several."""
        found = [place for place, cell in enumerate(self.cells) if source_of(cell) == code]
        return found[0] if len(found) == 1 else None


class Tag(NamedTuple):
    """A stretch of a prompt that is no plain text."""

    start: int
    """Where its content begins, behind `@[` or `{{`; in code points."""
    end: int
    """Where the content ends: at `]`, `}}`, the end of the line."""
    content: str
    closed: bool


def reference_at(code: str, cursor: int) -> Tag | None:
    """The `@[...]` in which the cursor stands."""
    return _tag_at(code, cursor, "@[", "]")


def speaks_of_cells(code: str, cursor: int) -> bool:
    """Whether what can stand at the cursor depends on other cells: one of them, macros, agents, or
    the tools of an agent."""
    cursor = max(0, min(cursor, len(code)))
    tag = reference_at(code, cursor)
    return (
        macro_at(code, cursor) is not None
        or (tag is not None and _may_name_a_cell_or_a_tool(code[tag.start : cursor]))
        or code.lstrip().startswith("%")
    )


def _may_name_a_cell_or_a_tool(typed: str) -> bool:
    return typed.startswith("cell:") or not set(typed) & set("/:{")


def python_name_at(code: str, cursor: int) -> str | None:
    """The NAME of the `@[py:NAME]` in which the cursor stands; Python knows more of it."""
    tag = reference_at(code, max(0, min(cursor, len(code))))
    if tag is None or not tag.content.startswith("py:"):
        return None
    return tag.content.removeprefix("py:").strip() or None


def macro_at(code: str, cursor: int) -> Tag | None:
    """The `{{NAME}}` in which the cursor stands."""
    return _tag_at(code, cursor, "{{", "}}")


def _tag_at(code: str, cursor: int, opening: str, closing: str) -> Tag | None:
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
    return Tag(start, end, code[start:end], closed)


def is_unfinished(code: str) -> bool:
    """Whether a prompt goes on in a further line: a tag is open, or it ends with a backslash."""
    opening = code.rfind("@[")
    is_open = opening >= 0 and "]" not in code[opening:]
    return is_open or code.endswith("\\")


def python_names(namespace: Mapping[str, Any], hidden: Mapping[str, Any]) -> list[str]:
    """The names that the user made, without IPython's own."""
    return [
        name
        for name in list(namespace)
        if isinstance(name, str) and name not in hidden and not name.startswith("_")
    ]
