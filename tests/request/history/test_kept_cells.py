"""The cells that a page sends are read once, and requests below them are as if they were read anew."""

from __future__ import annotations

from typing import Any

from answered import view_of
from history_cells import odd_cells, turn_cell
from hypothesis import given
from hypothesis import strategies as st

from msgbook.notebook import KeptCell, list_turn_usage
from msgbook.request.history import Reader, known_summaries, stale_turns, with_late_contexts
from msgbook.request.prompt_checks import list_left_out
from msgbook_format.syntax import CHAT_CELLS

VIEW = view_of(0, {"agent": "m"})

Cells = list[dict[str, Any]]


def answers(cells: Cells, reader: Reader) -> list[Any]:
    """What requests, marks, warnings and counts say of cells."""
    sent = reader.read(with_late_contexts(cells, CHAT_CELLS), VIEW, known_summaries(cells))
    return [
        sent.encoded,
        sent.owners,
        reader.request_hash(sent),
        stale_turns(cells, reader, view_of),
        list(list_left_out(cells, str)),
        list_turn_usage(cells),
    ]


@given(st.lists(odd_cells, max_size=6), st.data())
def test_kept_cells_are_read_like_others_in_any_order_and_number(cells, data):
    kept = list(map(KeptCell, cells))
    reader = Reader(cell_rule=CHAT_CELLS)
    for _ in range(3):
        order = data.draw(st.lists(st.sampled_from(range(len(cells))))) if cells else []
        expected = answers([cells[n] for n in order], Reader(cell_rule=CHAT_CELLS))
        assert answers([kept[n] for n in order], reader) == expected


def test_a_cell_that_is_sent_anew_is_read_anew():
    reader = Reader(cell_rule=CHAT_CELLS)
    first = KeptCell({**turn_cell("Q", {"input_tokens": 1}), "id": "a"})
    second = KeptCell({**turn_cell("Other", {"input_tokens": 2}), "id": "a"})
    before, after = answers([first], reader), answers([second], reader)
    assert before[0] != after[0]
    assert [usage.input for usage in before[-1] + after[-1]] == [1, 2]
