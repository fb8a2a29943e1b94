"""What of a turn is sent later: excluded blocks, lost calls, turns that a kernel did not end."""

from __future__ import annotations

import json

from history_cells import answers, calls, check_valid, code, prompt, says
from hypothesis import given
from hypothesis import strategies as st

from msgbook.events import (
    StepStarted,
    ToolApproved,
    ToolCallDelta,
    ToolOutput,
    ToolStarted,
    TurnFinished,
)
from msgbook.messages import OUTPUT_ITEMS
from msgbook.request.history import Reader, View
from msgbook.request.history.cell import LEFT_OUT
from msgbook.turn.call_results import INTERRUPTED_RESULT, NOT_RUN_RESULT
from msgbook.turn.record import TurnRecord
from msgbook.turn.replay import turn_messages
from msgbook_format.turn import TURN_MIME


def sent(*cells, vision=False, agent="assistant"):
    messages = Reader().read(cells, View(agent, "Be kind.", vision)).messages
    check_valid(messages)
    return messages[1:]


def roles(messages):
    return [message["role"] for message in messages]


def test_an_excluded_call_takes_its_result_along():
    turn = [calls("a", history="exclude"), calls("b"), answers("a", "A"), answers("b", "B")]

    messages = sent(prompt("Q", *turn, says("Done.", 2)))

    assert roles(messages) == ["user", "assistant", "tool", "assistant"]
    assert [call["id"] for call in messages[1]["tool_calls"]] == ["b"]
    assert messages[2]["content"] == "B"


def test_an_excluded_text_is_not_sent():
    messages = sent(prompt("Q", says("no") | {"history": 0}, says("yes")))

    assert [m["content"] for m in messages] == ["Q", "yes"]


def test_of_an_excluded_result_the_call_still_has_one():
    messages = sent(prompt("Q", calls("a"), answers("a", "secret") | {"history": "none"}))

    assert messages[-1]["content"] == LEFT_OUT


def test_a_result_whose_call_is_gone_is_told_as_a_user_message():
    turn = [says("I look."), answers("a", "found"), says("So.", 2)]

    assert [(m["role"], m["content"]) for m in sent(prompt("Q", *turn))] == [
        ("user", "Q"),
        ("assistant", "I look."),
        ("user", "[tool] found"),
        ("assistant", "So."),
    ]


def test_a_result_is_found_in_another_step_but_first_in_its_own():
    again = [calls("a"), calls("a", 2), answers("a", "second", 2), answers("a", "first", 3)]

    assert [m["content"] for m in sent(prompt("Q", *again)) if m["role"] == "tool"] == [
        "first",
        "second",
    ]


def test_calls_of_one_message_have_ids_of_their_own():
    turn = [calls("a"), calls("a"), calls(""), answers("a", "1"), answers("a", "2")]

    messages = sent(prompt("Q", *turn))

    assert [call["id"] for call in messages[1]["tool_calls"]] == ["a", "a-2", "call"]
    assert [m["content"] for m in messages[2:]] == ["1", "2", INTERRUPTED_RESULT]


def test_a_turn_that_its_kernel_did_not_end_is_sent_as_if_it_had():
    record = TurnRecord({"agent": "assistant"}, lambda: "00000000")
    events = [
        StepStarted(1),
        ToolCallDelta(0, "a", "shell", "{}"),
        ToolCallDelta(1, "b", "shell", "{}"),
        ToolCallDelta(2, "c", "shell", '{"cut'),
        ToolStarted("a"),
        ToolStarted("b"),
        ToolApproved("a", "auto"),
        ToolApproved("b", "pending"),
        ToolOutput("a", "half"),
    ]
    for event in events:
        record.apply(event, 0.0)
    cut = prompt("Q", says(""))
    cut["outputs"][0]["data"][TURN_MIME] = {
        **record.snapshot(),
        "blocks": [dict(block) for block in record.snapshot()["blocks"]],
    }
    record.apply(TurnFinished("interrupted"), 0.0)
    ended = prompt("Q", says(""))
    ended["outputs"][0]["data"][TURN_MIME] = record.snapshot()

    assert sent(cut) == sent(ended)
    assert sent(cut)[2]["content"] == f"half\n{INTERRUPTED_RESULT}"
    assert sent(cut)[3]["content"] == NOT_RUN_RESULT


def test_reasoning_of_a_turn_goes_to_no_other_provider_than_its_turn_names():
    item = {"type": "reasoning", "id": "rs_1", "encrypted_content": "sealed"}
    turn = [
        {"type": "reasoning", "step": 1, "text": "", "extra": {"item": item}},
        {"type": "reasoning", "step": 1, "text": "thought"},
        says("A"),
    ]
    cell = prompt("Q", *turn)
    cell["outputs"][0]["data"][TURN_MIME]["provider"] = "p"

    def told(provider):
        view = View("assistant", "Be kind.", reasoning_of=provider)
        return json.dumps(Reader().read([cell], view).messages)

    assert "sealed" in told("p")
    assert "thought" in told("p")
    for provider in ("q", None):
        assert "sealed" not in told(provider)
        assert "thought" not in told(provider)


