"""Requests that are too long, and old turns that are summed up."""

from __future__ import annotations

import pytest
from history_cells import code, note, prompt, says

from msgbook.magics.base import UsageError
from msgbook.magics.compact import KEPT, compact
from msgbook.notebook.cells import any_magic
from msgbook.request.history.window import too_long


def weigh(message):
    return len(message["content"])


def judged(window, *pairs, fixed=0):
    """Pairs of owner and tokens."""
    messages = [{"content": "x" * tokens} for _, tokens in pairs]
    return too_long(messages, [owner for owner, _ in pairs], window, weigh, fixed=fixed)


PAIRS = [(None, 10), (0, 5), (0, 20), (1, 30), (2, 4), (3, 50)]


def test_what_fits_is_not_too_long():
    assert judged(119, *PAIRS) is None
    assert judged(119, *PAIRS, fixed=1).tokens == 120


@pytest.mark.parametrize(
    ("window", "cells", "is_enough"),
    [
        (118, (1,), True),
        (89, (1,), True),
        (88, (0, 1), True),
        (64, (0, 1), True),
        (63, (0, 1, 2), True),
        (59, (0, 1, 2), False),
    ],
)
def test_the_fewest_cells_are_named_and_never_the_running_one(window, cells, is_enough):
    found = judged(window, *PAIRS)

    assert (found.cells, found.is_enough) == (cells, is_enough)


def turns(count):
    return [prompt(f"Q{n}", says("A")) | {"id": f"q{n}"} for n in range(count)]


def test_all_but_the_last_turns_are_marked_on_the_page():
    made = compact(["1"], [*turns(3), note("n"), code("!ls")], any_magic, has_page=True)

    assert made.message == {"type": "cells.mark", "cells": ["q0", "q1"], "history": "summary"}
    assert "cell 1 (Q0)\n  cell 2 (Q1)\n" in made.text


def test_without_a_number_the_last_few_stay():
    made = compact([], turns(KEPT + 1), any_magic, has_page=True)

    assert made.message["cells"] == ["q0"]
    assert compact([], turns(KEPT), any_magic, has_page=True).message is None


def test_without_a_page_it_says_what_to_write():
    made = compact(["0"], turns(1), any_magic, has_page=False)

    assert made.message is None
    assert "%%msg history=summary" in made.text
    assert "cell 1 (Q0)" in made.text


def test_cells_without_ids_cannot_be_marked():
    made = compact(["0"], [prompt("Q", says("A"))], any_magic, has_page=True)

    assert made.message is None


def test_what_is_not_sent_whole_or_included_by_its_line_is_left_alone():
    cells = [
        prompt("a", says("A"), history="exclude"),
        prompt("b", says("A"), history="summary"),
        prompt("%%msg history=include\nc", says("A")),
        prompt("unanswered"),
        note("note"),
    ]

    assert compact(["0"], cells, any_magic, has_page=True).text.startswith("Nothing to sum up")


@pytest.mark.parametrize("words", [["x"], ["-1"], ["1", "2"]])
def test_it_takes_one_number(words):
    with pytest.raises(UsageError, match="number of turns"):
        compact(words, [], any_magic, has_page=True)
