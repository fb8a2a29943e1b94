"""Turns and kept texts as a file or a folder that somebody sent has them."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from talk import Talk

from msgbook_format.turn import TURN_MIME

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
"""A PNG of one pixel."""


def answered(
    talk: Talk,
    source: str,
    context: Any = None,
    blocks: Iterable[Any] = (),
    **keys: Any,
) -> dict[str, Any]:
    """A cell with a turn, as a file that somebody sent has it."""
    turn = {"version": 1, "status": "done", "blocks": list(blocks), "context": context or {}}
    output = {"output_type": "display_data", "metadata": {}, "data": {TURN_MIME: turn | keys}}
    return talk.add(source, outputs=[output])


def keep(talk: Talk, text: str) -> str:
    """Put a text among the project's blobs; its digest."""
    folder = talk.folder / ".msgbook" / "blobs"
    folder.mkdir(parents=True, exist_ok=True)
    digest = sha256(text.encode()).hexdigest()
    (folder / digest).write_text(text)
    return digest
