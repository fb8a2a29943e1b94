"""The names that a prompt can use, as completion and inspection know them. No model is asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgbook.approval import Roots
from msgbook.notebook import Cell, IsMagic, any_magic, source_of

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
    is_magic: IsMagic = any_magic
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

        return macros_in_force(self.metadata, self.above(code), code, self.is_magic).values

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
