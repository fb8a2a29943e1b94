"""The laws of `%prune`, over answered and edited notebooks and odd records."""

from __future__ import annotations

from typing import Any

from answered import PRUNE, Notebook, files_of_message, turn_of_cell, view_of
from history_cells import note, odd_cells, prompt, says
from hypothesis import example, given
from hypothesis import strategies as st

from msgbook.request.context.content_reference import replay_content_reference
from msgbook.request.history import (
    contexts_above,
    drop_pruned_files,
    known_summaries,
    list_dropped_files,
)
from msgbook_format.syntax import CHAT_CELLS

VIEW = view_of(0, {"agent": "m"})

keys = st.dictionaries(st.sampled_from("ab"), st.sampled_from(["one", "two"]), max_size=2)
asked = st.tuples(
    keys,
    st.sampled_from(["include", "include", "exclude", "summary"]),
    st.sampled_from(["m", "k", "a"]),
)
steps = st.lists(st.just("prune") | st.just("note") | asked, max_size=9)


def answered(steps: list[Any]) -> Notebook:
    book = Notebook()
    for number, step in enumerate(steps):
        if step == "prune":
            book.add(PRUNE)
        elif step == "note":
            book.add(note("n"))
        else:
            files, history, agent = step
            book.ask(f"Q{number}", files, {"r": "v1"}, agent, history=history)
    return book


@st.composite
def notebooks(draw: st.DrawFn) -> Notebook:
    """Answered ones, of which some were edited afterwards: cells moved, deleted, `%prune` put in."""
    book = answered(draw(steps))
    if draw(st.booleans()):
        book.cells = draw(st.permutations(book.cells))
        book.cells = [cell for cell in book.cells if draw(st.integers(0, 4))]
        book.cells.insert(draw(st.integers(0, len(book.cells))), PRUNE)
    return book


def is_prune(cell: dict[str, Any]) -> bool:
    return bool(cell["source"] == "%prune")


def unpruned(book: Notebook) -> list[dict[str, Any]]:
    return [note("") if is_prune(cell) else cell for cell in book.cells]


def copies(contexts: Any) -> list[tuple[int, dict[str, Any]]]:
    """The files of contexts, each with the number of its context."""
    return [(i, file) for i, context in enumerate(contexts) for file in context.get("files", ())]


def is_whole(file: dict[str, Any]) -> bool:
    return not file.get("unchanged") and not file.get("dropped")


@given(notebooks())
def test_the_newest_copy_of_each_file_stays_whole_and_no_other_above_the_last_prune(book):
    marks = [i for i, cell in enumerate(book.cells) if is_prune(cell)]
    above = unpruned(book)[: marks[-1]] if marks else []
    number = len(list(contexts_above(above, CHAT_CELLS)))
    newest = {
        file["key"]: i for i, file in copies(contexts_above(above, CHAT_CELLS)) if is_whole(file)
    }

    found = [
        (i, file["key"])
        for i, file in copies(contexts_above(book.cells, CHAT_CELLS))
        if i < number and is_whole(file)
    ]

    assert sorted((key, i) for i, key in found) == sorted(newest.items())


@given(notebooks())
def test_what_was_pruned_is_pruned(book):
    once = drop_pruned_files(book.cells, CHAT_CELLS)

    assert drop_pruned_files(once, CHAT_CELLS) is once
    assert list_dropped_files(once, CHAT_CELLS) == []


@given(notebooks())
def test_a_request_below_differs_in_what_was_dropped_alone(book):
    reader = book.new_reader()
    with_it = reader.read(book.cells, VIEW, known_summaries(book.cells))
    without = reader.read(unpruned(book), VIEW, known_summaries(book.cells))
    marks = {i for i, cell in enumerate(book.cells) if is_prune(cell)}
    texts = {(one.cell, one.key) for one in list_dropped_files(book.cells, CHAT_CELLS)}

    def said(history: Any) -> Any:
        for message, owner in zip(history.messages, history.owners, strict=True):
            files = files_of_message(message)
            if owner not in marks:
                others = {key: t for key, t in files.items() if (owner, key) not in texts}
                words = str(message["content"]).partition("<content_reference>")[0]
                yield owner, message["role"], message if files == others else (words, others)

    assert list(said(with_it)) == list(said(without))


@given(notebooks())
def test_an_unchanged_version_stands_whole_above_as_it_did_before(book):
    def dangling(contexts: Any) -> list[tuple[int, str]]:
        shown = set()
        found = []
        for i, file in copies(contexts):
            copy = (file["key"], file["version"], file["sha256"])
            if is_whole(file):
                shown.add(copy)
            elif not file.get("dropped") and copy not in shown:
                found.append((i, file["key"]))
        return found

    before = dangling(contexts_above(unpruned(book), CHAT_CELLS))
    assert set(dangling(contexts_above(book.cells, CHAT_CELLS))) <= set(before)


@given(steps)
def test_in_a_notebook_that_was_answered_with_prunes_nothing_refers_to_what_is_not_there(steps):
    book = answered(steps)
    for number, cell in enumerate(book.cells):
        if cell["cell_type"] == "markdown" or is_prune(cell):
            continue
        entries = turn_of_cell(cell)["context"].get("files", [])
        above = [
            files
            for message in book.reader.read(
                book.cells[:number], VIEW, known_summaries(book.cells)
            ).messages
            if (files := files_of_message(message))
        ]
        for entry in entries:
            if entry.get("unchanged"):
                assert book.blobs[entry["sha256"]] in [files.get(entry["key"]) for files in above]


SOUND = {"key": "a", "version": 1, "sha256": "0" * 64}
ODD = [
    {"version": 0},
    {"version": True},
    {"version": "2"},
    {"sha256": "odd"},
    {"sha256": None},
    {"unchanged": True},
    {"dropped": True},
]
file_entries = st.sampled_from([SOUND, SOUND | {"key": "b"}, None, *(SOUND | odd for odd in ODD)])


@given(st.lists(st.lists(file_entries, max_size=3), max_size=4))
@example([[SOUND], [SOUND | ODD[0]]])
@example([[SOUND], [SOUND | ODD[1]]])
@example([[SOUND], [SOUND | ODD[2]]])
@example([[SOUND], [SOUND | ODD[3]]])
@example([[SOUND], [SOUND | ODD[4]]])
@example([[SOUND], [SOUND | ODD[5]]])
@example([[SOUND], [SOUND | ODD[6]]])
@example([[SOUND], [SOUND, SOUND | ODD[5]]])
def test_odd_records_are_judged_as_the_block_judges_them(records):
    """One text of each key is left of those that the blocks would show."""
    cells = [prompt("Q", says("A")) for _ in records]
    for cell, files in zip(cells, records, strict=True):
        turn_of_cell(cell)["context"] = {"files": files}

    def shown(cells: Any) -> list[str]:
        contexts = [turn_of_cell(cell)["context"] for cell in cells if not is_prune(cell)]
        blocks = [
            replay_content_reference(context, lambda digest: f"text {digest}")
            for context in contexts
        ]
        files = [files_of_message({"role": "user", "content": text}) for text in blocks]
        return [key for said in files for key, text in said.items() if text.startswith("text ")]

    assert sorted(shown(drop_pruned_files([*cells, PRUNE], CHAT_CELLS))) == sorted({*shown(cells)})


@given(st.lists(odd_cells, max_size=5))
def test_no_cells_are_too_odd_to_be_pruned(cells):
    cells.append(PRUNE)

    drop_pruned_files(cells, CHAT_CELLS)
    list(contexts_above(cells, CHAT_CELLS))
