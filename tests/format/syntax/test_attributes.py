"""The type and attributes of a footnote."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook_format.syntax.attributes import (
    attributes_from_json,
    format_footnote,
    is_type,
    parse_footnote,
)


@pytest.mark.parametrize(
    ("text", "kind", "pairs"),
    [
        ("[markdown]", "markdown", []),
        ('[code] a="x y" b=1', "code", [("a", "x y"), ("b", "1")]),
        ("[bot] [reasoning=1] pinned", "bot", [("reasoning", "1"), ("pinned", True)]),
        ('[bot] [note="a b"]', "bot", [("note", "a b")]),
        (r'[bot] a="\"\u00e9\n"', "bot", [("a", '"é\n')]),
        ('[bot] a="no json \\x"', "bot", [("a", "no json \\x")]),
        ('[bot] a="open b=1', "bot", [("a", '"open'), ("b", "1")]),
        ("[bot] a=", "bot", [("a", "")]),
        ("history=none", None, [("history", "none")]),
        ("", None, []),
    ],
)
def test_a_footnote_is_type_and_attributes_in_order(text, kind, pairs):
    assert parse_footnote(text) == (kind, pairs)


@pytest.mark.parametrize("text", ["See the paper.", "a=1 and more", "[type]glued"])
def test_prose_is_no_footnote(text):
    assert parse_footnote(text) is None


@given(
    st.text().filter(is_type),
    st.lists(st.tuples(st.text(min_size=1), st.one_of(st.text(), st.just(True))).map(list)),
)
def test_what_can_be_written_is_read_back(kind, given_pairs):
    pairs = attributes_from_json(given_pairs, frozenset())

    if pairs is not None:
        assert parse_footnote(format_footnote(kind, pairs)) == (kind, pairs)
