"""The stale turns of a notebook: their requests would be different today. Pure.

A turn keeps the hash of its first request. All requests are made again from the present notebook, in
one pass for each agent and model and each part between two `%prune` cells, and the hashes are
compared.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

from msgbook.messages import RequestHash, encode, shorten_request_hash
from msgbook.notebook import Cell, metadata_of, saved_history, source_of
from msgbook.request.history.cell import turns_of
from msgbook.request.history.prune import drop_pruned_files, prune_positions, with_late_contexts
from msgbook.request.history.reader import ReadCell, Reader
from msgbook.request.history.request import View
from msgbook.request.history.summary import known_summaries
from msgbook_format.syntax import is_excluded
from msgbook_format.turn import Turn
from msgbook_format.typed import as_count, as_dict, as_text

ViewOf = Callable[[int, Turn], View | None]
"""Returns the reader of a turn, given the cell's position and the turn; None if it is not known."""


@dataclass(frozen=True, slots=True)
class StaleTurn:
    """A turn whose request would be different today."""

    cell: int
    """Position of its cell."""
    changed: tuple[int, ...]
    """Positions of the cells that may contain the first change. They begin with the nearest turn
    above that is not stale, and end with the prompt after it. Cells that are not sent are left out,
    apart from `%prune`."""
    maybe_system: bool
    """Whether the system message may have changed as well. A turn above that is not stale, with the
    same agent and model, rules that out."""
    sure: tuple[int, ...] = ()
    """Positions of the cells that have changed as what is saved shows: answered again or excluded since.
    Only the first turn with these `changed` has them, and `is_moved`."""
    is_moved: bool = False
    """Whether more or fewer cells are sent than then, and `sure` does not say which."""


@dataclass(frozen=True, slots=True)
class _Verdict:
    """A turn that was judged."""

    cell: int
    view: View
    is_fresh: bool
    turn: Turn
    missing: int
    """Number of cells above that were sent then and are not today; negative if more are."""


def stale_turns(cells: Sequence[Cell], reader: Reader, view_of: ViewOf) -> list[StaleTurn]:
    """Return the stale turns, in document order.

    A turn without a hash, for which nothing was sent, is never stale.

    Args:
        cells: All cells of the notebook.
        reader: The reader that makes the requests, so that cells it has read are not read again.
    """
    cells = with_late_contexts(cells, reader.cell_rule)
    prunes = prune_positions(cells)
    turns_by_view: dict[tuple[View, int], list[tuple[int, Turn, str]]] = defaultdict(list)
    for position, cell in enumerate(cells):
        for turn, recorded in _hashed(cell):
            view = view_of(position, turn)
            if view is not None:
                turns_by_view[view, bisect_left(prunes, position)].append(
                    (position, turn, recorded)
                )
            break
    summaries = known_summaries(cells)
    verdicts: list[_Verdict] = []
    read: list[ReadCell] = []
    for (view, _), turns in turns_by_view.items():
        sent = drop_pruned_files(cells, reader.cell_rule, running=turns[0][0])
        read = reader.read_cells(sent, view, summaries)
        requests = _Requests(reader, view, read)
        for position, turn, recorded in turns:
            found = requests.hash_of(position, source_of(cells[position]), turn)
            missing = _cells_then(turn, requests.cells) - requests.cells
            verdicts.append(_Verdict(position, view, found == recorded, turn, missing))
    changes = {i for i, cell in enumerate(read) if cell.reading.messages}.union(prunes)
    return list(_stale(sorted(verdicts, key=lambda one: one.cell), changes, cells, reader))


def _stale(
    verdicts: Sequence[_Verdict], changes: Set[int], cells: Sequence[Cell], reader: Reader
) -> Iterator[StaleTurn]:
    """Yield the stale ones of turns in document order.

    Args:
        changes: Positions of the cells that can change what is sent.
    """
    start = 0
    fresh_views: set[View] = set()
    changed: tuple[int, ...] = ()
    for one in verdicts:
        if one.is_fresh:
            start, changed = one.cell, ()
            fresh_views.add(one.view)
            continue
        maybe_system = one.view not in fresh_views
        if changed:
            yield StaleTurn(one.cell, changed, maybe_system)
            continue
        changed = (*(i for i in range(start, one.cell) if i in changes), one.cell)
        sure = _answered_since(cells, changed, one.turn)
        if not sure and one.missing > 0:
            sure = _excluded_since(cells, range(start, one.cell), one, reader)
        yield StaleTurn(one.cell, changed, maybe_system, sure, bool(one.missing and not sure))


