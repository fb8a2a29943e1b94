"""For papermill: parameters become a Python cell, not a message.

Papermill imports this by an entry point for engines, its only way in; the engine is its own.
"""

from __future__ import annotations

from papermill.engines import NBClientEngine
from papermill.translators import PythonTranslator, papermill_translators

from msgbook_format.syntax import LANGUAGE


class CellTranslator(PythonTranslator):  # type: ignore[misc]  # a base class without types
    """Writes parameters as the `%%python` cell of a msgbook notebook."""

    @classmethod
    def codify(cls, parameters: dict[str, object], comment: str = "Parameters") -> str:
        """The cell's source."""
        return f"%%python\n{super().codify(parameters, comment)}"


class MsgEngine(NBClientEngine):  # type: ignore[misc]
    """Papermill's own engine, under our name."""


papermill_translators.register(LANGUAGE, CellTranslator)
