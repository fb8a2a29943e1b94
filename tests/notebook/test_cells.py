"""Which cells are messages, and what their first line says."""

from __future__ import annotations

import pytest
from history_cells import code
from hypothesis import given
from hypothesis import strategies as st

from msgbook.notebook.cells import has_run, model_magic_name, parse_prompt
from msgbook.notebook.transcript import RequestedCell, SessionMemory
from msgbook_format import reads, writes
from msgbook_format.syntax import CHAT_CELLS, ChatCells

PIECES = [*"!%[]()\\ \n?-", "![", "](", "%%", "msg", "sql", "python", "%continue", "a"]
REGISTERED = {"%time", "%%time", "%%python", "%model"}


@pytest.mark.parametrize(
    "source",
    [
        "Hello",
        "?",
        "what?",
        "50 % of it",
        "%50 of users",
        "% of users",
        "%unknown thing",
        "%%msg\nHi",
        "%%msg agent=x\n!ls",
        "\\!ls",
        "\\%time",
        "%%",
        "#define X 1",
        "  Hello",
        "\n\nHello",
        "%timeless",
        "%unknown thing\nand more",
        "%% of\nusers",
        '![A page](page.png "detail=low")\nWhat does it show?',
        "\n ![](attachment:a.png)",
        "![Figure [1] \\] of 2](a.png)",
        "%%50\nx",
        "\\%%sql\nselect 1",
        "a\n%%sql\nselect 1",
    ],
)
def test_these_are_prompts(source):
    assert ChatCells(REGISTERED.__contains__).is_message(source)


@pytest.mark.parametrize(
    "source",
    [
        "!ls",
        "  !ls",
        "\n\n!ls",
        "%time 1",
        "%%time\n1",
        "\n%%python\n1",
        "%model x",
        "%%sql\nselect 1",
        "\n%%rust\nfn main() {}",
        "%%c++\r\nx",
        "%%sql sqlite://\nselect 1",
        '![ -f x ] && echo "[a](b)"',
        "![[ $a =~ [a](b) ]]",
        "![\n](x)",
        "!ls\n![](a.png)",
        "%%unknown",
        "%%sql select 1",
        " %%sql",
        "%%sql?",
        "%%msg?",
        "%%go\n",
        "%%msg-x\n1",
        "%%msg+ history=none\n1",
    ],
)
def test_these_are_code(source):
    assert not ChatCells(REGISTERED.__contains__).is_message(source)


def test_a_cell_in_the_form_of_a_magic_names_the_magic_that_is_missing():
    def missing(source):
        return ChatCells(REGISTERED.__contains__).missing_magic(source)

    assert missing("%%sql\nselect 1") == "%%sql"
    assert missing("\n%%c++ -O2\nx") == "%%c++"
    assert missing("%%sql") == missing("%%sql select 1") == "%%sql"
    for source in ("%%time\n1", "%%time", "%%python\n1", "%%msg\nHi", "%sql\nx", "!ls\n", "Hi"):
        assert missing(source) is None


@pytest.mark.parametrize(
    ("source", "text", "attributes"),
    [
        ("Hello", "Hello", {}),
        ("\\!ls", "!ls", {}),
        ("\\\\!ls", "\\!ls", {}),
        ("%%msg\nHi", "Hi", {}),
        (
            '%%msg agent="my agent" history=exclude\nHi',
            "Hi",
            {"agent": "my agent", "history": "exclude"},
        ),
        ("\n%%msg model=m\nHi\n", "Hi\n", {"model": "m"}),
        ("   \n  %%msg history=exclude\nsecret", "secret", {"history": "exclude"}),
        ("%%msg it's=odd\nHi", "Hi", {"it's": "odd"}),
        ("%%msgs\nHi", "%%msgs\nHi", {}),
    ],
)
def test_a_prompt_is_taken_apart(source, text, attributes):
    prompt = parse_prompt(source)

    assert (prompt.text, prompt.attributes) == (text, attributes)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("%model a/b:c", "a/b:c"),
        ("  %model x  ", "x"),
        ("%model", None),
        ("%model a b", None),
        ("%model x\nmore", None),
        ("%models x", None),
        ("Hello", None),
    ],
)
def test_only_a_cell_that_is_all_model_magic_sets_the_model(source, name):
    assert model_magic_name(source) == name


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join).filter(str.strip))
def test_what_the_file_format_writes_as_code_is_no_prompt_and_the_other_way_round(source):
    cell = {**code(source), "id": "a", "execution_count": None}
    text = writes({**reads("# %%\n"), "cells": [cell]})

    assert reads(text)["cells"][0]["source"] == source
    is_code = "[code]" in text
    assert is_code == (not CHAT_CELLS.is_message(source))


UNRUN = {**code("!ls"), "id": "a", "execution_count": None}


@pytest.mark.parametrize(
    "shown",
    [
        {"execution_count": 1},
        {"outputs": [{"output_type": "stream", "name": "stdout", "text": ""}]},
        {"metadata": {"execution": {"iopub.execute_input": "2026-01-01T00:00:00Z"}}},
    ],
)
def test_a_cell_has_run_if_it_shows_a_count_an_output_or_times(shown):
    assert has_run(UNRUN | shown)
    assert not has_run(UNRUN)


def test_a_cell_that_this_session_has_run_counts_as_run_whatever_the_page_shows():
    memory = SessionMemory()
    memory.remember(RequestedCell("!ls", "a"))

    [ran, edited, other] = memory.with_runs([UNRUN, UNRUN | {"source": "!rm"}, UNRUN | {"id": "b"}])

    assert has_run(ran)
    assert not has_run(edited)
    assert not has_run(other)
