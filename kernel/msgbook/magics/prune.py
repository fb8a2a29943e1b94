"""`%prune`: stops sending old copies of files to the cells below."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgbook.magics.base import MagicContext
from msgbook.notebook import Cell, IsMagic
from msgbook.notebook.magics_table import PRUNE_MAGIC
from msgbook.request import estimate_text_tokens
from msgbook.request.history import DroppedFile, list_dropped_files, with_late_contexts
from msgbook.text import counted, one_line, visible

_SHOWN = 20
"""Listed files."""


async def prune(context: MagicContext, _words: Sequence[str]) -> str:
    """List the copies that are not sent any more. The cell itself, by its position, drops them."""
    builder = context.engine.request_builder
    cells = (await context.transcript()).earlier
    return list_dropped(cells, builder.is_magic, builder.blobs.load)


def list_dropped(
    cells: Sequence[Cell], is_magic: IsMagic, load: Callable[[str], str | None]
) -> str:
    """List the copies that a `%prune` below some cells drops and none above it has dropped.

    Args:
        load: Returns the text with a sha256 in hex; None if it is gone.
    """
    cells = with_late_contexts(cells, is_magic)
    here: Cell = {"cell_type": "code", "source": PRUNE_MAGIC}
    before = set(list_dropped_files(cells, is_magic))
    copies = [
        copy
        for copy in list_dropped_files([*cells, here], is_magic)
        if copy.had_text and copy not in before
    ]
    if not copies:
        return "Nothing to drop: only one copy of each file above is sent."
    tokens = sum(estimate_text_tokens(load(copy.sha256) or "") for copy in copies)
    files: dict[str, list[DroppedFile]] = {}
    for copy in copies:
        files.setdefault(copy.key, []).append(copy)
    lines = [f"  {_line(key, dropped_here)}" for key, dropped_here in files.items()]
    if len(lines) > _SHOWN:
        lines[_SHOWN:] = [f"  ... and {counted(len(lines) - _SHOWN, 'more file')}"]
    head = f"No longer sent to the cells below, about {counted(tokens, 'token')} (an estimate):"
    return "\n".join([head, *lines, "The newest copy of each file is still sent."])


def _line(key: str, copies: Sequence[DroppedFile]) -> str:
    versions = ", ".join(str(copy.version) for copy in copies)
    noun = "version" if len(copies) == 1 else "versions"
    return f"{visible(one_line(key, 100))}: {noun} {versions}"
