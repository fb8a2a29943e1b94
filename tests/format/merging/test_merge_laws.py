"""The laws of a merge, over generated histories."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from merge_histories import History, history, words_of

from msgbook_format import check, reads, writes
from msgbook_format.extras.merging import merge_texts
from msgbook_format.extras.merging.parts import merge_lines, merge_order

HISTORIES = 2 * settings.default.max_examples
"""Histories of each of the blocks."""


def assert_merge_laws(past: History) -> None:
    base, ours, theirs = past.texts
    merged = merge_texts(base, ours, theirs)

    assert_nothing_is_lost(past, merged.text)
    assert_conflicts_have_a_reason(past, merged.conflicts)
    assert_is_a_message_file(past.texts, merged)
    mirrored = merge_texts(base, theirs, ours)
    assert mirrored.conflicts == merged.conflicts
    assert words_of(mirrored.text).keys() == words_of(merged.text).keys()


def assert_nothing_is_lost(past: History, text: str) -> None:
    found = words_of(text)
    assert past.ours.words <= found.keys()
    assert past.theirs.words <= found.keys()
    # What neither deleted is there as well, byte for byte.
    base, ours, theirs = (side.by_name() for side in (past.base, past.ours, past.theirs))
    disputed = past.disputed()
    for name in {*base, *ours, *theirs} - disputed:
        sides = [side[name].text for side in (ours, theirs) if name in side]
        if name not in base or len(sides) == 2:
            changed = [side for side in sides if name not in base or side != base[name].text]
            assert (changed or sides)[0] in text


def assert_conflicts_have_a_reason(past: History, conflicts: int) -> None:
    if not past.disputed() and not past.disputed_keys():
        assert conflicts == 0


def assert_is_a_message_file(texts: tuple[str, str, str], merged) -> None:
    notebook = reads(merged.text)
    assert writes(notebook) == merged.text
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    known = {finding.code for text in texts for finding in check(text)}
    found = [finding.code for finding in check(merged.text)]
    assert set(found) - {"conflict-mark"} <= known
    assert found.count("conflict-mark") == 3 * merged.conflicts


@pytest.mark.hypothesis
@pytest.mark.parametrize("block", range(5))
def test_thousands_of_histories_keep_the_laws_of_a_merge(block):
    for seed in range(block * HISTORIES, (block + 1) * HISTORIES):
        assert_merge_laws(history(Random(seed)))


@given(st.randoms(use_true_random=False))
def test_any_history_keeps_the_laws_of_a_merge(random):
    assert_merge_laws(history(random))


@given(st.randoms(use_true_random=False))
def test_a_side_merged_with_itself_or_with_its_base_is_that_side(random):
    base, ours, theirs = history(random).texts

    assert merge_texts(base, ours, ours).text == ours
    assert merge_texts(base, base, theirs).text == theirs
    assert merge_texts(base, ours, base).text == ours


@given(st.permutations(range(8)), st.permutations(range(8)), st.sets(st.integers(0, 9)))
def test_an_order_that_only_one_side_changed_is_the_order_of_the_merge(ours, still, gone):
    base = [key for key in still if key not in gone]
    kept = set(ours) - gone

    for sides in ((ours, base), (base, ours)):
        order = merge_order(still, *sides, kept)
        assert order == [key for key in ours if key in kept]


@given(*[st.lists(st.integers(0, 12), unique=True, max_size=9)] * 3, st.sets(st.integers(0, 12)))
def test_each_cell_that_is_kept_has_one_place(base, ours, theirs, gone):
    kept = {*ours, *theirs} - gone

    order = merge_order(base, ours, theirs, kept)

    assert sorted(order) == sorted(kept)


@given(*[st.lists(st.sampled_from(["a", "b", "c", "", "d"]), max_size=12)] * 3)
def test_lines_of_both_sides_are_in_a_merge_of_lines(base, ours, theirs):
    chunks = merge_lines(base, ours, theirs)

    if ours in (base, theirs) or theirs == base:
        assert all(chunk.theirs is None for chunk in chunks)
        expected = theirs if ours == base else ours
        assert [line for chunk in chunks for line in chunk.ours] == expected
    found = {line for chunk in chunks for line in (*chunk.ours, *(chunk.theirs or ()))}
    assert ({*ours} | {*theirs}) - {*base} <= found
