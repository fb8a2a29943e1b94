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
from msgbook.notebook import Cell, source_of
from msgbook.request.history.cell import turns_of
from msgbook.request.history.prune import drop_pruned_files, prune_positions, with_late_contexts
from msgbook.request.history.reader import ReadCell, Reader
from msgbook.request.history.request import View
from msgbook.request.history.summary import known_summaries
from msgbook_format.turn import Turn
from msgbook_format.typed import as_dict

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
    verdicts: list[tuple[int, View, bool]] = []
    read: list[ReadCell] = []
    for (view, _), turns in turns_by_view.items():
        sent = drop_pruned_files(cells, reader.cell_rule, running=turns[0][0])
        read = reader.read_cells(sent, view, summaries)
        requests = _Requests(reader, view, read)
        for position, turn, recorded in turns:
            found = requests.hash_of(position, source_of(cells[position]), turn)
            verdicts.append((position, view, found == recorded))
    changes = {i for i, cell in enumerate(read) if cell.reading.messages}.union(prunes)
    return list(_stale(sorted(verdicts, key=lambda verdict: verdict[0]), changes))


def _stale(verdicts: Sequence[tuple[int, View, bool]], changes: Set[int]) -> Iterator[StaleTurn]:
    """Yield the stale ones of turns in document order.

    Args:
        verdicts: Position, view, and whether the request is what it was.
        changes: Positions of the cells that can change what is sent.
    """
    start = 0
    fresh_views: set[View] = set()
    changed: tuple[int, ...] = ()
    for position, view, is_fresh in verdicts:
        if is_fresh:
            start, changed = position, ()
            fresh_views.add(view)
            continue
        if not changed:
            above = (i for i in range(start, position) if i in changes)
            changed = (*above, position)
        yield StaleTurn(position, changed, view not in fresh_views)


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
