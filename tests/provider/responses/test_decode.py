"""Responses as servers send them, decoded from bytes to the events of a turn."""

from __future__ import annotations

import json
from typing import Any

import pytest
from completions import calls
from hypothesis import assume, given
from hypothesis import strategies as st
from openai.types.responses import Response
from responses import (
    READ,
    SAID,
    STREAM,
    THOUGHT,
    USAGE,
    WORDS,
    added,
    call,
    completed,
    decode,
    done,
    end,
    event,
    merged,
    message,
    plain,
    reasoning,
    response,
    sse,
    summary,
    text,
    thought,
)

from msgbook.events import ModelFinished

END = ModelFinished(
    "tool_calls",
    True,
    {"input_tokens": 9, "cached_tokens": 4, "output_tokens": 7, "reasoning_tokens": 3},
    model="m-2026",
)


@pytest.mark.parametrize(
    ("told", "counted"),
    [
        ({"web_search": {"num_requests": 2}}, {"web_searches": 2}),
        ({"web_search": {"num_requests": 0}}, {}),
        ({"web_search": None}, {}),
        ([], {}),
    ],
)
def test_searches_that_were_billed_are_counted(told, counted):
    usage = {"input_tokens": 1, "output_tokens": 2}
    last = completed(message("Yes."), usage=usage, tool_usage=told)

    assert end(decode(sse(last))).usage == {**usage, **counted}


def test_reasoning_text_and_calls_come_with_usage_and_the_model_that_answered():
    events = decode(sse(*STREAM))

    assert merged(events) == SAID
    assert end(events) == END


def test_the_complete_response_alone_says_the_same():
    streamed = decode(sse(STREAM[-1]))
    whole = decode(json.dumps(response(THOUGHT, WORDS, READ, usage=USAGE), indent=1).encode())

    assert merged(streamed) == merged(whole) == SAID
    assert end(streamed) == end(whole) == END


def test_events_need_neither_names_nor_numbers():
    assert merged(decode(plain(*STREAM))) == SAID


@given(st.lists(st.integers(0, len(sse(*STREAM))), max_size=12))
def test_it_does_not_matter_where_the_bytes_are_cut(cuts):
    assert decode(sse(*STREAM), cuts) == decode(sse(*STREAM))


@given(st.sets(st.integers(1, len(STREAM) - 1)), st.booleans())
def test_what_some_events_leave_out_others_say_and_nothing_comes_twice(left_out, numbered):
    """Any events may be missing as long as the last one says it all."""
    kept = [one for n, one in enumerate(STREAM[:-1]) if n not in left_out]
    deltas = [one.get("delta") for one in kept]
    assume(all(first in deltas for first, second in FIRST_AND_SECOND if second in deltas))

    events = decode((sse if numbered else plain)(*kept, STREAM[-1]))

    assert end(events) == END
    assert words_of(merged(events)) == words_of(SAID)


FIRST_AND_SECOND = [("Hello", ", 漢字 🎉"), ("let me ", "see"), ('{"a"', ": 1}")]


def words_of(said: list[Any]) -> list[Any]:
    """All that was said of each kind; what came late stands in a place of its own."""
    kinds = sorted({one[:-1] for one in said if one[0] != "item"})
    return [(*kind, "".join(one[-1] for one in said if one[:-1] == kind)) for kind in kinds]


def test_a_repeated_event_counts_once():
    twice = b"".join(sse(*STREAM[:n])[len(sse(*STREAM[: n - 1])) :] * 2 for n in range(1, 18))

    assert merged(decode(twice)) == SAID


def test_equal_pieces_in_a_row_are_no_repetition():
    same = [{**text("ha"), "sequence_number": -1}] * 3
    first = {**event("created", response={}), "sequence_number": -1}
    counted = [{**text("ha"), "sequence_number": n} for n in range(3)]

    assert merged(decode(plain(first, *same))) == [("text", "", "hahaha")]
    assert merged(decode(plain(*counted))) == [("text", "", "hahaha")]


def test_parts_of_a_summary_are_paragraphs():
    parts = [{"type": "summary_text", "text": words} for words in ("a", "b")]
    whole = {"type": "reasoning", "id": "rs_1", "summary": parts}
    said = [("reasoning", "summary", "a\n\nb"), ("item", {"type": "reasoning", "id": "rs_1"})]

    streamed = sse(added(reasoning()), summary("a"), summary("b", part=1), done(whole))
    assert merged(decode(streamed)) == said
    assert merged(decode(sse(done(whole)))) == said
    assert merged(decode(sse(summary("a"), done(whole)))) == said


@pytest.mark.parametrize("name", ["reasoning_text", "reasoning"])
def test_the_text_of_reasoning_is_reasoning_that_goes_back_as_content(name):
    delta = event(f"{name}.delta", item_id="rs_1", output_index=0, delta="hm")

    assert merged(decode(sse(delta))) == [("reasoning", "content", "hm")]


