"""Plain values out of YAML, whatever the text says."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook_format.agents.definitions import agent_tables
from msgbook_format.syntax.yaml_nodes import YamlError, compose, plain_value


def value_of(text):
    return plain_value(compose(text))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("~", None),
        ("yes", True),
        ("0x10", 16),
        ("1_000", 1000),
        ("0.5", 0.5),
        ("-.inf", -math.inf),
        ("'5'", "5"),
        ("[a, {b: 1}]", ["a", {"b": 1}]),
        ("{1: a, b: c}", {"b": "c"}),
        ("2026-01-01", "2026-01-01"),
        ("!!int many", "many"),
        ("!!bool many", "many"),
        ("!!float many", "many"),
        ("!own text", "text"),
        ("[&a x, *a]", ["x", "x"]),
        ("9" * 60, "9" * 60),
    ],
)
def test_a_value_is_what_yaml_says(text, value):
    assert value_of(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "&a [*a]",
        "&a {b: *a}",
        "[" * 60 + "]" * 60,
        f"[{', '.join(['x'] * 10_000)}]",
    ],
)
def test_what_grows_without_bound_is_an_error(text):
    with pytest.raises(YamlError, match="too large or nested too deep"):
        value_of(text)


@given(st.text())
def test_no_frontmatter_raises(text):
    tables = agent_tables(text)

    assert all(isinstance(name, str) for name in tables.tables)


def test_the_last_of_equal_keys_counts():
    text = "agents: {a: {}}\ndefault_agent: a\nagents: {b: {x: 1}}\ndefault_agent: b\n"

    found = agent_tables(text)

    assert (found.tables, found.default, found.problems) == ({"b": {"x": 1}}, "b", ())
