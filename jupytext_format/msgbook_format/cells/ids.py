"""Ids of cells: those that texts name, and those that follow from a source; labels for them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import NamedTuple

PREAMBLE_ID = "preamble"
"""Id of the note before the first marker."""

_CELL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_LABEL_LENGTH = 20
_SHORT_LENGTH = 8


class Claim(NamedTuple):
    """Id that the text of a cell names, and the source that it follows from otherwise."""

    id: str | None
    """Id that the text names; None if it names none, or one that nbformat forbids."""
    source: str
    """Source of the cell, from which its id follows if the text names none."""


def is_cell_id(text: str | None) -> bool:
    """Return whether nbformat 4.5 allows `text` as the id of a cell."""
    return text is not None and bool(_CELL_ID.fullmatch(text))


def resolve_ids(claims: Sequence[Claim]) -> list[str]:
    """Return the ids of cells: the first claim of an id wins, other ids follow from the source."""
    taken: set[str] = set()
    ids: list[str | None] = []
    for claim in claims:
        mine = claim.id if claim.id is not None and claim.id not in taken else None
        if mine is not None:
            taken.add(mine)
        ids.append(mine)
    counts: dict[str, int] = {}
    return [
        given if given is not None else _derived(claim.source, taken, counts)
        for given, claim in zip(ids, claims, strict=True)
    ]


def nameless_label(content: str) -> str:
    """Return a label, which is no id, that follows from `content` of a cell without id."""
    return "c." + sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:_SHORT_LENGTH]


def derived_id(source: str, count: int) -> str:
    """Return the id that follows from a source; cells with one source count from 0."""
    text = f"{count}\n{source}".encode("utf-8", "surrogatepass")
    return "m" + sha256(text).hexdigest()[:10]


def may_be_derived(cell_id: str) -> bool:
    """Return whether `cell_id` has the shape of an id that follows from a source."""
    return len(cell_id) == 11 and cell_id[0] == "m"


def _derived(source: str, taken: set[str], counts: dict[str, int]) -> str:
    while True:
        count = counts.get(source, 0)
        counts[source] = count + 1
        cell_id = derived_id(source, count)
        if cell_id not in taken:
            taken.add(cell_id)
            return cell_id


def make_labels(ids: Iterable[str | None], taken: set[str]) -> list[str | None]:
    """Return a short label for each id: the id itself if it is short, else its start or a hash.

    `taken` are labels that other cells have; it is changed in place. None stays None.
    """
    ids = list(ids)
    taken.update(cell_id for cell_id in ids if cell_id is not None and _is_short(cell_id))
    return [_label(cell_id, taken) for cell_id in ids]


def _label(cell_id: str | None, taken: set[str]) -> str | None:
    if cell_id is None or _is_short(cell_id):
        return cell_id
    label = cell_id[:_SHORT_LENGTH]
    digest = sha256(cell_id.encode("utf-8", "surrogatepass")).hexdigest()
    length = _SHORT_LENGTH
    while label in taken or not is_cell_id(label):
        label = digest[:length]
        length += 1
    taken.add(label)
    return label


def _is_short(cell_id: str) -> bool:
    return len(cell_id) <= _LABEL_LENGTH and is_cell_id(cell_id)
