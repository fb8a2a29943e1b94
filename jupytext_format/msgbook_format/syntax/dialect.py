"""Facts on which the form of all cells of one document depends: its kernel and message section."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from msgbook_format.syntax.cell_rule import (
    CHAT_CELLS,
    OTHER_CELLS,
    CellRule,
    rule_of,
)
from msgbook_format.syntax.lines import Escaper
from msgbook_format.typed import as_dict

PYTHON_LINE = "%%python\n"
"""First line of Python code on the msgbook kernel; code without it is IPython's."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """Kernel and message section of a document."""

    rule: CellRule
    """Tells which code cells are messages."""
    language: str
    """Language of the kernel, which is the info string of its code."""
    escaper: Escaper

    @classmethod
    def from_metadata(cls, metadata: dict[str, Any], heading: str | None) -> Dialect:
        """Return the dialect of a notebook whose messages, if `heading` is set, are below it."""
        kernelspec = as_dict(metadata.get("kernelspec"))
        language_info = as_dict(metadata.get("language_info"))
        language = language_info.get("name") or kernelspec.get("language")
        return cls(
            rule=rule_of(metadata),
            language=language if isinstance(language, str) else "python",
            escaper=Escaper.for_document(heading),
        )

    @property
    def is_chat(self) -> bool:
        """True if a code cell is a message unless it is marked as code."""
        return self.rule is CHAT_CELLS

    def language_of(self, source: str) -> str:
        """Return the language of the source of a `[code]` cell."""
        if self.is_chat:
            return "python" if source.startswith(PYTHON_LINE) else "ipython"
        return self.language


def has_msgbook_kernel(metadata: dict[str, Any]) -> bool:
    """Return whether a notebook's kernel is one of msgbook's, so that it may hold messages."""
    return rule_of(metadata) is not OTHER_CELLS
