"""Displays of a tool and images of a model as blocks of a turn: a page draws them. Pure."""

from __future__ import annotations

from typing import cast

from msgbook.events import ModelDisplay, ToolFinished
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


def model_display(event: ModelDisplay, step: int) -> Block:
    """Return the block of an image of the answer. Without an `id`, it is of no call."""
    block = {"type": "display", "step": step, "data": event.data}
    if event.item is not None:
        block["extra"] = {"item": event.item}
    return cast("Block", block)
