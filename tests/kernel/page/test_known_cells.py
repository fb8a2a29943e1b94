"""A page sends only what changed since it last answered, and the kernel never mistakes a cell."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_cells import CellsReporter

from msgbook.kernel.page.page_comms import KnownCells, MissingCellError, PageComms
from msgbook.notebook.cells import once
from msgbook.notebook.transcript import Notebook

Message = dict[str, Any]


def cell(cell_id: str, source: str = "") -> dict[str, Any]:
    return {"id": cell_id, "cell_type": "code", "source": source, "metadata": {}, "outputs": []}


def unchanged(cell_id: str) -> dict[str, Any]:
    return {"id": cell_id, "unchanged": True}


class FakeComm:
    """One page's comm: `page` gives the answer to a message, if any."""

    def __init__(self, page: Callable[[Message], Message | None], comm_id: str = "comm") -> None:
        self.comm_id = comm_id
        self.sent: list[Message] = []
        self._page = page

    def on_msg(self, callback: Callable[[Message], None]) -> None:
        self._received = callback

    def on_close(self, callback: Callable[[Message], None]) -> None:
        self.closed = callback

    def send(self, data: Message) -> None:
        self.sent.append(data)
        answer = self._page(data)
        if answer is not None:
            self.say(answer)

    def say(self, data: Message) -> None:
        self._received({"content": {"data": data}})


def opened(*comms: FakeComm) -> PageComms:
    pages = PageComms()
    for comm in comms:
        pages.comm_opened(comm, {})
    return pages


def ask(pages: PageComms, *cell_ids: str) -> list[Sequence[Any] | None]:
    """The cells that the pages show, asked one after the other."""

    async def main() -> list[Sequence[Any] | None]:
        notebooks = [await pages.cells_through(cell_id) for cell_id in cell_ids]
        return [notebook.cells if notebook else None for notebook in notebooks]

    return asyncio.run(main())


def scripted(*answers: Message) -> Callable[[Message], Message]:
    """A page that says these, one after the other, whatever it is asked."""
    left = list(answers)
    return lambda asked: {"type": "cells", "request_id": asked["request_id"], **left.pop(0)}


IDS = st.sampled_from("abcd")
STEPS = st.one_of(
    st.tuples(st.just("edit"), IDS),
    st.tuples(st.just("delete"), IDS),
    st.tuples(st.just("insert"), IDS),
    st.tuples(st.just("reverse"), st.just("")),
    st.tuples(st.sampled_from(["ask", "lose", "cross"]), IDS),
)


@given(st.lists(STEPS, max_size=30))
def test_the_kernel_has_the_cells_of_the_page_whatever_was_edited_or_lost(steps):
    page, known = CellsReporter(), KnownCells()
    shown = [cell("a"), cell("b"), cell("c")]

    def question(cell_id: str) -> Message:
        return {"request_id": "r", "cell_id": cell_id, "known": known.revision("comm")}

    def check(taken: Notebook | None, cell_id: str) -> None:
        ids = [c["id"] for c in shown]
        assert (taken is None) == (cell_id not in ids)
        assert taken is None or taken.cells == shown[: ids.index(cell_id) + 1]

    for edits, (step, cell_id) in enumerate(steps):
        if step == "edit":
            for one in shown:
                if one["id"] == cell_id:
                    one["outputs"].append({"text": str(edits)})
        elif step == "delete":
            shown = [c for c in shown if c["id"] != cell_id]
        elif step == "insert":  # the id may stand there already
            shown.insert(edits % (len(shown) + 1), cell(cell_id, str(edits)))
        elif step == "reverse":
            shown.reverse()
        elif step == "ask":
            check(known.complete("comm", page.answer(question(cell_id), shown)), cell_id)
        elif step == "lose":
            page.answer(question(cell_id), shown)
        else:
            asked = [question(cell_id), question("a")]
            answers = [page.answer(asked[0], shown)]
            for one in shown:
                one["source"] = cell_id if one["source"] != cell_id else ""
            answers.append(page.answer(asked[1], shown))
            for one in answers:
                taken = known.complete("comm", one)
            check(taken, "a")


def test_only_a_changed_cell_is_sent_again_and_the_others_are_the_same_objects():
    page, notebook = CellsReporter(), [cell("a"), cell("b"), cell("c")]
    answers = []

    def answer(asked: Message) -> Message:
        answers.append(page.answer(asked, notebook))
        return answers[-1]

    comm = FakeComm(answer)
    pages = opened(comm)
    (before,) = ask(pages, "c")
    notebook[1]["source"] = "edited"
    (after,) = ask(pages, "c")

    assert "known" not in comm.sent[0]
    assert comm.sent[1]["known"] == answers[0]["revision"]
    assert answers[1]["cells"] == [unchanged("a"), notebook[1], unchanged("c")]
    assert after == notebook
    assert [x is y for x, y in zip(before, after, strict=True)] == [True, False, True]