# What is saved of a change: when turns began, how many cells were sent, and what is excluded.


_TRIED = 5
"""Excluded cells of which each is tried."""


def _cells_then(turn: Turn, now: int) -> int:
    context: Any = turn.get("context")
    then = as_count(as_dict(context).get("cells"))
    return now if then is None else then


def _answered_since(cells: Sequence[Cell], changed: Sequence[int], turn: Turn) -> tuple[int, ...]:
    """Return those of some cells, without the turn's own, that have a turn which began after this one."""
    began = _began(turn)
    return tuple(
        position
        for position in changed[:-1]
        if any(began < _began(other) for other in turns_of(cells[position]) if began)
    )


def _began(turn: Turn) -> str:
    started: Any = turn.get("started")
    return as_text(started)


def _excluded_since(
    cells: Sequence[Cell], places: range, one: _Verdict, reader: Reader
) -> tuple[int, ...]:
    """Return the excluded cells with which the request would be the turn's: one of them, or all."""
    excluded = [position for position in places if is_excluded(saved_history(cells[position]))]
    tries: list[tuple[int, ...]] = [(position,) for position in excluded[:_TRIED]]
    tries += [tuple(excluded)] if 1 < len(excluded) <= _TRIED else []
    for sent in tries:
        if len(sent) == one.missing and _would_be_fresh(cells, sent, one, reader):
            return sent
    return ()


def _would_be_fresh(
    cells: Sequence[Cell], sent: tuple[int, ...], one: _Verdict, reader: Reader
) -> bool:
    """Return whether a turn's request would be what it was if some excluded cells were sent."""
    with_them = [
        _included(cell) if position in sent else cell
        for position, cell in enumerate(cells[: one.cell + 1])
    ]
    rule = reader.cell_rule
    above = drop_pruned_files(with_them, rule, running=one.cell)
    read = reader.read_cells(above, one.view, known_summaries(with_them))
    requests = _Requests(reader, one.view, read)
    found = requests.hash_of(one.cell, source_of(cells[one.cell]), one.turn)
    return any(found == recorded for _, recorded in _hashed(cells[one.cell]))


def _included(cell: Cell) -> Cell:
    """Return an excluded cell as it was before."""
    metadata: Any = cell.get("metadata")
    own = {**metadata_of(cell), "history": "include"}
    return {**cell, "metadata": {**as_dict(metadata), "msgbook": own}}


class _Requests:
    """The requests of one view, made in document order."""

    def __init__(self, reader: Reader, view: View, read: Sequence[ReadCell]) -> None:
        self._reader = reader
        self._view = view
        self._read = read
        self._history, self._first = reader.begin_history(read, view)
        self._position = 0
        self._hash = RequestHash()
        self._hashed = 0
        self.cells = 0
        """Number of cells so far that gave messages."""

    def hash_of(self, position: int, source: str, turn: Turn) -> str:
        """Return the hash of the request of a cell's turn. Positions must not decrease."""
        self._advance(position)
        # The last message may still grow where roles have to alternate.
        for encoded in self._history.encoded[self._hashed : -1]:
            self._hash.add(encoded)
        self._hashed = max(0, len(self._history.encoded) - 1)
        last = self._history.last_message()
        context: Any = turn.get("context")
        prompt = self._reader.prompt_message(source, context, self._view)
        if prompt is not None:
            last.add(prompt, encode(prompt), position)
        return self._hash.hexdigest(*last.encoded)

    def _advance(self, position: int) -> None:
        for owner in range(self._position, position):
            reading = self._read[owner].reading
            self.cells += bool(reading.messages)
            if owner >= self._first or not reading.system:
                self._read[owner].add_to(self._history, owner)
        self._position = position


def _hashed(cell: Cell) -> Iterator[tuple[Turn, str]]:
    """Yield the turns of a cell that have a hash, with its first digits, as `request_hash` gives them."""
    for turn in turns_of(cell):
        context: Any = turn.get("context")
        recorded = as_dict(context).get("request_hash")
        if isinstance(recorded, str):
            yield turn, shorten_request_hash(recorded)
