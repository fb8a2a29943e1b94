"""`%prune`: of each file only the newest copy above it is sent to the cells below it."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from answered import PRUNE, Notebook, files_of_message, turn_of_cell, view_of
from history_cells import note

from msgbook.magics.history import list_dropped
from msgbook.request.history import Reader, contexts_above, drop_pruned_files, list_dropped_files
from msgbook_format.syntax import CHAT_CELLS

VIEW = view_of(0, {"agent": "m"})


def sent(book: Notebook, cells: list[dict[str, Any]] | None = None) -> list[dict[str, str]]:
    """What each block says of files, in the request of a prompt below the cells."""
    messages = book.reader.read(book.cells if cells is None else cells, VIEW).messages
    return [files for files in map(files_of_message, messages) if files]


def three_versions() -> Notebook:
    book = Notebook()
    book.ask("1", {"a": "one", "b": "B"})
    book.ask("2", {"a": "one"})
    book.ask("3", {"a": "two"})
    book.ask("4", {"a": "three"})
    book.ask("5", {"a": "three"})
    return book


def gone(version: int) -> str:
    return f"(version {version} was dropped by %prune; the newest copy is kept)"


def test_old_copies_are_dropped_and_the_newest_one_stays_with_the_words_that_refer_to_it():
    book = three_versions()
    book.add(PRUNE)

    assert sent(book) == [
        {"a": gone(1), "b": "B"},
        {"a": gone(1)},
        {"a": gone(2)},
        {"a": "three"},
        {"a": "(unchanged: version 3 above)"},
    ]


def test_a_prompt_below_goes_on_from_the_copy_that_stayed():
    book = three_versions()
    book.add(PRUNE)
    book.ask("6", {"a": "three", "b": "B"})
    book.ask("7", {"a": "one"})

    assert sent(book)[-2:] == [
        {"a": "(unchanged: version 3 above)", "b": "(unchanged: version 1 above)"},
        {"a": "one"},
    ]
    assert turn_of_cell(book.cells[-1])["context"]["files"][0]["version"] == 4


def test_the_requests_of_cells_above_stay_as_they_were():
    book = three_versions()
    before = book.reader.read(book.cells[:4], VIEW).messages
    book.cells.insert(4, PRUNE)

    assert book.reader.read(book.cells[:4], VIEW).messages == before
    assert book.reader.read(book.cells[:5], VIEW).messages != before


def test_of_two_prunes_the_later_one_drops_more_and_keeps_the_bytes_of_what_was_dropped():
    book = three_versions()
    book.add(PRUNE)
    first = book.reader.read(book.cells, VIEW)
    book.ask("6", {"a": "four"})
    book.add(PRUNE)
    second = book.reader.read(book.cells, VIEW)

    assert sent(book)[2:5] == [{"a": gone(2)}, {"a": gone(3)}, {"a": gone(3)}]
    broken_at = book.cells.index(next(c for c in book.cells if c["source"] == "4"))
    kept = [
        e for e, o in zip(first.encoded, first.owners, strict=True) if o is None or o < broken_at
    ]
    assert second.encoded[: len(kept)] == kept


@pytest.mark.parametrize(
    "cell",
    [
        {**PRUNE, "source": "%prune all"},
        {**PRUNE, "source": "%prune\nand this"},
        {**PRUNE, "source": "%pruned"},
        {**PRUNE, "cell_type": "raw"},
        note("%prune"),
        {**PRUNE, "metadata": {"msgbook": {"history": "exclude"}}},
    ],
)
def test_what_is_no_prune_drops_nothing(cell):
    book = three_versions()
    book.add(cell)

    assert drop_pruned_files(book.cells, CHAT_CELLS) is book.cells


def test_it_takes_blanks_around_it():
    book = three_versions()
    book.add({**PRUNE, "source": ["  %prune", " \n"]})

    assert sent(book)[0] == {"a": gone(1), "b": "B"}


@pytest.mark.parametrize("history", ["exclude", "summary"])
def test_a_copy_that_is_not_sent_is_not_the_newest(history):
    book = three_versions()
    for cell in book.cells[3:]:
        cell["metadata"]["msgbook"]["history"] = history
    book.add(PRUNE)

    assert list_dropped_files(book.cells, CHAT_CELLS)[-1][:3] == (1, "a", 1)
    assert {"a": "two"} in sent(book)


def test_an_emptied_prompt_brings_nothing_any_more():
    book = Notebook()
    book.ask("1", {"a": "one"})
    book.cells[0]["source"] = " "
    book.ask("2", {"a": "one"})

    assert sent(book) == [{"a": "one"}]


def test_a_word_that_refers_to_a_dropped_copy_goes_too_wherever_it_stands():
    book = Notebook()
    book.ask("1", {"a": "one"})
    book.ask("2", {"a": "two"}, history="exclude")
    book.ask("3", {"a": "one"})
    book.cells[1]["metadata"]["msgbook"].clear()
    book.cells.insert(2, PRUNE)

    assert sent(book) == [{"a": gone(1)}, {"a": "two"}, {"a": gone(1)}]


def test_a_word_that_refers_to_the_copy_that_stays_is_kept_whatever_else_is_dropped():
    book = Notebook()
    book.ask("1", {"a": "one"})
    book.ask("2", {"a": "one"})
    del turn_of_cell(book.cells[1])["context"]["files"][0]["unchanged"]
    book.ask("3", {"a": "one"})
    book.add(PRUNE)

    assert sent(book) == [{"a": gone(1)}, {"a": "one"}, {"a": "(unchanged: version 1 above)"}]


def test_rules_and_tools_stay():
    book = Notebook()
    book.ask("1", {"a": "one"}, {"r": "v1"})
    book.ask("2", {"a": "two"}, {"r": "v2"})
    book.add(PRUNE)

    assert [context["rules"] for context in contexts_above(book.cells, CHAT_CELLS)] == [
        turn_of_cell(cell)["context"]["rules"] for cell in book.cells[:2]
    ]


def test_the_notebook_stays_as_it_is_and_cells_without_old_copies_are_themselves():
    book = three_versions()
    book.add(note("n"))
    book.add(PRUNE)
    before = copy.deepcopy(book.cells)

    found = drop_pruned_files(book.cells, CHAT_CELLS)

    assert book.cells == before
    assert [one is other for one, other in zip(found, book.cells, strict=True)] == [
        False,
        False,
        False,
        True,
        True,
        True,
        True,
    ]


def test_cells_are_read_once_below_a_prune():
    book = three_versions()
    book.add(PRUNE)
    replayed = []

    def replay(text, context, vision):
        replayed.append(text)
        return text

    reader = Reader(cell_rule=CHAT_CELLS, replay=replay)
    reader.read(book.cells, VIEW)
    book.add(note("n"))
    reader.read(copy.deepcopy(book.cells), VIEW)

    assert replayed == ["1", "2", "3", "4", "5"]


def test_the_magic_says_what_it_drops_with_its_versions_and_tokens():
    book = three_versions()

    assert list_dropped(book.cells, CHAT_CELLS, book.blobs.get) == (
        "No longer sent to the cells below, about 2 tokens (an estimate):\n"
        "  a: versions 1, 2\n"
        "The newest copy of each file is still sent."
    )


def test_the_magic_tells_only_of_what_no_prune_above_has_dropped():
    book = three_versions()
    book.add(PRUNE)
    assert list_dropped(book.cells, CHAT_CELLS, book.blobs.get).startswith("Nothing to drop")

    book.ask("6", {"a": "four\u202e" * 100})
    assert "  a: version 3\n" in list_dropped(book.cells, CHAT_CELLS, book.blobs.get)


def test_the_magic_shows_odd_keys_as_they_are_and_many_files_in_short():
    book = Notebook()
    for text in ("one", "two"):
        book.ask(text, {f"{n:02}\u202e.py": text for n in range(25)})

    words = list_dropped(book.cells, CHAT_CELLS, lambda digest: None)

    assert "  00\\u202e.py: version 1\n" in words
    assert "  ... and 5 more files\n" in words
