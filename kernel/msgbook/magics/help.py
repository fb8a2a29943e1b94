"""`%help`: everything that can be typed into a cell."""

from __future__ import annotations

from collections.abc import Sequence

from msgbook.magics.base import MagicContext
from msgbook.notebook.magics_table import CELL_FORMS, LINE_MAGICS, MESSAGE_FORMS, format_help

HELP = f"""\
A cell is a message: write it and press Shift+Enter. The answer appears below it, with its reasoning
and its tool calls. The model knows only the cells above. If you edit, move or delete them, you
change the conversation.

Alone in a cell:

{format_help([form for magic in LINE_MAGICS for form in magic.forms])}

As the first line of a cell:

{format_help(CELL_FORMS)}

In a message:

{format_help(MESSAGE_FORMS)}

Settings: OPENAI_API_KEY, OPENAI_BASE_URL and MSGBOOK_MODEL in the environment, or msgbook.toml in
Jupyter's configuration directory. Without settings, the built-in demo model answers."""


async def help_text(_context: MagicContext, _words: Sequence[str]) -> str:
    """Return the help."""
    return HELP
