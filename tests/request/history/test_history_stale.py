"""A turn is stale iff it would be asked something else today."""

from __future__ import annotations

import copy

import pytest
from history_cells import answers, calls, note, prompt, says

from msgbook.magics.history import describe_stale_turns
from msgbook.request.history import Reader, View, known_summaries, summary_record
from msgbook.request.history.stale import stale_turns
from msgbook_format.turn import TURN_MIME


def turn_of_cell(cell):
    return cell["outputs"][0]["data"][TURN_MIME]


def view_of(_position, turn):
    words = "" if turn.get("model") == "silent" else f"You are {turn['agent']}."
    return View(turn["agent"], words, alternate=turn.get("model") == "strict")


def run(cells):
    """Answer all prompts, as an engine would: each records the hash of its request."""
    reader = Reader()
    for position, cell in enumerate(cells):
        if cell["cell_type"] != "code" or not cell["outputs"]:
            continue
        turn = turn_of_cell(cell)
        view = view_of(position, turn)
        history = reader.read(cells[:position], view, known_summaries(cells[:position]))
        message = reader.prompt_message(cell["source"], {}, view)
        request = history.with_prompt(message, position)
        turn["context"] = {
            "cells": history.cells,
            "request_hash": reader.request_hash(request),
        }
        turn["started"] = f"2026-01-01T10:{position:02}:00Z"
    return cells


def conversation(model="m"):
    cells = [
        note("Rhyme.", role="system"),
        prompt("one", calls("a"), answers("a"), says("1", 2)),
        note("background"),
        prompt("two", says("2")),
        prompt("unanswered"),
        prompt("three", says("3"), history="exclude"),
        prompt("four", says("4")),
    ]
    for number, cell in enumerate(cells):
        cell["id"] = f"c{number}"
        if cell.get("outputs"):
            turn_of_cell(cell)["model"] = model
    turn_of_cell(cells[5])["agent"] = "reviewer"
    return run(cells)


def stale_cells(cells):
    return [one.cell for one in stale_turns(cells, Reader(), view_of)]


@pytest.mark.parametrize("model", ["m", "strict"])
def test_nothing_is_stale_in_an_unedited_notebook(model):
    assert stale_cells(conversation(model)) == []


def test_a_hash_of_all_digits_is_that_of_which_it_has_the_first():
    cells = conversation()
    context = turn_of_cell(cells[3])["context"]
    recorded = context["request_hash"]
    context["request_hash"] = f"sha256:{recorded}{'0' * 48}"

    assert (len(recorded), stale_cells(cells)) == (16, [])

    context["request_hash"] = f"sha256:{recorded[::-1]}{'0' * 48}"

    assert stale_cells(cells) == [3]


def edit_source(position, text):
    def edit(cells):
        cells[position]["source"] = text

    return edit


def edit_answer(cells):
    turn_of_cell(cells[3])["blocks"][0]["text"] = "other"


@pytest.mark.parametrize("model", ["m", "strict"])
@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (edit_source(0, "No rhymes."), [1, 3, 5, 6]),
        (edit_source(1, "uno"), [1, 3, 5, 6]),
        (edit_source(2, "foreground"), [3, 5, 6]),
        (edit_source(3, "zwei"), [3, 5, 6]),
        (edit_answer, [5, 6]),
        (edit_source(4, "still not"), [5, 6]),
        (edit_source(5, "excluded"), [5]),
        (edit_source(6, "last"), [6]),
        (lambda cells: cells.pop(2), [2, 4, 5]),
        (lambda cells: cells[2]["metadata"]["msgbook"].update(history="exclude"), [3, 5, 6]),
        (lambda cells: cells.append(note("below")), []),
    ],
)
def test_a_change_makes_the_turns_below_it_stale(model, edit, expected):
    cells = conversation(model)
    edit(cells)

    assert stale_cells(cells) == expected


def test_a_request_without_a_system_message_is_judged_alike():
    cells = run(conversation("silent")[1:])
    assert stale_cells(cells) == []

    cells[2]["source"] = "three"
    assert stale_cells(cells) == [2, 4, 5]


