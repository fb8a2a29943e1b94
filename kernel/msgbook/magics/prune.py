"""`%prune`: old copies of files are not sent to the cells below."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgbook.magics.base import MagicContext
from msgbook.notebook.cells import Cell, IsMagic
from msgbook.request.history import PRUNE_MAGIC, Dropped, dropped
from msgbook.request.token_estimates import estimate_text_tokens
from msgbook.text import counted, one_line, visible

_SHOWN = 20
"""Files that are listed."""


async def prune(scene: MagicContext, _words: Sequence[str]) -> str:
    """Say what is not sent any more: the cell itself drops it, by standing where it stands."""
    builder = scene.engine.request_builder
    cells = (await scene.transcript()).earlier
    return told(cells, builder.is_magic, builder.blobs.load)


def told(cells: Sequence[Cell], is_magic: IsMagic, load: Callable[[str], str | None]) -> str:
    """What a `%prune` below some cells drops that none above it has dropped.

    Args:
        load: Gives the text with a sha256 in hex; None when it is gone.
    """
    here: Cell = {"cell_type": "code", "source": PRUNE_MAGIC}
    before = set(dropped(cells, is_magic))
    texts = [
        one for one in dropped([*cells, here], is_magic) if one.was_whole and one not in before
    ]
    if not texts:
        return "Nothing to drop: of each file above, one copy is sent."
    tokens = sum(estimate_text_tokens(load(one.sha256) or "") for one in texts)
    files: dict[str, list[Dropped]] = {}
    for one in texts:
        files.setdefault(one.key, []).append(one)
    lines = [f"  {_line(key, copies)}" for key, copies in files.items()]
    if len(lines) > _SHOWN:
        lines[_SHOWN:] = [f"  ... and {counted(len(lines) - _SHOWN, 'more file')}"]
    head = f"Not sent to the cells below, about {counted(tokens, 'token')} (an estimate):"
    return "\n".join([head, *lines, "The newest copy of each file is sent as before."])


def _line(key: str, copies: Sequence[Dropped]) -> str:
    versions = ", ".join(str(one.version) for one in copies)
    noun = "version" if len(copies) == 1 else "versions"
    return f"{visible(one_line(key, 100))}: {noun} {versions}"
