"""Cells as tools find, show and change them: code and notes, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from msgbook.errors import ToolError
from msgbook.tools.files.cells import SOURCE_LIMIT, NotebookCells
from msgbook_format.syntax import CHAT_CELLS, CODE_FIRST_CELLS, OTHER_CELLS, rule_of


def code(cell_id: str, source: str, **keys: Any) -> dict[str, Any]:
    cell = {"id": cell_id, "cell_type": "code", "source": source, "metadata": {}, "outputs": []}
    return {**cell, **keys}


def note(cell_id: str, source: str, **ours: Any) -> dict[str, Any]:
    metadata = {"msgbook": ours} if ours else {}
    return {"id": cell_id, "cell_type": "markdown", "source": source, "metadata": metadata}


PRINTED = [{"output_type": "stream", "name": "stdout", "text": "printed\n"}]
TURN = {"version": 1, "status": "done", "blocks": [{"type": "text", "text": "An answer."}]}
ANSWERED = [{"output_type": "display_data", "data": {"application/vnd.msgbook.turn+json": TURN}}]

CELLS = [
    note("note", "# A note\n\ntext"),
    note("sys", "Be brief.", role="system"),
    code("ask", "What is it?", outputs=ANSWERED),
    code("model", "%model gpt-5"),
    code("broken", "%%python\nx = 1\n1/0", outputs=PRINTED, execution_count=3),
    {"id": "raw", "cell_type": "raw", "source": "raw", "metadata": {}},
    code("secret", "%%python\nkey = 'hidden'", metadata={"msgbook": {"history": "exclude"}}),
    code("hushed", "%%msg history=exclude\nhidden", outputs=[]),
    code("run", "Mend it, please"),
]


@pytest.fixture
def cells() -> NotebookCells:
    return NotebookCells(CELLS, CHAT_CELLS, running=8)


def test_the_listing_names_each_cell_and_says_what_it_is(cells):
    assert cells.listing().splitlines() == [
        "#1 note note: # A note text",
        "#2 sys message: Be brief.",
        "#3 ask message: What is it?",
        "#4 model setting: %model gpt-5",
        "#5 broken code: %%python x = 1 1/0",
        "#6 raw raw: raw",
        "#7 secret code: (excluded)",
        "#8 hushed message: (excluded)",
        "#9 run message: Mend it, please",
    ]


def test_a_cell_is_shown_with_what_it_put_out(cells):
    assert cells.show(4) == (
        "[cell #5: code, id broken]\n%%python\nx = 1\n1/0\n\n[output]\nprinted"
    )
    assert cells.show(2) == "[cell #3: message, id ask]\nWhat is it?\n\n[answer]\nAn answer."
    assert cells.show(0) == "[cell #1: note, id note]\n# A note\n\ntext"


def test_outputs_that_somebody_excluded_are_not_shown():
    hidden = [{**PRINTED[0]}, {"output_type": "display_data", "data": {"text/plain": "seen"}, "metadata": {}}]  # fmt: skip
    hidden[1]["metadata"] = {"msgbook": {"history": "exclude"}}
    cells = NotebookCells([code("a", "%%python\nx", outputs=hidden)], CHAT_CELLS)

    assert "printed" in cells.show(0)
    assert "seen" not in cells.show(0)


def test_what_its_author_excluded_is_neither_read_nor_changed(cells):
    for position in (6, 7):
        with pytest.raises(ToolError, match="its author has excluded it"):
            cells.show(position)
    with pytest.raises(ToolError, match="its author has excluded it") as refused:
        cells.edit("secret", "key", "x")
    assert "hidden" not in str(refused.value)


def test_a_change_is_shown_as_a_diff_of_the_cell(cells):
    edit = cells.edit("broken", "1/0", "1/1\nx")

    assert edit.before == CELLS[4]["source"]
    assert edit.after == "%%python\nx = 1\n1/1\nx"
    assert edit.preview == (
        "--- cell broken\n+++ cell broken\n@@ -1,3 +1,4 @@\n %%python\n x = 1\n-1/0\n+1/1\n+x\n"
    )
    assert cells.edit("#1", "text", "words").after == "# A note\n\nwords"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("run", "it is the message that you are answering"),
        ("ask", "it is a message of the conversation"),
        ("sys", "it is a message of the conversation"),
        ("model", "it is a setting of the conversation"),
        ("raw", "it is a raw cell"),
        ("gone-cell", "no cell in this notebook has the id 'gone-cell'"),
        ("#99", "no cell in this notebook has the id '#99'"),
        ("#0", "no cell in this notebook has the id '#0'"),
        ("", "no cell in this notebook has the id ''"),
    ],
)
def test_other_cells_are_neither_changed_nor_run(cells, name, words):
    with pytest.raises(ToolError) as refused:
        cells.edit(name, "a", "b")
    assert words in str(refused.value)
    with pytest.raises(ToolError) as refused:
        cells.code_to_run(name)
    assert words in str(refused.value)


def test_a_wrong_id_is_answered_with_those_that_there_are(cells):
    assert cells.find("brok") == 4
    with pytest.raises(ToolError) as refused:
        cells.find("brokn")
    assert "broken (%%python x = 1 1/0)" in str(refused.value)


def test_a_code_cell_stays_code(cells):
    for old, new in (("%%python\n", ""), ("%%python", "%%msg"), ("%%python\n", "%model x\n")):
        with pytest.raises(ToolError, match="would no longer be code"):
            cells.edit("broken", old, new)
    assert cells.edit("broken", "%%python", "%%bash").after.startswith("%%bash\n")


def test_a_text_that_does_not_stand_there_once_is_not_replaced(cells):
    with pytest.raises(ToolError, match="was not found in cell broken"):
        cells.edit("broken", "2/0", "x")
    with pytest.raises(ToolError, match="occurs 2 times in cell broken"):
        cells.edit("broken", "1", "x")


@pytest.mark.parametrize("kind", ["code", "note"])
def test_a_change_of_ten_megabytes_is_refused(cells, kind):
    with pytest.raises(ToolError, match="is too long: 10,000,000 characters"):
        cells.edit("broken", "1/0", "x" * 10_000_000)
    with pytest.raises(ToolError, match="is too long: 10,000,000 characters"):
        cells.insert("note", kind, "x" * 10_000_000)
    long = NotebookCells([code("a", "%%python\n" + "x" * SOURCE_LIMIT)], CHAT_CELLS)
    with pytest.raises(ToolError, match="is too long"):
        long.code_to_run("a")


def test_two_cells_with_one_id_are_left_as_they_are():
    cells = NotebookCells([code("a", "%%python\nx"), code("a", "%%python\ny")], CHAT_CELLS)

    for job in (lambda: cells.edit("a", "y", "z"), lambda: cells.insert("a", "note", "n")):
        with pytest.raises(ToolError, match="2 cells have the id of cell a"):
            job()


def test_a_new_cell_of_code_is_code_in_a_chat(cells):
    new = cells.insert("note", "code", "import os")

    assert (new.position, new.after_id, new.source) == (1, "note", "%%python\nimport os")
    assert new.preview == (
        "--- new code cell below cell note\n+++ new code cell below cell note\n"
        "@@ -0,0 +1,2 @@\n+%%python\n+import os\n"
    )
    assert cells.insert("run", "code", "!ls").source == "!ls"
    note = cells.insert("", "note", "Hello")
    assert note.position == 0
    assert note.preview.startswith("--- new note at the top\n")
    with pytest.raises(ToolError, match="would not be code"):
        cells.insert("note", "code", "%model other")


def test_on_another_kernel_code_is_written_as_it_is():
    rule = rule_of({"kernelspec": {"name": "ir", "language": "R"}})
    cells = NotebookCells([code("a", "What is it?")], rule, "a.ipynb")

    assert cells.listing() == "#1 a code: What is it?"
    assert cells.insert("a", "code", "x <- 1").source == "x <- 1"
    assert cells.edit("a", "it", "that").label == "a.ipynb cell a"


def test_in_a_notebook_that_begins_with_code_only_marked_cells_are_messages():
    cells = NotebookCells(
        [code("a", "x = 1"), code("b", "%%msg\nWhat is it?"), code("c", "%model m")],
        CODE_FIRST_CELLS,
    )

    assert [cells.kind(position) for position in range(3)] == ["code", "message", "setting"]
    assert cells.edit("a", "1", "2").after == "x = 2"
    assert cells.insert("a", "code", "y = 1").source == "y = 1"
    for source in ("%%msg hi", "%model m"):
        with pytest.raises(ToolError, match="would not be code"):
            cells.insert("a", "code", source)
    with pytest.raises(ToolError, match="would no longer be code"):
        cells.edit("a", "x", "%%msg\nx")


def test_notes_and_empty_cells_are_not_run(cells):
    with pytest.raises(ToolError, match="it is a note"):
        cells.code_to_run("note")
    empty = NotebookCells([code("a", " \n")], OTHER_CELLS)
    with pytest.raises(ToolError, match="it is empty"):
        empty.code_to_run("a")
    assert cells.code_to_run("broken") == (4, CELLS[4]["source"])


@pytest.mark.parametrize(
    "cell",
    [{}, {"cell_type": "code"}, {"cell_type": 3, "source": 4, "metadata": None}, {"id": [], "outputs": 3}],
)  # fmt: skip
def test_malformed_cells_are_shown_and_left_as_they_are(cell):
    cells = NotebookCells([cell], CHAT_CELLS)

    assert cells.listing().startswith("#1 - ")
    assert str(cells.show(0)).startswith("[cell #1: ")
    with pytest.raises(ToolError):
        cells.edit("#1", "a", "b")
