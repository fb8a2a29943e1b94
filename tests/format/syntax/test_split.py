"""Which lines are structure, and which are content."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook_format.syntax.lines import Escaper
from msgbook_format.syntax.split import split_cells
from msgbook_format.syntax.text_cell import (
    TextCell,
    format_text_cell,
    parse_any_text_cell,
    parse_text_cell,
)

ESCAPER = Escaper.for_document(None)


@pytest.mark.parametrize(
    "line",
    ["# %%", "##### %%", "# %% ", "# %%\t", "# %% Title", "# %% [^a]", "# %%\r", "# %%[^a]"],
)
def test_a_marker_begins_a_cell(line):
    assert len(split_cells(f"{line}\n")[1]) == 1


@pytest.mark.parametrize(
    "line",
    ["#%%", "# %%Title", "# %%%%", "###### %%", " # %%", "#  %%", "\\# %%", "# %%[a]", "# %%^"],
)
def test_other_lines_begin_none(line):
    assert split_cells(f"{line}\n")[1] == []


def test_a_marker_in_an_open_fence_begins_a_cell():
    assert len(split_cells("# %%\n```\n# %%\n")[1]) == 2


@pytest.mark.parametrize(
    ("line", "title", "label"),
    [
        ("# %% [^a]", None, "a"),
        ("# %%   A title  [^a.5f3a90c2.1]  ", "A title", "a.5f3a90c2.1"),
        ("# %% [A title][^a]", "A title", "a"),
        ("# %%[^a]", None, "a"),
        ("# %%%[^a-1] ", None, "a-1"),
        ("# %%[^1] and [^a]", "[^1] and", "a"),
        ("# %% [A] and [B]", "[A] and [B]", None),
        ("# %% see [^1] there", "see [^1] there", None),
        ("# %% [^a b]", "^a b", None),
        ("# %%", None, None),
    ],
)
def test_a_marker_has_title_and_label(line, title, label):
    cell = parse_text_cell(line, ESCAPER)

    assert (cell.title, cell.label) == (title, label)


def test_only_the_own_footnote_in_front_is_metadata():
    cell = parse_text_cell("# %% [^a]\n\n[^a]: [raw] k=v\n\n[^a]: [raw]\n[^b]: x\n", ESCAPER)

    assert (cell.type, cell.attributes) == ("raw", [("k", "v")])
    assert cell.body == "[^a]: [raw]\n[^b]: x"


@pytest.mark.parametrize(
    "body",
    [
        "# %%", "\\# %%", "\\\\# %% x", "###### %%", "stdout> a", "a\n\nb", "\n", "\n\na\n ", " ",
        "\\", "\\\\\na", "  indented\n\tb  ", "a\n# %%%\nb", "",
    ],
)  # fmt: skip
def test_escaped_content_is_read_back(body):
    text = format_text_cell(TextCell(type="x", label="a", body=body), "# %%", ESCAPER)

    assert len(split_cells(text)[1]) == 1
    assert parse_text_cell(text, ESCAPER).body == body


def test_text_without_lookalikes_is_not_escaped():
    body = "# Heading\n\\alpha \\\\ %% #\n    code\n> # %%"

    assert ESCAPER.escape(body) == body


PIECES = st.sampled_from(
    ["# %%", "## %%%", " ", " [^a]", "[^b]", "\n", "\n\n", "[^a]:", "[^b]:", " [markdown]", " x=1", " flag", "body", "stdout> x", "\\# %%", "\r", "\t", "%", "title", "[^"]
)  # fmt: skip
USUAL = st.sampled_from(["# %% [^a]\n\n[^a]: [x]", "## %%% [^a]\n\n[^a]: [x] k=1\n\nbody", "# %%"])


@given(st.builds(lambda start, rest: start + "".join(rest), USUAL, st.lists(PIECES, max_size=6)))
def test_a_usual_spelling_is_read_as_any_other_is(text):
    escaper = Escaper.for_document("Log")

    assert parse_text_cell(text, escaper) == parse_any_text_cell(text, escaper)
