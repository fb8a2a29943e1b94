"""The laws of the format, over the fixtures, the suite, and generated notebooks and texts."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from seed_grammar import conversations

from msgbook_format import reads, writes

from . import fuzz, scattered, strategies
from .laws import (
    add_output,
    answer,
    answered,
    assert_content_survives,
    assert_every_law,
    assert_notebook_laws,
    assert_one_insertion,
    assert_only_body_changes,
    assert_text_laws,
    edit_source,
    editable,
    plain,
    unanswered,
)

SOURCES = fuzz.sources()
SLICE = settings(
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.mark.parametrize("name", [name for name in SOURCES if not name[0].isdigit()])
def test_a_fixture_keeps_every_law(name):
    """The texts of the conformance suite, whose names begin with a number, do so in test_conformance.py."""
    assert_every_law(SOURCES[name])


@SLICE
@given(strategies.texts)
def test_any_text_is_written_as_it_was_read(text):
    assert_text_laws(text)
    assert_content_survives(text)


@SLICE
@given(strategies.damaged(list(SOURCES.values())))
def test_a_damaged_text_is_written_as_it_was_read(text):
    assert_text_laws(text)
    assert_content_survives(text)


@SLICE
@given(conversations(gathered=True))
def test_a_foreign_text_is_written_as_it_was_read(written):
    assert_text_laws(written.text)
    assert_content_survives(written.text)


@SLICE
@given(strategies.notebooks)
def test_any_notebook_is_read_as_it_was_written(nb):
    assert_notebook_laws(nb)


@SLICE
@given(strategies.texts.filter(lambda text: text.endswith("\n")), st.data())
def test_an_answer_added_to_any_text_is_one_insertion(text, data):
    nb = reads(text)
    places = unanswered(nb)
    if not places:
        return
    answer(nb, data.draw(st.sampled_from(places)), data.draw(strategies.turn_outputs))

    assert_one_insertion(text, writes(nb))


@SLICE
@given(strategies.texts.filter(lambda text: text.endswith("\n")), st.data())
def test_a_further_output_added_to_any_text_is_one_insertion(text, data):
    nb = reads(text)
    places = answered(nb)
    if not places:
        return
    add_output(nb, data.draw(st.sampled_from(places)), data.draw(strategies.turn_outputs))

    written = writes(nb)

    assert_one_insertion(text, written)
    assert plain(reads(written)) == plain(nb)
    assert writes(reads(written)) == written


@SLICE
@given(strategies.texts.filter(lambda text: text.endswith("\n")), st.data())
def test_editing_a_source_changes_only_lines_of_that_body(text, data):
    nb = reads(text)
    places = editable(nb, text)
    if not places:
        return
    place = data.draw(st.sampled_from(places))
    edit_source(nb, place)

    written = writes(nb)

    assert_only_body_changes(text, written, nb, place)
    assert plain(reads(written)) == plain(nb)
    assert writes(reads(written)) == written


@SLICE
@given(strategies.texts, st.lists(strategies.edits, max_size=4))
def test_a_notebook_edited_after_reading_is_read_as_it_was_written(text, edits):
    nb = reads(text)
    for edit in edits:
        edit(nb.cells)
    nb.cells.extend(reads("# %% [^the-last]\n\n[^the-last]: [raw]\n").cells)
    expected = plain(nb)

    written = writes(nb)
    read = plain(reads(written))

    for notebook in (read, expected):
        # The first message of a section gives its document a heading.
        notebook["metadata"].get("msgbook", {}).pop("document", None)
    assert read == expected
    assert writes(reads(written)) == written


def test_a_slice_of_the_long_run_finds_nothing():
    failures, _ = fuzz.run(range(settings().max_examples))

    assert failures == []


@SLICE
@given(strategies.notebooks, st.data())
def test_footnotes_in_any_places_are_kept_there(nb, data):
    text = scattered.scatter(writes(nb), lambda count: data.draw(st.integers(0, count - 1)))

    assert_text_laws(text)
    assert_content_survives(text)
    places = unanswered(reads(text)) if text.endswith("\n") else []
    if places:
        answered_one = reads(text)
        answer(answered_one, data.draw(st.sampled_from(places)), data.draw(strategies.turn_outputs))
        assert_one_insertion(text, writes(answered_one))


@SLICE
@given(strategies.notebooks, st.data(), st.lists(strategies.edits, min_size=1, max_size=3))
def test_a_notebook_with_footnotes_in_any_places_is_read_as_it_was_edited(nb, data, edits):
    text = scattered.scatter(writes(nb), lambda count: data.draw(st.integers(0, count - 1)))
    edited = reads(text)
    for edit in edits:
        edit(edited.cells)
    edited.cells.extend(reads("# %% [^the-last]\n\n[^the-last]: [raw]\n").cells)
    expected = plain(edited)

    read = plain(reads(writes(edited)))

    for notebook in (read, expected):
        notebook["metadata"].get("msgbook", {}).pop("document", None)
    assert read == expected


ODD_TYPES = [[], {}, None, 5, True, "", "novel", ["stream"]]


@pytest.mark.parametrize("kind", ODD_TYPES, ids=repr)
@pytest.mark.parametrize("rest", [{}, {"data": {}, "metadata": {}}, {"text": 3}, {"data": [None]}])
def test_an_output_of_any_type_is_kept(kind, rest):
    output = {"output_type": kind, **rest}
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "source": "%%python\n1"}
    cell |= {"outputs": [output], "execution_count": None}

    assert_notebook_laws({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]})
    whole = f"[^a.1]: [nb] output=json encoding=json\n\n{json.dumps(output)}\n"
    further = '# %%% [^a.2]\n\n[^a.2]: [python] mime_type="text/html" alt=1\n\n<b>\n'
    assert_text_laws(f"# %% [^a]\n\n[^a]: [code]\n\n# %%% [^a.1]\n\n{whole}\n{further}")


@pytest.mark.parametrize("count", [True, False])
def test_an_execution_count_that_is_no_number_is_kept(count):
    result = {"output_type": "execute_result", "data": {"text/plain": "x"}, "metadata": {}}
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "source": "1"}
    cell |= {"outputs": [{**result, "execution_count": count}], "execution_count": None}

    assert_notebook_laws({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]})


def test_options_for_jupytext_that_are_empty_are_kept():
    metadata = {"jupytext": {}}

    assert_notebook_laws({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": []})