def test_of_summary_and_text_the_block_has_what_came_first_and_the_item_keeps_the_other():
    content = [{"type": "reasoning_text", "text": "raw"}]
    whole = reasoning("short", content=content)
    kept = {"type": "reasoning", "id": "rs_1"}

    assert merged(decode(sse(summary("short"), thought("raw"), done(whole)))) == [
        ("reasoning", "summary", "short"),
        ("item", {**kept, "content": content}),
    ]
    assert merged(decode(sse(thought("raw"), summary("short"), done(whole)))) == [
        ("reasoning", "content", "raw"),
        ("item", {**kept, "summary": whole["summary"]}),
    ]


def test_think_tags_at_the_beginning_of_the_text_are_reasoning():
    events = decode(sse(text("<thi"), text("nk>hm</think>"), text("Yes <think>")))

    assert merged(events) == [("reasoning", "", "hm"), ("text", "", "Yes <think>")]


def test_a_refusal_is_text_that_says_so():
    refused = [{"type": "refusal", "refusal": "I won't"}]
    whole = {**message(), "content": refused}
    delta = event("refusal.delta", item_id="msg_1", content_index=0, delta="I ")
    said = [("text", "refusal", "I won't")]

    assert merged(decode(sse(added(message()), delta, done(whole)))) == said
    assert merged(decode(sse(completed(whole)))) == said


def test_two_messages_in_a_row_are_two_texts():
    first, second = message("a"), message("b", "msg_2")
    streamed = sse(text("a"), done(first), added(second, 1), text("b", "msg_2", 1))

    between = [("text", "", "a"), ("item", {"type": "message"}), ("text", "", "b")]
    assert merged(decode(streamed)) == between
    assert merged(decode(sse(completed(first, second)))) == between


def test_further_keys_of_messages_and_calls_are_kept_for_the_server():
    said = message("a", phase="commentary")
    made = call("read", "{}", namespace="files")

    assert merged(decode(sse(completed(said, made)))) == [
        ("text", "", "a"),
        ("item", {"type": "message", "phase": "commentary"}),
        ("item", {"type": "function_call", "call_id": "call_1", "namespace": "files"}),
        ("call", "call_1", "read", "{}"),
    ]


def test_an_item_of_another_type_is_kept_whole_and_its_progress_says_nothing():
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {}}
    begun = {**search, "status": "in_progress"}
    progress = event("web_search_call.searching", item_id="ws_1", output_index=0)

    events = decode(sse(added(begun), progress, done(search), completed(search)))
    assert merged(events) == [("item", search)]


def test_an_item_of_another_type_that_never_ends_is_named():
    begun = {"type": "mcp_call", "id": "m", "status": "in_progress"}

    assert merged(decode(sse(added(begun), text("a", index=1)))) == [
        ("text", "", "a"),
        ("notice", "The server did not finish an item of type `mcp_call`."),
    ]


LEFT_OUT = "Ignored unknown events from the server:"


def test_unknown_events_are_named_once_with_their_numbers():
    unknown = [event("audio.delta", delta="x")] * 1200 + [event("new.thing"), {"type": "beat"}]

    assert merged(decode(plain(*unknown, text("a")))) == [
        ("text", "", "a"),
        (
            "notice",
            (
                f"{LEFT_OUT} `response.audio.delta` (1,200): “{'x' * 299}…”, `response.new.thing` (1), "
                "`beat` (1)."
            ),
        ),
    ]


def test_names_of_unknown_events_are_bounded():
    events = [event(f"{n} " * 1000) for n in range(5000)]
    (_, words) = merged(decode(plain(*events)))[0]

    assert len(words) < 1500
    assert words.endswith(" and 4,990 more.")


PAGE = {"type": "url_citation", "url": "https://a.example", "title": "A", "start_index": 0}


def test_citations_come_once_after_their_text():
    note = event("output_text.annotation.added", item_id="msg_1", output_index=0, annotation=PAGE)
    whole = message("ab")
    whole["content"][0]["annotations"] = [PAGE, {"type": "file_citation", "filename": "f.txt"}]
    both = [PAGE, {"type": "file_citation", "filename": "f.txt", "title": "f.txt"}]

    cut = decode(sse(text("a"), note, note, text("b")))
    assert merged(cut) == [("text", "", "ab"), ("citations", [PAGE])]
    for body in (sse(text("a"), note, done(whole), completed(whole)), sse(completed(whole))):
        assert merged(decode(body)) == [("text", "", "ab"), ("citations", both)]


@given(
    st.lists(
        st.builds(message, st.text(max_size=9), st.sampled_from(["a", "b"]))
        | st.builds(reasoning, st.text(max_size=9))
        | st.builds(call, args=st.just("{}"))
    )
)
def test_the_text_is_the_output_text_of_the_sdk(items):
    items = [{**item, "id": str(n)} for n, item in enumerate(items)]
    whole = response(
        *items, created_at=0, tools=[], parallel_tool_calls=True, tool_choice="auto", usage=None
    )
    typed = Response.model_validate(whole)
    events = decode(sse(event("completed", response=whole)))

    said = "".join(one[-1] for one in merged(events) if one[0] == "text")
    assert said == typed.output_text
    assert len(calls(events)) == sum(item["type"] == "function_call" for item in items)
