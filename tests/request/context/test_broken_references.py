"""References that cannot be read are told apart from those that name what is not there, and from other text."""

from __future__ import annotations

import pytest
from hostile_strings import SHORT
from hypothesis import given
from hypothesis import strategies as st

from msgbook.request.context.references import list_broken_references

BROKEN = [
    "@[data.csv",
    "What is in @[data.csv and more?",
    "@[data.csv)",
    "@[data.csv】",
    "@[data.csv\n]",
    "see @[a and [b] c",
    "@[cell:]",
    "@[py:]",
    "@[py:a b]",
    "@[py:df.head]",
    "@[a.py:0]",
    "@[a.py:20:10]",
    "@[read{path: 'a'}]",
    "@[read{'path': 'a'}]",
    '@[read{"path": }]',
    '@[read{"path": "a"]',
    '@[read{"path": "a",}]',
]

WHOLE = [
    "no reference",
    "a@b.c and @name",
    "@[data.csv]",
    "@[missing.csv]",
    "@[a b.csv:1:2]",
    "@[src/]",
    "@[*.py]",
    "@[file{1,2}.csv]",
    "@[cell:5fb8acd8]",
    "@[py:df]",
    '@[read{"path": "a"}]',
    "@[tool{}]",
    "@[{{A}}:2:1] @[py:{{A}}] @[{{A}}{x: 1}]",
    "`@[code` and\n```\n@[code\n```",
    "\\@[escaped",
    "@[]",
]


@pytest.mark.parametrize("text", BROKEN)
def test_a_reference_that_cannot_be_read_is_named(text):
    (found,) = list_broken_references(text)
    assert found.startswith("@[")
    assert found.endswith(".")


@pytest.mark.parametrize("text", WHOLE)
def test_what_can_be_read_is_not_broken_whether_it_is_there_or_not(text):
    assert list_broken_references(text) == []


def test_all_of_them_are_named_in_order_and_each_once():
    found = list_broken_references("@[py:1]\n@[open\n@[py:1] @[a:0]")

    assert found == [
        "@[py:1] cannot be read: expected the name of a Python variable after py:.",
        "@[open has no closing bracket on its line.",
        "@[a:0] cannot be read: expected lines FIRST:LAST, counted from 1; got 0:0.",
    ]


@given(st.one_of(st.sampled_from(SHORT), st.text(st.sampled_from("@[]{}\"':,a0 \n`\\"))))
def test_any_text_is_looked_through(text):
    for words in list_broken_references(text):
        assert "\n" not in words
