"""The laws of the format, over the fixtures and over generated notebooks and texts."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from msgbook_format import reads, writes
from msgbook_format.turn import TURN_MIME

from . import strategies

FIXTURES = sorted((Path(__file__).parent / "fixtures").glob("*.md"))
DERIVED_MIMES = ("text/markdown", "text/plain")
SLICE = settings(
    max_examples=100,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def plain(nb):
    """A notebook as JSON, without what a text does not hold: derived text and verbatim bits."""
    nb = json.loads(json.dumps(nb))
    for node in (nb, *nb["cells"]):
        ours = node["metadata"].get("msgbook", {})
        if ours.pop("text", None) is not None and not ours:
            del node["metadata"]["msgbook"]
    for cell in nb["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            # Beside any further type the texts do not follow from the turn.
            if TURN_MIME in data and data.keys() <= {TURN_MIME, *DERIVED_MIMES}:
                output["data"] = {TURN_MIME: data[TURN_MIME]}
    return nb


def assert_text_laws(text):
    nb = reads(text)
    before = copy.deepcopy(nb)

    assert writes(nb) == text
    assert nb == before
    assert reads(text) == nb


def assert_notebook_laws(nb):
    text = writes(nb)
    read = reads(text)

    assert plain(read) == plain(nb)
    assert writes(read) == text
    assert "text" not in read["metadata"].get("msgbook", {})
    assert not any("text" in cell["metadata"].get("msgbook", {}) for cell in read["cells"])


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_every_fixture_is_written_as_it_was_read(path):
    assert_text_laws(path.read_bytes().decode())


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_every_fixture_survives_being_written_anew(path):
    nb = reads(path.read_bytes().decode())
    for node in (nb, *nb.cells):
        node.metadata.get("msgbook", {}).pop("text", None)
        if node.metadata.get("msgbook") == {}:
            del node.metadata["msgbook"]

    assert plain(reads(writes(nb))) == plain(nb)


@SLICE
@given(strategies.texts())
def test_any_text_is_written_as_it_was_read(text):
    assert_text_laws(text)


@SLICE
@given(strategies.notebooks())
def test_any_notebook_is_read_as_it_was_written(nb):
    assert_notebook_laws(nb)


@SLICE
@given(strategies.texts(), st.lists(strategies.edits, max_size=4))
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


@SLICE
@given(strategies.notebooks())
def test_the_order_of_keys_does_not_show(nb):
    assert writes(json.loads(json.dumps(nb, sort_keys=True))) == writes(nb)
