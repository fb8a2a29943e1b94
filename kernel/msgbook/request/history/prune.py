"""The contexts of earlier prompts: files that `%prune` drops, and what a later turn resolved for a prompt. Pure.

For the cells below a `%prune` cell, only the newest copy of each file above it is sent. Neither the
notebook nor the requests of the cells above change. If there are several such cells, the last one
above counts: it drops everything that the others drop.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from msgbook.notebook import Cell, id_of, may_record, once, outputs_of, source_of
from msgbook.notebook.magics_table import PRUNE_MAGIC
from msgbook.request.history.cell import context_of, prompt_text, turns_of
from msgbook.request.history.request import history_of, kind_of
from msgbook.request.records import NAME_KEYS, files_by_key, is_sent_in_full
from msgbook.text import repair_surrogates
from msgbook_format.syntax import CellRule, is_excluded, is_summary
from msgbook_format.turn import TURN_MIME, turn_of
from msgbook_format.typed import as_dict

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
    return [position for position, cell in enumerate(cells) if _prunes(cell)]


@once
def _prunes(cell: Cell) -> bool:
    return (
        cell.get("cell_type") == "code"
        and source_of(cell).strip() == PRUNE_MAGIC
        and not is_excluded(history_of(cell))
    )


def drop_pruned_files(
    cells: Sequence[Cell], cell_rule: CellRule, running: int | None = None
) -> Sequence[Cell]:
    """Return the cells with `"dropped": true` for each dropped file in its turn's `context`.

    Not in place. If there is nothing to drop, the same cells are returned.

    Args:
        running: Position of the running cell; by default below all cells.
    """
    keys: dict[int, set[str]] = {}
    for file in list_dropped_files(cells, cell_rule, running):
        keys.setdefault(file.cell, set()).add(file.key)
    if not keys:
        return cells
    return [_without(cell, keys[i]) if i in keys else cell for i, cell in enumerate(cells)]


def list_dropped_files(
    cells: Sequence[Cell], cell_rule: CellRule, running: int | None = None
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
    files_of_cells = [(i, files_by_key(context)) for i, context in _contexts(cells, cell_rule)]
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


def contexts_above(cells: Sequence[Cell], cell_rule: CellRule) -> Iterator[Mapping[str, Any]]:
    """Yield the contexts of the prompts that are sent in full, in order and without dropped files."""
    return (context for _, context in contexts_by_cell(cells, cell_rule))


def contexts_by_cell(
    cells: Sequence[Cell], cell_rule: CellRule
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the same, each with the position of its prompt."""
    return _contexts(drop_pruned_files(cells, cell_rule), cell_rule)


def is_prompt_in_full(cell: Cell, cell_rule: CellRule) -> bool:
    """Return whether a cell is a prompt with text that is neither excluded nor summarized."""
    history = history_of(cell)
    return (
        kind_of(cell, cell_rule) == "prompt"
        and not is_excluded(history)
        and not is_summary(history)
        and bool(prompt_text(source_of(cell)).strip())
    )


