"""`%compact`: old turns are sent as summaries."""

from __future__ import annotations

import pytest
from history_cells import code, note, prompt, says

from msgbook.magics.base import UsageError
from msgbook.magics.history import choose_turns
from msgbook.notebook.magics_table import KEPT_TURNS
from msgbook_format.syntax import CHAT_CELLS


def turns(count):
    return [prompt(f"Q{n}", says("A")) | {"id": f"q{n}"} for n in range(count)]


def test_all_but_the_last_turns_are_marked_on_the_page():
    made = choose_turns(["1"], [*turns(3), note("n"), code("!ls")], CHAT_CELLS, has_page=True)

    assert made.message == {"type": "cells.mark", "cells": ["q0", "q1"], "history": "summary"}
    assert "cell 1 (Q0)\n  cell 2 (Q1)\n" in made.text


def test_without_a_number_the_last_few_stay():
    made = choose_turns([], turns(KEPT_TURNS + 1), CHAT_CELLS, has_page=True)

    assert made.message["cells"] == ["q0"]
    assert choose_turns([], turns(KEPT_TURNS), CHAT_CELLS, has_page=True).message is None


def test_without_a_page_it_says_what_to_write():
    made = choose_turns(["0"], turns(1), CHAT_CELLS, has_page=False)

    assert made.message is None
    assert "%%msg history=summary" in made.text
    assert "cell 1 (Q0)" in made.text


def test_cells_without_ids_cannot_be_marked():
    made = choose_turns(["0"], [prompt("Q", says("A"))], CHAT_CELLS, has_page=True)

    assert made.message is None


def test_what_is_not_sent_whole_or_included_by_its_line_is_left_alone():
    cells = [
        prompt("a", says("A"), history="exclude"),
        prompt("b", says("A"), history="summary"),
        prompt("%%msg history=include\nc", says("A")),
        prompt("unanswered"),
        note("note"),
    ]

    assert choose_turns(["0"], cells, CHAT_CELLS, has_page=True).text.startswith(
        "Nothing to sum up"
    )


@pytest.mark.parametrize("words", [["x"], ["-1"], ["1", "2"]])
def test_it_takes_one_number(words):
    with pytest.raises(UsageError, match="number of turns"):
        choose_turns(words, [], CHAT_CELLS, has_page=True)
