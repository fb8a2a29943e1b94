"""Cells become messages that a strict server accepts, whatever the cells hold."""

from __future__ import annotations

import json
from typing import Any

import pytest
from history_cells import answers, blocks, calls, check_valid, code, note, odd_cells, prompt, says
from hypothesis import example, given
from hypothesis import strategies as st

from msgbook.request.history import CONTINUE_WORDS, Reader, View, has_incomplete_answer
from msgbook.text import RESULT_LIMIT
from msgbook.turn.replay import turn_messages
from msgbook_format import reads
from msgbook_format.turn import TURN_MIME


def history(*cells: dict[str, Any]) -> list[dict[str, Any]]:
    return Reader().read(cells, View("assistant", "Be kind.")).messages


def short(messages: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    """Role and content; of an assistant that calls, the ids of its calls too."""
    return [
        (
            m["role"],
            (m["content"], [c["id"] for c in m["tool_calls"]])
            if "tool_calls" in m
            else m["content"],
        )
        for m in messages
    ]


def test_prompts_and_turns_stand_in_document_order_behind_the_system_prompt():
    assert short(history(prompt("Q1", says("A1")), prompt("Q2"), prompt("Q3", says("A3")))) == [
        ("system", "Be kind."),
        ("user", "Q1"),
        ("assistant", "A1"),
        ("user", "Q2"),
        ("user", "Q3"),
        ("assistant", "A3"),
    ]


def test_each_step_is_one_assistant_message_with_its_results_behind_it():
    turn = prompt(
        "Q",
        {"type": "reasoning", "step": 1, "text": "never sent again"},
        says("I look."),
        calls("a"),
        calls("b"),
        answers("b", "B"),
        answers("a", "A"),
        says("There.", step=2),
    )

    assert short(history(turn))[1:] == [
        ("user", "Q"),
        ("assistant", ("I look.", ["a", "b"])),
        ("tool", "A"),
        ("tool", "B"),
        ("assistant", "There."),
    ]
    assert "never sent" not in str(history(turn))


@pytest.mark.parametrize(
    "blocks",
    [
        [],
        [{"type": "notice", "text": "n"}],
        [{"type": "reasoning", "step": 1, "text": "r"}],
        [says("")],
        [calls("a", unfinished=True)],
        [{"type": "of the future"}],
    ],
)
def test_a_turn_without_text_and_calls_adds_nothing(blocks):
    assert short(history(prompt("Q", *blocks), prompt("R")))[1:] == [("user", "Q"), ("user", "R")]


def test_a_call_without_a_result_gets_one_so_that_the_request_is_valid():
    messages = history(prompt("Q", calls("a"), status="interrupted"))

    assert [m["role"] for m in messages[1:]] == ["user", "assistant", "tool"]
    assert "interrupted" in messages[-1]["content"]


def test_arguments_that_are_no_object_are_wrapped_into_one():
    messages = history(prompt("Q", calls("a") | {"arguments": "{oops"}, answers("a")))

    assert messages[2]["tool_calls"][0]["function"]["arguments"] == '{"invalid_json": "{oops"}'


@pytest.mark.parametrize(
    ("body", "sent"),
    [
        ("<read><path>a.py</path></read>", {"path": "a.py"}),
        ('<parameter name="path">a.py</parameter>', {"path": "a.py"}),
        ("<tool_call><arguments>{}</arguments></tool_call>", {}),
        ("<read>a.py</read>", {"invalid_json": "<read>a.py</read>"}),
        ("a.py", {"invalid_json": "a.py"}),
    ],
)
def test_a_call_is_sent_with_the_arguments_in_its_xml_or_with_the_whole_text(body, sent):
    text = f'# %% [^a]\n\nHi\n\n# %%% [^a-1.5f3a90c2]\n\n[^a-1.5f3a90c2]: [tool] name="read"\n\n{body}\n'
    messages = history(*reads(text)["cells"])

    assert json.loads(messages[2]["tool_calls"][0]["function"]["arguments"]) == sent


def test_another_agents_turn_is_a_user_message_under_its_name():
    cell = prompt("Q", says("Mine."))
    cell["outputs"][0]["data"][TURN_MIME]["agent"] = "reviewer"

    assert short(history(cell))[1:] == [("user", "Q"), ("user", "[reviewer] Mine.")]


@pytest.mark.parametrize("value", ["exclude", "none", "0", "false", 0, False, "EXCLUDE"])
def test_an_excluded_prompt_takes_its_turn_along(value):
    assert short(history(prompt("Q", says("A"), history=value)))[1:] == []
    assert short(history(prompt(f"%%msg history={value}\nQ", says("A"))))[1:] == []


@pytest.mark.parametrize("value", ["include", "1", "true", 1, True])
def test_an_included_prompt_is_sent(value):
    assert len(history(prompt("Q", says("A"), history=value))) == 3


def test_notes_speak_in_the_role_they_were_given_and_raw_cells_not_at_all():
    cells = [
        note("Answer in rhymes.", role="system"),
        note("background"),
        prompt("Q"),
        note("Now in prose.", role="system"),
        note("I said so.", role="assistant"),
        {"cell_type": "raw", "source": "nothing", "metadata": {}},
    ]

    assert short(history(*cells)) == [
        ("system", "Be kind.\n\nAnswer in rhymes."),
        ("user", "background"),
        ("user", "Q"),
        ("user", "[system] Now in prose."),
        ("assistant", "I said so."),
    ]


def test_code_is_a_user_message_with_its_output_and_without_terminal_colours():
    stream = {"output_type": "stream", "name": "stdout", "text": "\x1b[31m2\x1b[0m\n"}
    result = {"output_type": "execute_result", "data": {"text/plain": "3", "image/png": "iVB"}}

    ((_, said),) = short(history(code("%%python\n1 + 1", stream, result)))[1:]

    assert (
        said
        == "I ran this code:\n\n```python\n1 + 1\n```\n\nOutput:\n\n```\n2\n[image/png]\n3\n```"
    )


def test_a_fence_is_longer_than_any_inside():
    ((_, said),) = short(history(code("!cat x", {"output_type": "stream", "text": "````"})))[1:]

    assert "`````\n````\n`````" in said


def test_the_kernels_own_magics_are_no_part_of_the_conversation():
    assert history(code("%model x"), code("%models"), code("%help")) == history()


def test_messages_count_by_the_cells_that_gave_some():
    cells = [prompt("Q", says("A")), note("n"), code("%model x"), prompt("E", history="exclude")]

    assert Reader().read(cells, View("assistant", "s")).cells == 2


@example([[calls("a") | {"arguments": "[" * 100_000}]])
@given(st.lists(st.lists(blocks, max_size=6), max_size=3))
def test_every_request_is_valid_for_a_strict_server(turns):
    check_valid(history(*(prompt("Q", *turn) for turn in turns)))


@given(st.lists(odd_cells, max_size=5), st.booleans(), st.booleans())
def test_no_cells_are_too_odd(cells, vision, alternate):
    view = View("assistant", "Be kind.", vision=vision, alternate=alternate)

    check_valid(Reader().read(cells, view).messages)


@pytest.mark.parametrize("source", ["%%msg model=x", "\\", "%%msg history=include\n  ", ""])
def test_an_empty_prompt_is_no_message_but_an_answer_below_it_stays_one(source):
    assert history(prompt(source)) == history()
    assert short(history(prompt(source, says("A"))))[1:] == [("assistant", "A")]


def test_a_long_output_is_sent_with_its_head_and_its_tail():
    long = {"output_type": "stream", "text": "a" * 10**6 + "z"}

    ((_, said),) = short(history(code("!yes", long)))[1:]

    assert len(said) < RESULT_LIMIT + 500
    assert "z\n```" in said


def test_a_turns_messages_are_the_same_when_it_is_over_but_for_the_reasoning():
    steps = [{"type": "reasoning", "step": 1, "text": "r"}, calls("a"), answers("a")]

    during = turn_messages(steps, reasoning=True)
    after = turn_messages(steps)

    assert during[0].pop("reasoning_content") == "r"
    assert during == after


def test_a_continue_cell_asks_for_the_rest_and_its_turn_is_an_answer_like_any_other():
    cells = [prompt("Q", says("half"), status="incomplete"), prompt("%continue", says("whole"))]

    assert short(history(*cells))[1:] == [
        ("user", "Q"),
        ("assistant", "half"),
        ("user", CONTINUE_WORDS),
        ("assistant", "whole"),
    ]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([], False),
        ([prompt("Q")], False),
        ([prompt("Q", says("A"))], False),
        ([prompt("Q", says("A"), status="incomplete")], True),
        ([prompt("Q", says("A"), status="interrupted")], True),
        ([prompt("Q", says("A"), status="error")], True),
        ([prompt("Q", says("A"), status="running")], True),
        ([prompt("Q", says("A"), status="incomplete"), note("n"), code("!ls")], True),
        ([prompt("Q", says("A"), status="incomplete"), prompt("R", says("B"))], False),
        ([prompt("Q", says("A"), status="incomplete", history="exclude")], False),
        ([prompt("Q", says("A")), prompt("%continue", {"type": "error"}, status="error")], False),
    ],
)
def test_only_an_answer_that_is_not_whole_can_be_gone_on_with(cells, expected):
    assert has_incomplete_answer(cells) is expected
