"""What a code cell is, on each of the kernels: the table that the page is held to as well."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook.notebook import is_own_magic, parse_prompt
from msgbook_format.syntax import CHAT_CELLS, CODE_FIRST_CELLS, OTHER_CELLS, rule_of, rule_of_kernel

TABLE = Path(__file__).parents[1] / "format" / "syntax" / "fixtures" / "cell_rule.json"
CASES = json.loads(TABLE.read_text())
PIECES = ["%%msg", "%continue", " ", "\n", "\t", "\\", "x", "agent=a", "%model m"]


def kind(rule, source):
    if rule.is_message(source):
        return "message"
    return "own" if is_own_magic(source) else "code"


@pytest.mark.parametrize("case", CASES, ids=lambda case: repr(case["source"]))
def test_a_cell_is_what_the_table_says(case):
    assert kind(CHAT_CELLS, case["source"]) == case["chat"]
    assert kind(CODE_FIRST_CELLS, case["source"]) == case["code_first"]
    assert not OTHER_CELLS.is_message(case["source"])


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("msgbook", CHAT_CELLS),
        ("msgbook-physics", CHAT_CELLS),
        ("msgbook-python", CODE_FIRST_CELLS),
        ("msgbook-python-physics", CODE_FIRST_CELLS),
        ("msgbook-pythonic", CHAT_CELLS),
        ("msgbooks", OTHER_CELLS),
        ("python3", OTHER_CELLS),
        ("", OTHER_CELLS),
        (None, OTHER_CELLS),
        (["msgbook"], OTHER_CELLS),
    ],
)
def test_the_name_of_the_kernelspec_says_which_rule_holds(name, rule):
    assert rule_of_kernel(name) is rule
    assert rule_of({"kernelspec": {"name": name}}) is rule


def test_without_a_kernelspec_only_a_chats_language_is_ours():
    assert rule_of({}) is OTHER_CELLS
    assert rule_of({"language_info": {"name": "python"}}) is OTHER_CELLS
    assert rule_of({"language_info": {"name": "msgbook"}}) is CHAT_CELLS
    assert rule_of({"kernelspec": "python", "language_info": {"name": "msgbook"}}) is OTHER_CELLS


@given(st.lists(st.sampled_from(PIECES)).map("".join) | st.text())
@pytest.mark.parametrize("rule", [CHAT_CELLS, CODE_FIRST_CELLS])
def test_any_text_can_be_a_message(rule, text):
    source = rule.as_message(text)

    assert rule.is_message(source)
    assert (parse_prompt(source).text, parse_prompt(source).attributes) == (text, {})


@given(st.lists(st.sampled_from(PIECES)).map("".join) | st.text())
def test_the_body_of_a_message_comes_back_without_its_bare_line(text):
    for source in (text, f"%%msg\n{text}"):
        if CODE_FIRST_CELLS.is_message(source):
            body = CODE_FIRST_CELLS.write_body(source)
            assert CODE_FIRST_CELLS.read_body(body) == source
    assert CODE_FIRST_CELLS.is_message(CODE_FIRST_CELLS.read_body(text))
    assert CODE_FIRST_CELLS.write_body("%%msg\nHello") == "Hello"
    assert CODE_FIRST_CELLS.write_body("%%msg agent=a\nHello") == "%%msg agent=a\nHello"