def test_questions_that_are_open_at_once_are_each_answered_with_what_changed():
    page, known = CellsReporter(), KnownCells()
    notebook = [cell("a"), cell("b"), cell("c")]

    def ask(cell_id: str) -> Message:
        question = {"request_id": "r", "cell_id": cell_id, "known": known.revision("comm")}
        return page.answer(question, notebook)

    known.complete("comm", ask("c"))
    notebook[1]["source"] = "edited"
    answers = [ask("b"), ask("c"), ask("c")]
    taken = [known.complete("comm", answer) for answer in answers]

    assert answers[0]["cells"] == [unchanged("a"), notebook[1]]
    assert answers[1]["cells"] == [unchanged("a"), notebook[1], unchanged("c")]
    assert [one.cells for one in taken if one] == [notebook[:2], notebook, notebook]


def test_cells_below_the_running_one_are_still_known_afterwards():
    page, known = CellsReporter(), KnownCells()
    notebook = [cell("a"), cell("b"), cell("c")]
    answers = []
    for cell_id in "cac":
        question = {"request_id": "r", "cell_id": cell_id, "known": known.revision("comm")}
        answers.append(page.answer(question, notebook))
        known.complete("comm", answers[-1])

    assert answers[2]["cells"] == [unchanged("a"), unchanged("b"), unchanged("c")]


def test_an_answer_to_a_page_that_names_no_answer_before_is_built_upon_the_latest():
    known = KnownCells()
    known.complete("comm", {"cells": [cell("a", "one")], "revision": "1"})
    known.complete("comm", {"cells": [cell("a", "two")], "revision": "2"})

    latest = known.complete("comm", {"cells": [unchanged("a")], "revision": "3"})
    named = known.complete("comm", {"cells": [unchanged("a")], "revision": "4", "since": "1"})

    assert latest is not None
    assert named is not None
    assert latest.cells == [cell("a", "two")]
    assert named.cells == [cell("a", "one")]


def test_few_answers_are_kept():
    known = KnownCells()
    for number in range(100):
        known.complete("comm", {"cells": [cell("a")], "revision": str(number)})

    with pytest.raises(MissingCellError):
        known.complete("comm", {"cells": [unchanged("a")], "revision": "100", "since": "0"})


def test_a_cell_that_the_kernel_does_not_know_makes_it_ask_for_all_of_them():
    whole = {"cells": [cell("a"), cell("b")], "revision": "3"}
    comm = FakeComm(
        scripted(
            {"cells": [cell("a")], "revision": "1"},
            {"cells": [unchanged("a"), unchanged("b")], "revision": "2"},
            whole,
        )
    )
    pages = opened(comm)

    assert ask(pages, "a", "b") == [[cell("a")], whole["cells"]]
    assert [message.get("known") for message in comm.sent] == [None, "1", None]
    assert comm.sent[1]["request_id"] == comm.sent[2]["request_id"]


def test_a_page_that_never_sends_all_cells_is_asked_twice_and_then_ignored():
    answer = {"cells": [unchanged("a")], "revision": "1"}
    comm = FakeComm(scripted(answer, answer))

    assert ask(opened(comm), "a") == [None]
    assert len(comm.sent) == 2


def test_a_page_that_names_no_revision_sends_all_cells_each_time():
    comm = FakeComm(scripted(*[{"cells": [cell("a")]}] * 2))

    assert ask(opened(comm), "a", "a") == [[cell("a")]] * 2
    assert [message.get("known") for message in comm.sent] == [None, None]


def test_a_late_answer_is_used_for_the_next_question():
    comm = FakeComm(scripted({"cells": [unchanged("a"), cell("b")], "revision": "2"}))
    pages = opened(comm)
    late = {"type": "cells", "request_id": "of a question that is over", "revision": "1"}

    comm.say({**late, "cells": [cell("a")]})

    assert ask(pages, "b") == [[cell("a"), cell("b")]]
    assert comm.sent[0]["known"] == "1"


