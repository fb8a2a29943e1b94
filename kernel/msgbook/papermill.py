"""Support for papermill: parameters become a Python cell, not a message.

Papermill imports this module by an entry point for engines, its only extension point. The engine
itself is papermill's.
"""

from __future__ import annotations

from papermill.engines import NBClientEngine
from papermill.translators import PythonTranslator, papermill_translators

from msgbook_format.syntax import LANGUAGE


class CellTranslator(PythonTranslator):  # type: ignore[misc]  # a base class without types
    """Writes parameters as the `%%python` cell of a msgbook notebook."""

    @classmethod
    def codify(cls, parameters: dict[str, object], comment: str = "Parameters") -> str:
        """Return the source of the cell."""
        return f"%%python\n{super().codify(parameters, comment)}"


class MsgEngine(NBClientEngine):  # type: ignore[misc]
    """Papermill's own engine under the name msgbook."""


papermill_translators.register(LANGUAGE, CellTranslator)
