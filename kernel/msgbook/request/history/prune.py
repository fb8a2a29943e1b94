"""The files that `%prune` drops from the context of earlier prompts. Pure.

For the cells below a `%prune` cell, only the newest copy of each file above it is sent. Neither the
notebook nor the requests of the cells above change. If there are several such cells, the last one
above counts: it drops everything that the others drop.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgbook.notebook import Cell, IsMagic, may_record, source_of
from msgbook.notebook.magics_table import PRUNE_MAGIC
from msgbook.request.history.cell import context_of, prompt_text, turns_of
from msgbook.request.history.kind import history_of, kind_of
from msgbook.request.records import NAME_KEYS, files_by_key, is_sent_in_full
from msgbook_format.syntax import is_excluded, is_summary
from msgbook_format.turn import TURN_MIME, turn_of

CONTEXT_KEYS = frozenset(NAME_KEYS)
"""Keys of a context whose values name texts."""


class DroppedFile(NamedTuple):
    """A file of an earlier prompt that is not sent any more."""

    cell: int
    """Position of the prompt."""
    key: str
    version: int
    sha256: str
    """Digest of its text, in hex."""
    had_text: bool
    """Whether the prompt has the text, not just a line saying that the file has not changed."""


def prune_positions(cells: Sequence[Cell]) -> list[int]:
    """Return the positions of the `%prune` cells that are not excluded from the history."""
    return [
        position
        for position, cell in enumerate(cells)
        if cell.get("cell_type") == "code"
        and source_of(cell).strip() == PRUNE_MAGIC
        and not is_excluded(history_of(cell))
    ]


def drop_pruned_files(
    cells: Sequence[Cell], is_magic: IsMagic, running: int | None = None
) -> Sequence[Cell]:
    """Return the cells with `"dropped": true` for each dropped file in its turn's `context`.

    Not in place. If there is nothing to drop, the same cells are returned.

    Args:
        running: Position of the running cell; by default below all cells.
    """
    keys: dict[int, set[str]] = {}
    for file in list_dropped_files(cells, is_magic, running):
        keys.setdefault(file.cell, set()).add(file.key)
    if not keys:
        return cells
    return [_without(cell, keys[i]) if i in keys else cell for i, cell in enumerate(cells)]


def list_dropped_files(
    cells: Sequence[Cell], is_magic: IsMagic, running: int | None = None
) -> list[DroppedFile]:
    """Return the files that `%prune` drops, in document order.

    A text is dropped together with each later line that says that the file has not changed. The
    newest copy is the last one, even if cells were moved, because a model reads them in that order.

    Args:
        running: As for `drop_pruned_files`.
    """
    mark = max(prune_positions(cells[:running]), default=None)
    if mark is None:
        return []
    files_of_cells = [(i, files_by_key(context)) for i, context in _contexts(cells, is_magic)]
    newest = {
        key: i
        for i, files in files_of_cells
        if i < mark
        for key, file in files.items()
        if is_sent_in_full(file)
    }
    found: list[DroppedFile] = []
    sent: set[tuple[str, int, str]] = set()
    dropped: set[tuple[str, int, str]] = set()
    for i, files in files_of_cells:
        for key, file in files.items():
            copy = (key, file["version"], file["sha256"])
            if file.get("dropped") is True:
                dropped.add(copy)
            elif is_sent_in_full(file) and (i >= mark or i == newest[key]):
                sent.add(copy)
            elif is_sent_in_full(file) or (copy in dropped and copy not in sent):
                dropped.add(copy)
                found.append(DroppedFile(i, *copy, is_sent_in_full(file)))
    return found


def contexts_above(cells: Sequence[Cell], is_magic: IsMagic) -> Iterator[Mapping[str, Any]]:
    """Yield the contexts of the prompts that are sent in full, in order and without dropped files."""
    return (context for _, context in contexts_by_cell(cells, is_magic))


def contexts_by_cell(
    cells: Sequence[Cell], is_magic: IsMagic
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the same, each with the position of its prompt."""
    return _contexts(drop_pruned_files(cells, is_magic), is_magic)


def is_prompt_in_full(cell: Cell, is_magic: IsMagic) -> bool:
    """Return whether a cell is a prompt with text that is neither excluded nor summarized."""
    history = history_of(cell)
    return (
        kind_of(cell, is_magic) == "prompt"
        and not is_excluded(history)
        and not is_summary(history)
        and bool(prompt_text(source_of(cell)).strip())
    )


def _contexts(cells: Sequence[Cell], is_magic: IsMagic) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for position, cell in enumerate(cells):
        # Most prompts have no context, and the checks below take longer.
        if not may_record(cell, CONTEXT_KEYS):
            continue
        context = context_of(turns_of(cell))
        if not CONTEXT_KEYS.isdisjoint(context) and is_prompt_in_full(cell, is_magic):
            yield position, context


def _without(cell: Cell, keys: set[str]) -> Cell:
    """Return a copy of a cell with these files dropped in its first turn with a context."""
    outputs = list(cell["outputs"])
    for position, output in enumerate(outputs):
        turn: Any = turn_of(output)
        context = turn.get("context") if turn else None
        if isinstance(context, dict):
            files = [
                {**file, "dropped": True}
                if isinstance(file, dict) and file.get("key") in keys
                else file
                for file in context["files"]
            ]
            turn = {**turn, "context": {**context, "files": files}}
            outputs[position] = {**output, "data": {**output["data"], TURN_MIME: turn}}
            break
    return {**cell, "outputs": outputs}