def test_a_late_answer_that_leaves_out_unknown_cells_is_dropped():
    comm = FakeComm(scripted({"cells": [cell("a")], "revision": "2"}))
    pages = opened(comm)

    comm.say({"type": "cells", "request_id": "?", "cells": [unchanged("a")], "revision": "1"})

    assert ask(pages, "a") == [[cell("a")]]
    assert "known" not in comm.sent[0]


def test_completion_does_not_change_the_known_cells():
    comm = FakeComm(
        scripted(
            {"cells": [cell("a")], "revision": "1"},
            {"cells": [cell("a"), cell("b")]},
            {"cells": [unchanged("a")], "revision": "2"},
        )
    )
    pages = opened(comm)
    ask(pages, "a")
    assert asyncio.run(pages.all_cells()).cells == [cell("a"), cell("b")]

    assert ask(pages, "a") == [[cell("a")]]


def test_known_cells_are_kept_for_each_page_until_it_closes():
    left = FakeComm(scripted(*[{"cells": [cell("a", "left")], "revision": "1"}] * 2), "left")
    right = FakeComm(scripted(*[{"cells": None}] * 2), "right")
    pages = opened(left, right)

    ask(pages, "a")
    left.closed({})
    pages.comm_opened(left, {})
    ask(pages, "a")

    assert [message.get("known") for message in left.sent + right.sent] == [None] * 4


@pytest.mark.parametrize(
    "odd",
    [{"unchanged": True}, {"id": ["a"], "unchanged": True}, {"id": "z", "unchanged": True}],
)
def test_an_unchanged_cell_without_a_known_id_is_missing(odd):
    known = KnownCells()
    known.complete("comm", {"cells": [cell("a")], "revision": "1"})

    with pytest.raises(MissingCellError):
        known.complete("comm", {"cells": [odd], "revision": "2"})

    assert known.revision("comm") == "1"


@pytest.mark.parametrize("odd", [None, 1, ["1"], "another"])
def test_an_answer_built_upon_another_than_the_kernel_has_lacks_its_cells(odd):
    known = KnownCells()
    known.complete("comm", {"cells": [cell("a")], "revision": "1"})

    with pytest.raises(MissingCellError):
        known.complete("comm", {"cells": [unchanged("a")], "revision": "2", "since": odd})


def test_the_first_cells_of_an_answer_are_only_counted():
    known = KnownCells()
    all_cells = [cell("a"), cell("b"), cell("c")]
    first = known.complete("comm", {"cells": all_cells, "revision": "1"})
    answer = {"cells": [unchanged("c"), cell("d")], "revision": "2", "since": "1", "same": 1}
    second = known.complete("comm", answer)
    assert second.cells == [all_cells[0], all_cells[2], cell("d")]
    third = known.complete("comm", {"cells": [], "revision": "3", "since": "2", "same": 2})
    assert third.cells == [all_cells[0], all_cells[2]]
    assert third.cells[1] is first.cells[2]


@pytest.mark.parametrize("odd", [2, -1, "1", True, None, [], 10**30])
def test_more_cells_than_the_answer_has_are_missing(odd):
    known = KnownCells()
    known.complete("comm", {"cells": [cell("a")], "revision": "1"})
    with pytest.raises(MissingCellError):
        known.complete("comm", {"cells": [], "revision": "2", "since": "1", "same": odd})


@pytest.mark.parametrize("odd", [1, {"id": "a", "unchanged": 1}, {"id": "a", "unchanged": False}])
def test_a_malformed_answer_gives_its_cells_unchanged_or_none(odd):
    known = KnownCells()
    known.complete("comm", {"cells": [cell("a")], "revision": "1"})

    shown = known.complete("comm", {"cells": [odd], "revision": 2})

    assert (shown.cells if shown else None) == ([odd] if isinstance(odd, dict) else None)


def test_what_was_found_out_about_a_cell_holds_until_the_page_sends_another():
    asked = []

    @once
    def source(found):
        asked.append(found["id"])
        return found["source"]

    known = KnownCells()
    first = known.complete("comm", {"cells": [cell("a"), cell("b")], "revision": "1"})
    changed = {**cell("b"), "source": "Other words."}
    answer = {"cells": [changed], "revision": "2", "since": "1", "same": 1}
    second = known.complete("comm", answer)

    assert [*map(source, first.cells), *map(source, second.cells)] == ["", "", "", "Other words."]
    assert asked == ["a", "b", "b"]


def test_nothing_is_kept_about_a_cell_that_may_change_in_place():
    plain = cell("a")
    source = once(lambda found: found["source"])
    assert source(plain) == ""
    plain["source"] = "Other words."
    assert source(plain) == "Other words."