def test_what_a_saved_block_has_beside_its_words_cannot_say_who_speaks_or_which_call_it_is():
    view = View("assistant", "Be kind.", reasoning_of="p")
    call = {"id": "x", "type": "y", "function": {}, "extra_content": {"signature": "s"}}
    turn = [
        {"type": "reasoning", "step": 1, "text": "system", "extra": {"field": "role"}},
        calls("a", extra={"call": call}),
        answers("a"),
        {"type": "reasoning", "step": 2, "text": "Hm.", "extra": {"field": "reasoning"}},
        says("A", 2),
        {"type": "reasoning", "step": 3, "text": "Hm.", "extra": None},
        says("B", 3) | {"extra": {"reasoning_details": "odd"}},
    ]

    messages = Reader().read([prompt("Q", *turn)], view).messages[2:]

    check_valid(messages)
    assert messages[0]["reasoning_content"] == "system"
    assert messages[0]["tool_calls"] == [
        {
            "id": "a",
            "type": "function",
            "function": {"name": "read", "arguments": "{}"},
            "extra_content": {"signature": "s"},
        }
    ]
    assert messages[2] == {"role": "assistant", "content": "A", "reasoning": "Hm."}
    assert messages[3] == {"role": "assistant", "content": "B", "reasoning_content": "Hm."}


_KEYS = st.sampled_from(
    ["role", "content", "tool_calls", "tool_call_id", "name", "id", "type", "function", "index", "audio",
     "reasoning", "reasoning_content", "refusal", "extra_content"]
)  # fmt: skip
_VALUES = st.sampled_from(
    ["system", "reasoning", "message", None, {}, [], [{"type": "text", "text": "x"}], 5]
)
_EXTRAS = st.fixed_dictionaries(
    {},
    optional={
        "field": _KEYS | _VALUES,
        "reasoning_details": _VALUES,
        "call": st.dictionaries(_KEYS, _VALUES) | _VALUES,
        "item": st.dictionaries(_KEYS, _VALUES) | _VALUES,
    },
) | st.dictionaries(_KEYS, _VALUES)


@given(st.lists(_EXTRAS | _VALUES, min_size=4, max_size=4))
def test_provider_data_adds_to_a_message_and_overrides_nothing_in_it(extras):
    plain = [
        {"type": "reasoning", "step": 1, "text": "system"},
        says("A"),
        calls("a"),
        answers("a"),
    ]
    blocks = [{**block, "extra": extra} for block, extra in zip(plain, extras, strict=True)]

    echoed = turn_messages(blocks, reasoning=True)

    for message, bare in zip(echoed, turn_messages(plain), strict=True):
        calls_of = [message.pop("tool_calls", []), bare.pop("tool_calls", [])]
        assert message | bare == message
        assert {k for k in message.keys() - bare.keys() if not k.startswith("reasoning")} <= {
            OUTPUT_ITEMS
        }
        for call, bare_call in zip(*calls_of, strict=True):
            assert call | bare_call == call


def test_a_result_written_by_hand_without_a_status_is_a_result():
    result = answers("a", "by hand")
    del result["status"]

    assert sent(prompt("Q", calls("a"), result))[-1]["content"] == "by hand"


def test_an_edited_answer_is_what_the_model_is_sent():
    cell = prompt("Q", says("It is 41."))
    cell["outputs"][0]["data"][TURN_MIME]["blocks"][0]["text"] = "It is 42."

    assert sent(cell)[-1] == {"role": "assistant", "content": "It is 42."}


def test_pictures_of_results_are_words_for_models_that_do_not_see():
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}
    parts = [{"type": "text", "text": "a plot"}, picture]
    cell = prompt("Q", calls("a"), answers("a", parts))

    assert sent(cell, vision=True)[-1]["content"] == parts
    assert sent(cell)[-1]["content"] == "a plot\n[image]"


def test_a_turn_below_code_is_still_an_answer():
    cell = code("!ls", *prompt("Q", says("A"))["outputs"])

    assert roles(sent(cell)) == ["user", "assistant"]
    assert "Output" not in sent(cell)[0]["content"]


def test_what_else_stands_below_a_prompt_is_sent_but_for_the_error_that_repeats_the_turn():
    printed = {"output_type": "stream", "name": "stdout", "text": "hello\n"}
    failed = {"output_type": "error", "ename": "E", "evalue": "e", "traceback": []}
    cell = prompt("Q", says("A"))
    cell["outputs"] += [printed, failed]

    assert [m["content"] for m in sent(cell)] == ["Q", "A", "Output:\n\n```\nhello\n```"]


def test_the_line_of_a_prompt_wins_over_its_metadata():
    assert len(sent(prompt("%%msg history=include\nQ", says("A"), history="exclude"))) == 2
    assert sent(prompt("%%msg history=exclude\nQ", says("A"), history="include")) == []


def test_an_answer_of_nothing_but_white_space_is_not_sent():
    assert roles(sent(prompt("Q", says(" \n")))) == ["user"]
    assert roles(sent(prompt("Q", says(" \n")), agent="reviewer")) == ["user"]
