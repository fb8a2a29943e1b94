"""A conversation may change its server and API at any turn: its requests stay valid, and reasoning stays where it is from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from history_cells import check_valid, json_values, prompt
from hypothesis import given
from hypothesis import strategies as st
from messages_requests import NEWER, OLDER, check_messages
from messages_sealed import sealed, signature_of
from responses_requests import check_request

from msgbook.provider import Request, request_body, turn_options
from msgbook.request.history import Reader, View
from msgbook.text import text_digest
from msgbook.turn import turn_messages
from msgbook_format.turn import TURN_MIME

CHAT, RESPONSES, OTHER, ANTHROPIC = "by-chat", "by-responses", "by-another", "by-anthropic"
APIS = {CHAT: "chat", RESPONSES: "responses", OTHER: "responses", ANTHROPIC: "anthropic"}
"""Providers, and the API over which each is asked."""

CALL_IDS = ["fc_1", "call_1", "abcdefghi", "x" * 80, "x" * 79 + "y", ""]
EDITED = ("id", "text", "arguments", "content", "extra", "step")
"""Keys of a block that somebody may have changed by hand."""
TOOL = {"type": "function", "function": {"name": "read", "parameters": {"type": "object"}}}


def reasoning(provider: str, number: int, step: int) -> dict[str, Any]:
    """A block as the record of a turn keeps it."""
    block = {"type": "reasoning", "step": step, "text": f"thought {provider}"}
    if APIS[provider] == "chat":
        return {**block, "extra": {"field": "reasoning_content"}}
    if APIS[provider] == "anthropic":
        return anthropic_reasoning(block, number)
    sealed = {"type": "reasoning", "id": f"rs_{number}", "encrypted_content": f"sealed {provider}"}
    return {**block, "extra": {"field": "summary", "item": sealed}}


def anthropic_reasoning(block: dict[str, Any], number: int) -> dict[str, Any]:
    """A block of thinking, signed for one of two models, or hidden."""
    model = "m" if number % 2 else "another"
    hidden = {"type": "redacted_thinking", "data": sealed(model, f"sealed {ANTHROPIC}")}
    signed = {"type": "thinking", "signature": signature_of(model, block["text"])}
    signed["digest"] = text_digest(block["text"])
    item = {**(signed if number % 3 else hidden), "model": model}
    shown = {**block, "text": ""} if item["type"] == "redacted_thinking" else block
    return {**shown, "extra": {"field": "", "item": item}}


@st.composite
def steps(draw: st.DrawFn, provider: str, step: int) -> list[dict[str, Any]]:
    """The blocks of one step, whole or interrupted."""
    blocks = []
    if draw(st.booleans()):
        blocks.append(reasoning(provider, draw(st.integers(1, 10**6)), step))
    if draw(st.booleans()):
        phase = {"type": "message", "phase": "commentary"}
        extra = {"extra": {"item": phase}} if APIS[provider] != "chat" else {}
        blocks.append({"type": "text", "step": step, "text": "I look.", **extra})
    ids = draw(st.lists(st.sampled_from(CALL_IDS), max_size=3))
    for call_id in ids:
        end = draw(st.sampled_from(["done", "denied", "unfinished", "interrupted"]))
        call = {"type": "tool_call", "step": step, "id": call_id, "name": "read"}
        call["arguments"] = '{"path": "a' if end == "unfinished" else '{"path": "a"}'
        blocks.append({**call, **({"unfinished": True} if end == "unfinished" else {})})
    for call_id in ids:
        status = draw(st.sampled_from(["success", "denied", "interrupted", ""]))
        result = {"type": "tool_result", "step": step, "id": call_id, "content": "found"}
        if status:
            blocks.append({**result, "status": status})
    return blocks


@st.composite
def answered(draw: st.DrawFn, edited: Sequence[str] = EDITED) -> dict[str, Any]:
    """A prompt and its turn, now and then edited by hand.

    Args:
        edited: Keys that an edit may change.
    """
    provider = draw(st.sampled_from(list(APIS)))
    blocks: list[dict[str, Any]] = []
    for step in range(1, draw(st.integers(1, 4))):
        blocks += draw(steps(provider, step))
    edit = draw(st.sampled_from(["none", "none", "lose", "swap", "change", "repeat"]))
    if blocks and edit != "none":
        place = draw(st.integers(0, len(blocks) - 1))
        if edit == "lose":
            blocks.pop(place)
        elif edit == "swap":
            blocks.append(blocks.pop(place))
        elif edit == "repeat":
            blocks.append(blocks[place])
        else:
            key = draw(st.sampled_from(edited))
            blocks[place] = {**blocks[place], key: draw(json_values)}
    cell = prompt("Q", {"type": "text", "text": ""})
    turn = cell["outputs"][0]["data"][TURN_MIME]
    turn |= {"blocks": blocks, "provider": provider, "model": "m"}
    turn["status"] = draw(st.sampled_from(["done", "done", "interrupted", "running", "error"]))
    return cell


conversations = st.lists(answered(), max_size=5)
ALL_BUT_EXTRA = [key for key in EDITED if key != "extra"]


def body_for(cells: list[dict[str, Any]], provider: str, keep: bool) -> dict[str, Any]:
    """The body of a request to a provider below some cells."""
    view = View("assistant", "Be brief.", reasoning_of=provider if keep else None)
    reader = Reader()
    history = reader.read(cells, view)
    message = reader.prompt_message("Go on.", {}, view)
    assert message is not None
    messages = history.with_prompt(message, len(cells)).messages
    return request_body(Request("m", messages, [TOOL]), APIS[provider])


def check(body: dict[str, Any], provider: str) -> None:
    """Raise unless the provider's API accepts the request, and no other one's reasoning is in it."""
    if APIS[provider] == "chat":
        check_valid(body["messages"])
        for message in body["messages"]:
            known = {"role", "content", "tool_calls", "tool_call_id", "reasoning_content"}
            assert message.keys() <= known
    elif APIS[provider] == "anthropic":
        check_messages(body)
    else:
        check_request(body)
    sent = json.dumps(body)
    for other in APIS.keys() - {provider}:
        assert f"thought {other}" not in sent
        assert f"sealed {other}" not in sent


@given(conversations, st.sampled_from(list(APIS)), st.booleans())
def test_whoever_answered_before_the_request_is_valid_and_holds_no_other_ones_reasoning(
    cells, provider, keep
):
    check(body_for(cells, provider, keep), provider)


@given(conversations, st.sampled_from(list(APIS)), st.booleans(), st.integers(0, 5))
def test_what_was_sent_is_the_beginning_of_what_is_sent_next(cells, provider, keep, count):
    one, two = (body_for(part, provider, keep) for part in (cells[:count], cells))

    key = "input" if APIS[provider] == "responses" else "messages"
    before = one[key][:-1]
    assert unmarked(two[key][: len(before)]) == unmarked(before)
    assert {k: v for k, v in one.items() if k != key} == {k: v for k, v in two.items() if k != key}


def unmarked(messages: Any) -> Any:
    """Messages without the marks where a server keeps what it has read: they move with the end."""
    plain = json.dumps(messages)
    return json.loads(plain.replace(', "cache_control": {"type": "ephemeral"}', ""))


@given(st.lists(answered(ALL_BUT_EXTRA), max_size=5), st.sampled_from(list(APIS)))
def test_a_provider_that_changes_its_api_gets_no_reasoning_of_the_other_one(cells, provider):
    changed = "chat" if APIS[provider] == "responses" else "responses"
    view = View("assistant", "Be brief.", reasoning_of=provider)

    messages = Reader().read(cells, view).messages
    body = request_body(Request("m", messages), changed)

    if changed == "chat":
        check_valid(body["messages"])
    else:
        check_request(body)
    assert f"sealed {provider}" not in json.dumps(body)
    assert f"thought {provider}" not in json.dumps(body)


@pytest.mark.parametrize("extra", [None, {}, "lost", {"field": None}])
def test_reasoning_that_lost_what_tells_its_api_counts_as_that_of_a_chat(extra):
    # A record of reasoning under the usual key of a chat has no `extra` either.
    thought = {**reasoning(RESPONSES, 1, 1), "extra": extra}
    cell = prompt("Q", thought, {"type": "text", "step": 1, "text": "I look."})
    cell["outputs"][0]["data"][TURN_MIME] |= {"provider": RESPONSES, "model": "m"}
    view = View("assistant", "Be brief.", reasoning_of=RESPONSES)

    messages = Reader().read([cell], view).messages

    chat = request_body(Request("m", messages), "chat")
    check_valid(chat["messages"])
    assert chat["messages"][-1]["reasoning_content"] == "thought by-responses"
    own = request_body(Request("m", messages), "responses")
    check_request(own)
    assert "thought by-responses" not in json.dumps(own)


@pytest.mark.parametrize("provider", APIS)
@given(st.data())
def test_the_steps_of_a_turn_give_a_valid_next_request(provider, data):
    blocks = [b for step in (1, 2) for b in data.draw(steps(provider, step))]

    sent = turn_messages(blocks, reasoning=True)
    body = request_body(Request("m", [{"role": "user", "content": "Q"}, *sent]), APIS[provider])

    check(body, provider)


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "reasoning_effort": st.sampled_from(["none", "minimal", "low", "high", "max"]),
        "max_tokens": st.sampled_from([1, 500, 1024, 1025, 60_000]),
        "stop": st.sampled_from(["END", ["END", "STOP"]]),
    },
)


@given(conversations, st.sampled_from([OLDER, NEWER, "m"]), OPTIONS, st.booleans())
def test_anthropic_takes_the_request_whatever_the_model_and_the_options(
    cells, model, options, keep
):
    view = View("assistant", "Be brief.", reasoning_of=ANTHROPIC if keep else None)
    reader = Reader()
    message = reader.prompt_message("Go on.", {}, view)
    assert message is not None
    messages = reader.read(cells, view).with_prompt(message, len(cells)).messages

    whole = {**turn_options("anthropic"), **options}
    check_messages(request_body(Request(model, messages, [TOOL], whole), "anthropic"))
