"""`%display`: chooses how turns are shown to clients without a page."""

from __future__ import annotations

from collections.abc import Sequence

from msgbook.magics.base import MagicContext, UsageError

_MODES = ("rich", "text")


async def display(context: MagicContext, words: Sequence[str]) -> str:
    """Choose, or show, how turns are displayed to clients that send no cell ids."""
    if words:
        if words[0] not in _MODES:
            raise UsageError(f"Expected %display text or %display rich, got {words[0]!r}.")
        context.display.as_text = words[0] == "text"
    if context.display.as_text:
        return "Turns are written as text while they grow. Notebooks are not affected."
    return "Turns are shown as rich output. In jupyter console, use %display text to see them grow."
