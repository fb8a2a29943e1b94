"""Which cells name their ids, and under which labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from msgbook_format.cells.head import write_cell
from msgbook_format.cells.ids import (
    derived_id,
    is_cell_id,
    labels,
    may_be_derived,
    resolve,
)
from msgbook_format.spelling.heads import FitsStart, Head, is_preamble, read_verbatim
from msgbook_format.syntax.dialect import Context
from msgbook_format.syntax.text_cell import Unit


def plan_heads(
    cells: Sequence[dict[str, Any]],
    ctx: Context,
    fits_start: FitsStart,
    *,
    ids: bool,
    verbatim: bool,
) -> list[Head]:
    """How each cell is written, so that a reader sees the cells with their ids.

    `ids` says whether cells have ids that their text does not name, as they have since nbformat
    4.5.
    """
    heads = []
    for index, cell in enumerate(cells):
        unit = write_cell(cell, ctx)
        stretch = (
            read_verbatim(cell, unit, ctx, fits_start if index == 0 else None) if verbatim else None
        )
        bare = stretch is None and index == 0 and is_preamble(cell, ctx, fits_start)
        heads.append(Head(cell, unit, stretch, bare, unnamed=_may_omit_id(cell, unit, ids)))
    _settle_ids(heads, ids, ctx)
    _settle_labels(heads)
    return heads


def _may_omit_id(cell: dict[str, Any], unit: Unit, ids: bool) -> bool:
    cell_id = cell.get("id")
    if unit.kind != "markdown" or unit.attrs:
        return False
    return cell_id is None or (ids and isinstance(cell_id, str) and may_be_derived(cell_id))


def _settle_ids(heads: list[Head], ids: bool, ctx: Context) -> None:
    """Let each head say what a reader needs to find the ids; usually there is nothing to do.

    A name that one head gets can take the id that another one's source gives, and the copy of a
    cell still claims the id of the first: spelling is changed only where that has to be.
    """
    while True:
        found = resolve([head.claim for head in heads])
        wrong = [
            head
            for head, cell_id in zip(heads, found, strict=True)
            if not _finds(head, cell_id if ids or head.claim.id is not None else None)
        ]
        blamed = _blamed(heads, wrong)
        if not blamed:
            return
        for head in blamed:
            head.name(ctx)


def _blamed(heads: list[Head], wrong: list[Head]) -> list[Head]:
    """Of the heads with wrong ids those to change, which may put the others right."""
    nameless = [head for head in wrong if not head.verbatim and (head.bare or head.unnamed)]
    if nameless:
        return _edited(nameless) or nameless
    spelled = [head for head in wrong if head.verbatim]
    foreign = {head.claim.id for head in spelled if _claims_other(head)} - {None}
    if not foreign:
        return spelled
    owned = foreign & {head.id for head in heads}
    copies = [head for head in spelled if _claims_other(head) and head.claim.id in owned]
    # Without an owner each of those that claim an id would get it in turn.
    return copies + [head for head in heads if head.verbatim and head.claim.id in foreign - owned]


def _claims_other(head: Head) -> bool:
    return head.claim.id != head.id


def _edited(heads: list[Head]) -> list[Head]:
    """The heads whose ids do not follow from their sources, however often these are there."""
    counts = Counter(head.claim.source for head in heads)
    derived = {
        source: {derived_id(source, number) for number in range(2 * count + 1)}
        for source, count in counts.items()
    }
    return [head for head in heads if head.id not in derived[head.claim.source]]


def _finds(head: Head, found: str | None) -> bool:
    if "id" not in head.cell:
        return head.claim.id is None
    return bool(found == head.cell["id"])


def _settle_labels(heads: list[Head]) -> None:
    taken = {head.verbatim.unit.label for head in heads if head.verbatim}
    new = [head for head in heads if not (head.verbatim or head.bare or head.unnamed)]
    found = labels((head.id for head in new), {label for label in taken if label})
    for head, label in zip(new, found, strict=True):
        head.unit.label = label or head.nameless
        if label and label != head.id and head.id is not None and is_cell_id(head.id):
            head.unit.attrs.insert(0, ("id", head.id))
