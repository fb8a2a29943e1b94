"""The decision which cells are msgbook's, and which are IPython's."""

from __future__ import annotations

from typing import Any

from msgbook.display.failure import Failure
from msgbook.notebook import is_own_magic, is_prompt, missing_magic
from msgbook.notebook.magics_table import CONTINUE_MAGIC, OWN_MAGICS, PYTHON_MAGIC
from msgbook.text import one_line
from msgbook_format.syntax import MSG_MAGIC

NOT_SENT = (
    "This was not sent to a model: the request names no cell and asks not to be kept in the history, "
    "as clients do with code of their own. To run Python, begin the code with %%python.\n"
)
"""Shown for a request that is not sent to a model."""

_SHOWN = 60
"""Characters of a magic's name that an error quotes."""


class Routing:
    """Decides whether msgbook or IPython runs a cell.

    Args:
        magics_manager: IPython's; magics may be registered at any time.
    """

    def __init__(self, magics_manager: Any) -> None:
        self._manager = magics_manager

    def is_msgbook_cell(self, code: str) -> bool:
        """Return whether a cell is a prompt or one of msgbook's magics."""
        return bool(code.strip()) and (is_own_magic(code) or is_prompt(code, self.is_magic))

    def refuse(self, code: str) -> Failure | None:
        """Return why a cell cannot run: it begins with a cell magic that is not registered."""
        missing = missing_magic(code, self.is_magic)
        if missing is None:
            return None
        name = one_line(missing, _SHOWN)
        return Failure(
            "UnknownMagicError",
            f"There is no magic {name} that runs this code. Load the extension that has it "
            "(%load_ext NAME) and run the cell again. To send the cell as a message, write a "
            f"backslash in front of it: \\{name}",
        )

    def is_magic(self, name: str) -> bool:
        """Return whether IPython or msgbook has a magic of that name (`%time`, `%%bash`)."""
        if name in OWN_MAGICS or name == PYTHON_MAGIC:
            return True
        kind = "cell" if name.startswith("%%") else "line"
        return name.lstrip("%") in self._manager.magics[kind]

    def magic_names(self) -> list[str]:
        """Return the names of all magics, with their percent signs."""
        found = self._manager.magics
        lines, cells = ((f"%{name}" for name in found["line"]), (f"%%{n}" for n in found["cell"]))
        return [*{*OWN_MAGICS, CONTINUE_MAGIC, MSG_MAGIC, PYTHON_MAGIC, *lines, *cells}]


def strip_python_magic(lines: list[str]) -> list[str]:
    """Remove a leading `%%python`: it runs here, not in another process as IPython's own magic."""
    for number, line in enumerate(lines):
        if line.strip() == PYTHON_MAGIC:
            return lines[number + 1 :]
        if line.strip():
            break
    return lines
