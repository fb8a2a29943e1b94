"""Contexts of prompts that a later turn resolved, because the prompts had none of their own. Pure.

A prompt that was written by hand, imported or cloned has no record of what it brought. The turn that
first needs it resolves its references and records the result in its own `context.above`, by the
prompt's id. Every request after that one sends the same text.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from msgbook.notebook import Cell, IsMagic, id_of, may_record, outputs_of, source_of
from msgbook.request.history.cell import prompt_text
from msgbook.request.history.prune import CONTEXT_KEYS, is_prompt_in_full
from msgbook.text import repair_surrogates
from msgbook_format.turn import TURN_MIME, turn_of

ABOVE = "above"
"""Key of a turn's context: the contexts that it resolved for prompts above, by the prompts' ids."""

_MADE_REQUEST = CONTEXT_KEYS | {"cells", "request_hash"}
"""Keys of a context, one of which every turn has that made a request."""
_RECORDED = frozenset({ABOVE})
_DIGEST_LENGTH = 16


LateContexts = Mapping[tuple[str, str], Mapping[str, Any]]
"""Contexts by `late_key` and `text_digest`."""


def known_late_contexts(cells: Sequence[Cell]) -> LateContexts:
    """Return the contexts that turns have recorded for prompts; the first in the notebook counts.

    A context whose id no cell has any more is that of any prompt with the same text, since programs
    give cells new ids: to a pasted cell, and in place of an id that nbformat does not allow.
    """
    known: dict[tuple[str, str], Mapping[str, Any]] = {}
    ids = {id_of(cell) for cell in cells}
    for cell in cells:
        for key, digest, context in _recorded_contexts(cell):
            known.setdefault((key if key in ids else digest, digest), context)
    return known


def find_late_context(known: LateContexts, cell: Cell, text: str) -> Mapping[str, Any] | None:
    """Return the context that was recorded for a prompt; None if there is none.

    Prompts that cannot be told apart, because they have the same text and the same id or none, share one.
    """
    digest = text_digest(text)
    return known.get((id_of(cell), digest), known.get((digest, digest)))


def with_late_contexts(cells: Sequence[Cell], is_magic: IsMagic) -> Sequence[Cell]:
    """Return the cells with the contexts that later turns recorded for them. Not in place.

    A context counts as long as the prompt's text is the same.
    """
    known = known_late_contexts(cells)
    if not known:
        return cells
    found = list(cells)
    for position, text in prompts_without_context(cells, is_magic):
        context = find_late_context(known, cells[position], text)
        if context is not None:
            found[position] = with_context(cells[position], context)
    return found


def prompts_without_context(cells: Sequence[Cell], is_magic: IsMagic) -> Iterator[tuple[int, str]]:
    """Yield position and text of each prompt that may name something and has no record of it.

    A prompt whose turn has made a request has a record, even an empty one. Excluded prompts, and
    those that are sent as a summary, are left out.
    """
    for position, cell in enumerate(cells):
        source = source_of(cell) if cell.get("cell_type") == "code" else ""
        if "@" not in source and "![" not in source:
            continue
        if not may_record(cell, _MADE_REQUEST) and is_prompt_in_full(cell, is_magic):
            yield position, prompt_text(source)


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
            merged = {**(before if isinstance(before, dict) else {}), **context}
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
        recorded = context.get(ABOVE) if isinstance(context, dict) else None
        for key, found in recorded.items() if isinstance(recorded, dict) else ():
            digest = found.get("source") if isinstance(found, dict) else None
            if isinstance(digest, str):
                yield (
                    key,
                    digest,
                    {k: v for k, v in found.items() if k in CONTEXT_KEYS | {"macros"}},
                )
