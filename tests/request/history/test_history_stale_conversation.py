"""What belongs to a conversation makes no turn stale; an edit makes those below it stale."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from answered import PRUNE, Notebook, turn_of_cell, view_of
from history_cells import code, note
from hypothesis import given
from hypothesis import strategies as st

from msgbook.request.history.stale import stale_turns

RULES = {"r": "Be brief."}


def conversation() -> Notebook:
    """References, rules, summaries, prunes, four agents whose servers want other requests."""
    book = Notebook()
    book.add(note("Rhyme.", role="system"))
    book.ask("one", {"a": "1", "b": "B"}, RULES)
    book.ask("two", {"a": "2"}, RULES, agent="keeps")
    book.ask("three", {"a": "2"}, RULES, history="summary")
    book.add(PRUNE)
    book.ask("four", {"a": "2", "b": "B"}, {"r": "Be clear."}, agent="alternating")
    book.add({**PRUNE, "source": "%macros -d A"})
    book.ask("five", {"a": "3"}, RULES, agent="vision")
    book.add(code("%%python\n1", {"output_type": "stream", "text": "1\n"}))
    book.ask("six", {"a": "4"}, RULES, history="exclude")
    book.add(PRUNE)
    book.add(note("late", role="system"))
    book.ask("seven", {"a": "4", "b": "C"}, RULES)
    book.ask("eight", {"a": "4"}, RULES, agent="keeps")
    return book


ASKED = [1, 2, 3, 5, 7, 9, 12, 13]


def stale_cells(book: Notebook, cells: list[dict[str, Any]] | None = None) -> list[int]:
    cells = book.cells if cells is None else cells
    return [one.cell for one in stale_turns(cells, book.new_reader(), view_of)]


def test_in_an_unedited_conversation_no_turn_is_stale():
    book = conversation()

    assert stale_cells(book) == []
    assert [one.cell for one in stale_turns(book.cells, book.reader, view_of)] == []
    assert stale_cells(book, copy.deepcopy(book.cells)) == []


@pytest.mark.parametrize("position", [0, 1, 2, 5, 7, 8, 11, 12, 13])
def test_an_edited_cell_makes_exactly_the_turns_below_it_stale(position):
    book = conversation()
    book.cells[position]["source"] += " (edited)"

    assert stale_cells(book) == [asked for asked in ASKED if asked >= position]


@pytest.mark.parametrize("position", [1, 2, 5, 7, 12])
def test_an_edited_answer_makes_exactly_the_turns_below_it_stale(position):
    book = conversation()
    turn_of_cell(book.cells[position])["blocks"][-1]["text"] = "edited"

    assert stale_cells(book) == [asked for asked in ASKED if asked > position]


def test_edited_reasoning_makes_the_turns_stale_that_were_sent_it():
    book = conversation()
    turn_of_cell(book.cells[1])["blocks"][0]["text"] = "edited"
    assert stale_cells(book) == []

    turn_of_cell(book.cells[2])["blocks"][0]["text"] = "edited"
    assert stale_cells(book) == [13]


def test_a_prune_that_is_put_in_makes_the_turns_stale_that_were_sent_what_it_drops():
    """Those below the next prune were not."""
    book = conversation()
    book.cells.insert(8, PRUNE)

    [found] = stale_turns(book.cells, book.reader, view_of)
    assert found.cell == 10
    assert 8 in found.changed


def test_a_prune_that_drops_nothing_makes_nothing_stale():
    book = conversation()
    book.cells.insert(2, PRUNE)

    assert stale_cells(book) == []


def test_a_prune_that_is_deleted_makes_the_turns_below_it_stale():
    book = conversation()
    del book.cells[4]

    assert stale_cells(book) == [4, 6, 8]


keys = st.dictionaries(st.sampled_from("ab"), st.sampled_from(["one", "two"]), max_size=2)
asked = st.tuples(
    keys,
    st.sampled_from([{}, RULES, {"r": "other"}]),
    st.sampled_from(["mine", "keeps", "alternating", "vision"]),
    st.sampled_from(["include", "include", "exclude", "summary"]),
)


def answered(steps: list[Any]) -> Notebook:
    book = Notebook()
    for number, step in enumerate(steps):
        if step == "prune":
            book.add(PRUNE)
        elif step == "note":
            book.add(note(f"note {number}"))
        else:
            files, rules, agent, history = step
            book.ask(f"Q{number}", files, rules, agent, history=history)
    return book


@given(st.lists(asked | st.sampled_from(["prune", "note"]), max_size=8))
def test_no_conversation_makes_a_turn_stale_by_itself(steps):
    assert stale_cells(answered(steps)) == []


@given(st.lists(asked | st.sampled_from(["prune", "note"]), max_size=7), st.data())
def test_any_edit_makes_the_turns_stale_that_would_be_asked_something_else(steps, data):
    book = answered(steps)
    cells = copy.deepcopy(book.cells)
    for cell in cells:
        edit = data.draw(st.sampled_from(["", "", "", "source", "move"]))
        if edit == "source" and cell["source"] != "%prune":
            cell["source"] += " (edited)"
        elif edit == "move":
            cells = [one for one in cells if one is not cell] + [cell]
    if data.draw(st.booleans()):
        cells.insert(data.draw(st.integers(0, len(cells))), PRUNE)

    expected = []
    for position, cell in enumerate(cells):
        if cell.get("outputs"):
            recorded = turn_of_cell(cell)["context"]["request_hash"]
            if book.hash_now(cells, position) != recorded:
                expected.append(position)

    assert stale_cells(book, cells) == expected