def test_it_agrees_with_running_again():
    cells = conversation()
    edit_answer(cells)
    again = run(copy.deepcopy(cells))

    hashes = [turn_of_cell(c)["context"] if c.get("outputs") else None for c in cells]
    new = [turn_of_cell(c)["context"] if c.get("outputs") else None for c in again]
    assert stale_cells(cells) == [i for i, h in enumerate(hashes) if h != new[i]]


def test_turns_without_a_hash_are_not_judged():
    cells = conversation()
    turn_of_cell(cells[1])["context"] = {}
    turn_of_cell(cells[3])["context"] = "odd"

    assert stale_cells(cells) == []


def test_a_summary_that_a_turn_recorded_is_part_of_what_it_was_sent():
    cells = conversation()[:4]
    cells[1]["metadata"]["msgbook"]["history"] = "summary"
    (missing,) = Reader().read(cells[:2], view_of(0, turn_of_cell(cells[1]))).missing
    record = summary_record(missing, "In short.")
    known = {missing.source: "In short."}
    reader, view = Reader(), view_of(3, turn_of_cell(cells[3]))
    request = reader.read(cells[:3], view, known).with_prompt(
        reader.prompt_message("two", {}, view), 3
    )
    turn_of_cell(cells[3])["context"] = {
        "request_hash": reader.request_hash(request),
        "summaries": record,
    }

    assert stale_cells(cells) == []


def test_the_magic_lists_them_with_the_first_change():
    cells = conversation()
    assert describe_stale_turns(stale_turns(cells, Reader(), view_of), cells).startswith(
        "No turn above is stale"
    )

    cells[4]["source"] = "still not"
    assert describe_stale_turns(stale_turns(cells, Reader(), view_of), cells) == (
        "2 turns above are stale: their requests would be different today.\n"
        "  cell 6 [c5] (three)\n"
        "  cell 7 [c6] (four)\n"
        "The first change is in the system message (agent, skills), or in cell 4 [c3] (two) to "
        "cell 6 [c5] (three), or a cell that was deleted there.\n"
        "Run them again from the top, so that they answer the cells as they are now."
    )


def test_the_change_is_looked_for_between_a_fresh_turn_and_the_first_stale_one():
    cells = conversation()
    turn_of_cell(cells[5])["context"] = {}
    cells[4]["source"] = "still not"

    (found,) = stale_turns(cells, Reader(), view_of)
    assert found.cell == 6
    assert found.changed == (3, 4, 6)
    assert not found.maybe_system


def edit_and_run(position, text):
    def edit(cells):
        cells[position]["source"] = text
        turn = turn_of_cell(cells[position])
        turn.update(started="2026-01-02T00:00:00Z", context={})

    return edit


def exclude(*positions):
    def edit(cells):
        for position in positions:
            cells[position]["metadata"].setdefault("msgbook", {})["history"] = "exclude"

    return edit


def both(*edits):
    def edit(cells):
        for one in edits:
            one(cells)

    return edit


@pytest.mark.parametrize("model", ["m", "strict"])
@pytest.mark.parametrize(
    ("edit", "sure", "is_moved"),
    [
        (exclude(2), (2,), False),
        (exclude(1, 2), (1, 2), False),
        (edit_source(2, "foreground"), (), False),
        (both(exclude(2), edit_source(1, "uno")), (), False),
        (lambda cells: cells.pop(2), (), True),
        (lambda cells: cells.insert(2, note("more")), (), True),
        (both(exclude(2), edit_source(3, "zwei")), (), True),
        (edit_and_run(1, "uno"), (1,), False),
    ],
)
def test_what_has_changed_is_named_where_what_is_saved_shows_it(model, edit, sure, is_moved):
    cells = conversation(model)
    edit(cells)

    first = stale_turns(cells, Reader(), view_of)[0]

    assert (first.sure, first.is_moved) == (sure, is_moved)


@pytest.mark.parametrize("odd", [None, [], {}, -1, "1", 10**30])
def test_odd_values_of_what_is_saved_name_nothing(odd):
    cells = conversation()
    for position in (1, 3, 5, 6):
        turn_of_cell(cells[position])["context"]["cells"] = odd
        turn_of_cell(cells[position])["started"] = odd
    cells[2]["source"] = "foreground"

    assert {(one.sure, one.is_moved) for one in stale_turns(cells, Reader(), view_of)} == {
        ((), False)
    }
