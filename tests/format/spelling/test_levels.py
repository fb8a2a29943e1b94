"""How many `#` markers have, so that the outline of a Markdown page stays right."""

from __future__ import annotations

import re

import pytest

from msgbook_format import reads, writes

SECTION = "---\nmessage_section: Log\n---\n\n{} Log\n"


def levels(text):
    return [len(found) for found in re.findall(r"^(#+) %%", text, re.M)]


def cells(count):
    text = "".join(f"# %% [^n{n}]\n\n[^n{n}]: [raw]\n\nNew.\n\n" for n in range(count))
    return reads(text).cells


def answers():
    return reads("# %% [^p]\n\nHi\n\n# %%% [^p-1]\n\n[^p-1]: [bot]\n\nHello.\n").cells[0].outputs


@pytest.mark.parametrize(("heading", "level"), [("#", 2), ("###", 4), ("####", 5), ("######", 5)])
def test_the_first_cell_of_a_section_is_one_level_below_its_heading(heading, level):
    nb = reads(SECTION.format(heading))
    nb.cells += cells(2)

    assert levels(writes(nb)) == [level, level]


def test_the_first_cell_of_a_section_that_is_added_is_below_its_heading():
    nb = reads("---\nmessage_section: Log\n---\n\nText.\n")
    nb.cells += cells(1)

    assert writes(nb).partition("## Log\n\n")[2].startswith("### %% [^n0]")


@pytest.mark.parametrize("level", range(1, 6))
def test_new_cells_and_outputs_have_the_level_of_the_cell_before(level):
    text = f"{'#' * level} %% [^a]\n\n[^a]: [markdown]\n\nHi\n"
    nb = reads(text)
    nb.cells[0].outputs = answers()
    nb.cells += cells(2)

    written = writes(nb)

    assert written.startswith(text)
    assert levels(written) == [level] * 4
    assert writes(reads(written)) == written


def test_a_new_cell_between_others_has_the_level_of_the_one_above():
    text = "".join(f"{'#' * n} %% [^c{n}]\n\n[^c{n}]: [markdown]\n\nHi\n\n" for n in (2, 4, 3))
    nb = reads(text[:-1])
    nb.cells.insert(2, cells(1)[0])
    nb.cells[1].outputs = answers()

    assert levels(writes(nb)) == [2, 4, 4, 4, 3]


def test_levels_stay_when_the_first_cell_is_deleted():
    text = "".join(f"### %% [^c{n}]\n\n[^c{n}]: [markdown]\n\nHi\n\n" for n in range(3))
    nb = reads(text[:-1])
    del nb.cells[0]

    assert levels(writes(nb)) == [3, 3]


def test_a_file_of_one_level_needs_no_texts_of_its_cells():
    nb = reads("## %% [^a]\n\n[^a]: [raw]\n\nHi\n\n## %% [^b]\n\n[^b]: [raw]\n\nHi\n")

    assert nb.metadata["msgbook"]["text"] == {"level": "2"}
    assert all("msgbook" not in cell.metadata for cell in nb.cells)