def _contexts(
    cells: Sequence[Cell], cell_rule: CellRule
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for position, cell in enumerate(cells):
        # Most prompts have no context, and the checks below take longer.
        if not may_record(cell, CONTEXT_KEYS):
            continue
        context = context_of(turns_of(cell))
        if not CONTEXT_KEYS.isdisjoint(context) and is_prompt_in_full(cell, cell_rule):
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


# Contexts of prompts that a later turn resolved, because the prompts had none of their own. Pure.
#
# A prompt that was written by hand, imported or cloned has no record of what it brought. The turn that
# first needs it resolves its references and records the result in its own `context.above`, by the
# prompt's id. Every request after that one sends the same text.


ABOVE = "above"
"""Key of a turn's context: the contexts that it resolved for prompts above, by the prompts' ids."""

_MADE_REQUEST = CONTEXT_KEYS | {"cells", "request_hash"}
"""Keys of a context, one of which every turn has that made a request."""
_RECORDED = frozenset({ABOVE})
_DIGEST_LENGTH = 16
"""Hex digits, as of a `request_hash`."""


LateContexts = Mapping[tuple[str, str], Mapping[str, Any]]
"""Contexts by `late_key` and `text_digest`."""


def known_late_contexts(cells: Sequence[Cell]) -> LateContexts:
    """Return the contexts that turns have recorded for prompts; the first in the notebook counts.

    A context whose id no cell has any more is that of any prompt with the same text, since programs
    give cells new ids: to a pasted cell, and in place of an id that nbformat does not allow.
    """
    found = [recorded for cell in cells for recorded in _recorded_contexts(cell)]
    known: dict[tuple[str, str], Mapping[str, Any]] = {}
    ids = {id_of(cell) for cell in cells} if found else set()
    for key, digest, context in found:
        known.setdefault((key if key in ids else digest, digest), context)
    return known


def find_late_context(known: LateContexts, cell: Cell, text: str) -> Mapping[str, Any] | None:
    """Return the context that was recorded for a prompt; None if there is none.

    Prompts that cannot be told apart, because they have the same text and the same id or none, share one.
    """
    digest = text_digest(text)
    return known.get((id_of(cell), digest), known.get((digest, digest)))


def with_late_contexts(cells: Sequence[Cell], cell_rule: CellRule) -> Sequence[Cell]:
    """Return the cells with the contexts that later turns recorded for them. Not in place.

    A context counts as long as the prompt's text is the same.
    """
    known = known_late_contexts(cells)
    if not known:
        return cells
    found = list(cells)
    for position, text in prompts_without_context(cells, cell_rule):
        context = find_late_context(known, cells[position], text)
        if context is not None:
            found[position] = with_context(cells[position], context)
    return found


def prompts_without_context(
    cells: Sequence[Cell], cell_rule: CellRule
) -> Iterator[tuple[int, str]]:
    """Yield position and text of each prompt that may name something and has no record of it.

    A prompt whose turn has made a request has a record, even an empty one. Excluded prompts, and
    those that are sent as a summary, are left out.
    """
    for position, cell in enumerate(cells):
        if _may_name(cell) and is_prompt_in_full(cell, cell_rule):
            yield position, prompt_text(source_of(cell))


@once
def _may_name(cell: Cell) -> bool:
    """Return whether a code cell without a record may name something."""
    source = source_of(cell) if cell.get("cell_type") == "code" else ""
    return ("@" in source or "![" in source) and not may_record(cell, _MADE_REQUEST)


def with_context(cell: Cell, context: Mapping[str, Any]) -> Cell:
    """Return a copy of a prompt whose turn has a context. A prompt without a turn gets an empty one.

    The prompt then has a record, even if the context is empty.
    """
    context = {"cells": 0, **context}
    outputs: Any = cell.get("outputs")
    outputs = list(outputs) if isinstance(outputs, list) else []
    for position, output in enumerate(outputs):
        turn: Any = turn_of(output)
        if turn is not None:
            before = turn.get("context")
            merged = {**as_dict(before), **context}
            data = {**output["data"], TURN_MIME: {**turn, "context": merged}}
            outputs[position] = {**output, "data": data}
            return {**cell, "outputs": outputs}
    empty = {"version": 1, "status": "done", "blocks": [], "context": context}
    # After the others, whose marks in `output_history` go by position.
    outputs.append({"output_type": "display_data", "metadata": {}, "data": {TURN_MIME: empty}})
    return {**cell, "outputs": outputs}


def late_key(cell: Cell, text: str, used: Container[str]) -> str:
    """Return the key of a prompt in `context.above`: its id, or else the digest of its text.

    Args:
        used: Keys that are in use, perhaps by another prompt with the same id.
    """
    cell_id = id_of(cell)
    return cell_id if cell_id and cell_id not in used else text_digest(text)


def text_digest(text: str) -> str:
    """Return the `source` of a context: it tells whether a prompt's text is still the same."""
    return sha256(repair_surrogates(text).encode()).hexdigest()[:_DIGEST_LENGTH]


def _recorded_contexts(cell: Cell) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield key, digest and context of the prompts above that a cell's turns have resolved."""
    if not may_record(cell, _RECORDED):
        return
    for turn in map(turn_of, outputs_of(cell)):
        context: Any = turn.get("context") if turn else None
        recorded = as_dict(context).get(ABOVE)
        for key, found in as_dict(recorded).items():
            digest = as_dict(found).get("source")
            if isinstance(digest, str):
                yield (
                    key,
                    digest,
                    {k: v for k, v in found.items() if k in CONTEXT_KEYS | {"macros"}},
                )
