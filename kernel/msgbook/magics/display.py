"""`%display`: how turns are shown where no page shows them."""

from __future__ import annotations

from collections.abc import Sequence

from msgbook.magics.base import MagicContext, UsageError

_MODES = ("rich", "text")


async def display(scene: MagicContext, words: Sequence[str]) -> str:
    """Choose, or say, how turns are shown to clients that name no cells."""
    if words:
        if words[0] not in _MODES:
            raise UsageError(f"%display takes rich or text, not {words[0]!r}.")
        scene.display.as_text = words[0] == "text"
    if scene.display.as_text:
        return "Turns are written as text while they grow. In a notebook nothing changes."
    return "Turns are shown as rich output. In jupyter console, %display text shows all of them."
