"""Cells by name: which one a person means, and what is said where that is not clear."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook.notebook.cells import (
    NoSuchCellError,
    describe_cell_with_id,
    find_cell,
    short_ids,
    title_of,
)
from msgbook_format import reads

UUID = "5fb8acd8-7da5-4f6a-9b1c-2d3e4f5a6b7c"
LIKE_IT = "5fb8acd9-7da5-4f6a-9b1c-2d3e4f5a6b7c"

ids = st.text("ab-", min_size=1, max_size=12)


def cell(cell_id, source="Hello there"):
    return {"id": cell_id, "cell_type": "code", "source": source, "metadata": {}, "outputs": []}


def refusal(cells, name):
    with pytest.raises(NoSuchCellError) as caught:
        find_cell(cells, name, "above")
    return str(caught.value), list(caught.value.details)


@pytest.mark.parametrize(
    ("name", "position"),
    [(UUID, 0), (UUID[:8], 0), (LIKE_IT[:9], 1), ("ask", 2), ("ask-", 3), ("ask-again", 3)],
)
def test_a_cell_is_found_by_its_id_or_by_what_only_its_id_begins_with(name, position):
    cells = [cell(one) for one in (UUID, LIKE_IT, "ask", "ask-again")]

    assert find_cell(cells, name, "above") == position


@given(st.lists(ids, min_size=1, max_size=6), ids)
def test_a_cell_is_found_if_it_has_the_id_or_alone_begins_so_else_some_are_named(all_ids, name):
    cells = [cell(one) for one in all_ids]
    begin = {one for one in all_ids if one.startswith(name)}

    if name in all_ids or (len(begin) == 1 and len(name) >= 4):
        found = all_ids[find_cell(cells, name, "above")]
        assert found == name or {found} == begin
    else:
        _, listed = refusal(cells, name)
        assert 0 < len(listed) <= 11


@given(st.lists(ids, min_size=1, max_size=6))
def test_what_a_list_shows_of_an_id_names_the_cell(all_ids):
    cells = [cell(one, "x") for one in all_ids]

    for position, cell_id in enumerate(all_ids):
        shown = describe_cell_with_id(cells, position).partition("[")[2].partition("]")[0]
        assert all_ids[find_cell(cells, shown, "above")] == cell_id


@given(st.lists(ids | st.just(""), max_size=8))
def test_a_short_id_has_eight_characters_or_the_first_that_no_other_id_shares(all_ids):
    for own, shown in zip(all_ids, short_ids([cell(one) for one in all_ids]), strict=True):
        others = set(all_ids) - {own}
        enough = (n for n in range(8, 20) if not any(o.startswith(own[:n]) for o in others))
        assert shown == (own[: next(enough, 20)] if len(own) >= 8 else own)


def test_of_two_cells_with_one_id_the_last_is_meant():
    assert find_cell([cell("a"), cell("b"), cell("a")], "a", "above") == 2


def test_a_label_of_a_text_file_names_its_cell_and_the_beginning_of_the_id_as_well():
    label = f'# %% Why? [^ask]\n\n[^ask]: [markdown] id="{UUID}"\n\nWhy?\n'
    generated = f'\n# %% [^{LIKE_IT[:8]}]\n\n[^{LIKE_IT[:8]}]: [markdown] id="{LIKE_IT}"\n\nWhat?\n'
    cells = reads(label + generated).cells

    assert [find_cell(cells, name, "above") for name in ("ask", UUID[:8], LIKE_IT[:8])] == [0, 0, 1]
    assert find_cell([*cells, cell("ask")], "ask", "above") == 2


def test_a_copy_of_a_labelled_cell_is_not_taken_for_it():
    (labelled,) = reads(f'# %% [^ask]\n\n[^ask]: [markdown] id="{UUID}"\n\nWhy?\n').cells

    words, listed = refusal([labelled, {**labelled, "id": LIKE_IT}], "ask")

    assert words == "'ask' fits 2 cells above:"
    assert listed == [f"{UUID} (Why?)", f"{LIKE_IT} (Why?)"]


def test_the_cells_that_may_be_meant_are_named():
    words, listed = refusal([cell(UUID, "one"), cell("two"), cell(LIKE_IT, "three")], "5fb8acd")

    assert words == "'5fb8acd' fits 2 cells above:"
    assert listed == [f"{UUID} (one)", f"{LIKE_IT} (three)"]


@pytest.mark.parametrize(
    ("name", "listed"),
    [("5fb8acdd", [UUID, LIKE_IT]), ("twin", ["two"]), ("5f", [UUID, LIKE_IT])],
)
def test_where_no_cell_is_meant_the_nearest_are_named(name, listed):
    cells = [cell(UUID), cell("two"), cell(LIKE_IT)]

    words, found = refusal(cells, name)

    assert words.startswith(f"no cell above has the id {name!r}")
    assert words.endswith("; the nearest are:")
    assert found == [f"{one} (Hello there)" for one in listed]


def test_where_no_cell_is_near_all_are_named_and_none_is_called_near():
    words, found = refusal([cell("one"), cell("two")], "zz zz")

    assert words.endswith("; the cells are:")
    assert len(found) == 2


def test_ten_cells_are_named_at_most():
    _, listed = refusal([cell(f"cell-{number}") for number in range(13)], "cell")

    assert listed == [*(f"cell-{n} (Hello there)" for n in range(10)), "... and 3 more"]


@pytest.mark.parametrize("cells", [[], [{"cell_type": "code", "source": "x"}], [cell(7)]])
@pytest.mark.parametrize("name", ["", "ask"])
def test_where_no_cell_has_an_id_that_is_said(cells, name):
    assert refusal(cells, name) == (f"no cell above has the id {name!r}, nor any other", [])


def test_ids_cannot_steer():
    words, listed = refusal([cell("a\x1b[31m\nb", "t\x1b")], "\x1bzz\n")

    assert (words + "".join(listed)).isprintable()


@pytest.mark.parametrize(
    ("cell_id", "shown"),
    [(UUID, "cell 1 [5fb8acd8] (Hello there)"), ("ask", "cell 1 [ask] (Hello there)")],
)
def test_a_cell_is_shown_with_the_beginning_of_its_id(cell_id, shown):
    assert describe_cell_with_id([cell(cell_id)], 0) == shown


def test_a_cell_without_an_id_is_shown_by_its_place_alone():
    assert describe_cell_with_id([cell(None)], 0) == "cell 1 (Hello there)"


def test_a_title_is_one_line_of_a_bounded_length():
    title = title_of({"cell_type": "markdown", "source": "a\nb " + "c" * 100})

    assert title.startswith("a b ccc")
    assert len(title) <= 40
