"""Displays of a tool as blocks of a turn: a page draws them, and no model gets them. Pure."""

from __future__ import annotations

from typing import cast

from msgbook.events import ToolFinished
from msgbook_format.turn import Block


def display_blocks(event: ToolFinished, step: int) -> list[Block]:
    """Return a block for each display of a call that has ended, to stand below its result.

    A notice says what is left out.
    """
    keys = {"type": "display", "step": step, "id": event.id}
    blocks = [cast("Block", {**keys, "data": data}) for data in event.displays]
    if event.notice:
        blocks.append({"type": "notice", "level": "info", "text": event.notice})
    return blocks
