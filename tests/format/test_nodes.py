"""Notebook nodes are those that nbformat makes."""

from __future__ import annotations

import nbformat
from hypothesis import given
from hypothesis import strategies as st

from msgbook_format.nodes import as_nodes

VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
)


def types(value):
    """A value's types all the way down."""
    if isinstance(value, dict):
        return type(value), {key: types(item) for key, item in value.items()}
    return (list, [types(item) for item in value]) if isinstance(value, list) else type(value)


@given(st.dictionaries(st.text(), VALUES))
def test_nodes_are_what_nbformat_makes_of_json(value):
    expected = nbformat.from_dict(value)

    assert as_nodes(value) == expected
    assert types(as_nodes(value)) == types(expected)


def test_a_node_takes_attributes():
    node = as_nodes({"cells": [{"a": 1}]})
    node.cells[0].b = 2

    assert node == {"cells": [{"a": 1, "b": 2}]}
