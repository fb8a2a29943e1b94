"""What a chat's server says under another key, at another place or as another type is read all the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from completions import DONE, delta, sse
from responses import event
from responses import plain as response_sse
from streamed_turns import StreamedTurn

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
IMAGES = [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}]
CALLS = [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
USAGE = {"prompt_tokens": 3, "completion_tokens": 4}
COUNTED = {"input_tokens": 3, "output_tokens": 4}
ANSWER = {"type": "message", "content": [{"type": "output_text", "text": "Hi"}]}
COMPLETED = event("completed", response={"status": "completed"})


def last(reason: Any = "stop", **fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {}, "finish_reason": reason, **fields}]}


def turn(*chunks: Any) -> StreamedTurn:
    return StreamedTurn("chat", sse(delta(content="Hi"), *chunks, DONE))


@pytest.mark.parametrize(
    "chunk",
    [
        delta(usage=USAGE),
        last(usage=USAGE),
        last(message={"content": "Hi", "usage": USAGE}),
        {"choices": [], "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 4}},
        {"choices": [], "usage": {"promptTokens": 3, "completionTokens": 4}},
        {"choices": [], "usage": {"inputTokens": 3, "outputTokens": 4}},
        {"error": {"message": "oops", "usage": USAGE}},
        {"choices": [], "usage": [USAGE]},
        {"choices": [], "usage": {"tokens": COUNTED}},
        {"choices": [], "usage": {"billed_units": COUNTED}},
        {"choices": [], "meta": {"billed_units": COUNTED, "api_version": {"version": "2"}}},
        {"choices": [], "usage": {"prompt_tokens": "3", "completion_tokens": 4.0}},
        {"choices": [], "timings": {"prompt_n": 3, "prompt_ms": 30.1, "predicted_n": 4}},
        {"choices": [], "model": "m", "done": False, "prompt_eval_count": 3, "eval_count": 4},
        {"choices": [], "x_metrics": {"inputTokenCount": 3, "outputTokenCount": 4}},
        {"choices": [], "message": {"usage": COUNTED}},
        {"choices": [], "response": {"usage_metadata": USAGE}},
        {"choices": [], "metadata": {"usage": {"tokens": {"input": 3, "output": 4}}}},
    ],
)
@pytest.mark.parametrize("is_late", [False, True])
def test_usage_counts_wherever_it_stands(chunk: Any, is_late: bool) -> None:
    ended = StreamedTurn("chat", sse(delta(content="Hi"), last(), DONE, chunk))

    assert (ended if is_late else turn(chunk, last())).turn["usage"] == COUNTED


def test_timings_do_not_hide_the_usage_beside_them() -> None:
    timings = {"prompt_n": 1, "cache_n": 2, "predicted_n": 4}

    assert turn(last(), {"choices": [], "timings": timings}).turn["usage"] == {
        "input_tokens": 3,
        "cached_tokens": 2,
        "output_tokens": 4,
    }
    assert turn({**last(), "timings": timings, "usage": USAGE}).turn["usage"] == {
        **COUNTED,
        "cached_tokens": 2,
    }


def test_usage_that_comes_after_the_end_of_the_bytes_read_so_far_counts() -> None:
    body = sse(delta(content="Hi"), last(), DONE, {"choices": [], "usage": USAGE})

    assert StreamedTurn("chat", body, reads=7).turn["usage"] == COUNTED


@pytest.mark.parametrize("rest", ["data: " + "x" * 100, "x" * 100, "data: {", "data: [1, 2]"])
def test_what_else_follows_the_end_changes_nothing(rest: str) -> None:
    body = sse(delta(content="Hi"), last(), DONE) + f"{rest}\n\n".encode()

    assert StreamedTurn("chat", body).said["text"] == "Hi"
    assert StreamedTurn("chat", body).said["status"] == "done"


@pytest.mark.parametrize(
    "chunk",
    [
        {"choices": [{"index": 0, "delta": {}, "finishReason": "MAX_TOKENS"}]},
        {"choices": [{"index": 0, "delta": {}, "stop_reason": "max_tokens"}]},
        delta(finish_reason="length"),
        last(finish_reason="", finishReason="MALFORMED"),
        last(None, native_finish_reason="MAX_TOKENS"),
        {**last(None), "done_reason": "length", "done": True},
        {**last(None), "finish_reason": "length"},
        {"choices": [], "done": True, "done_reason": "length"},
        last(None, message={"content": "Hi", "finish_reason": "length"}),
    ],
)
def test_a_finish_reason_under_another_key_is_one(chunk: Any) -> None:
    assert turn(chunk).said["status"] == "incomplete"


def test_what_a_text_was_stopped_at_is_no_finish_reason() -> None:
    assert turn(last(stop_reason="END")).said["status"] == "done"


@pytest.mark.parametrize("chunk", [last(images=IMAGES), {**last(), "images": IMAGES}])
def test_an_image_beside_a_delta_is_one_of_the_turn(chunk: Any) -> None:
    assert [block["type"] for block in turn(chunk).turn["blocks"]] == ["text", "display"]


@pytest.mark.parametrize("key", ["data", "result", "images", "artifacts"])
@pytest.mark.parametrize("image", [{"b64_json": PNG}, {"image_base64": PNG}])
def test_an_image_in_a_chunk_is_one_of_the_turn(key: str, image: Any) -> None:
    said = turn({"choices": [], key: [image]}, last())
    assert [block["type"] for block in said.turn["blocks"]] == ["text", "display"]


@pytest.mark.parametrize(
    "chunk",
    [
        {"choices": [], "data": [{"b64_json": "no picture"}]},
        {"choices": [], "candidates": [{"content": {"parts": [{"text": "no picture"}]}}]},
        {"choices": [], "parts": [{"text": "picture"}]},
    ],
)
def test_content_in_an_unknown_key_of_a_chunk_is_a_notice(chunk: Any) -> None:
    assert "picture" in turn(chunk, last()).said["notices"][0]


@pytest.mark.parametrize(
    "chunk",
    [
        {"choices": [{"index": 0, "delta": [{"content": "a quokka"}]}]},
        {"choices": [[{"delta": {"content": "a quokka"}}]]},
        {"choices": ["a quokka"]},
    ],
)
def test_a_choice_or_a_delta_of_another_type_is_told(chunk: Any) -> None:
    assert "a quokka" in turn(chunk, last()).said["notices"][0]


def test_what_a_delta_and_a_message_both_say_is_said_once() -> None:
    whole = {"content": "Hi you"}

    assert turn(delta(content=" you"), last(delta=whole, message=whole)).said["text"] == "Hi you"


@pytest.mark.parametrize("block", ["text", "thinking", "redacted_thinking", "tool_use"])
def test_a_piece_of_an_unknown_type_is_told(block: str) -> None:
    start = {"type": block, "id": "t", "name": "f", "input": {}}
    events = [
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "x_delta", "x": "a quokka"}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        {"type": "message_stop"},
        {"type": "message_delta", "usage": COUNTED},
    ]

    made = StreamedTurn("anthropic", response_sse(*events))
    assert "a quokka" in made.said["notices"][0]
    assert made.turn["usage"]["output_tokens"] == COUNTED["output_tokens"]


@pytest.mark.parametrize(
    "ending",
    [
        {"type": "response.completed", "response": "a quokka"},
        event("completed", response={"warnings": [{"message": "a quokka"}]}),
        event("completed", response={"output": [{**ANSWER, "comment": "a quokka here"}]}),
    ],
)
def test_words_of_a_response_in_an_unknown_place_are_told(ending: dict[str, Any]) -> None:
    body = response_sse(event("output_text.delta", delta="Hi"), ending)

    assert "a quokka" in " ".join(StreamedTurn("responses", body).said["notices"])


def test_content_that_is_one_part_is_read() -> None:
    item = {**ANSWER, "content": ANSWER["content"][0]}  # type: ignore[index]
    body = response_sse(event("completed", response={"output": [item]}))

    assert StreamedTurn("responses", body).said["text"] == "Hi"


CHUNKS = [json.dumps(chunk) for chunk in (delta(content="Hi"), delta(content=" you"), last())]
FRAMES = {
    "an array": f"[{','.join(CHUNKS)}]",
    "an array with a chunk a line": "[\n" + "\n,\n".join(CHUNKS) + "\n]\n",
    "a sequence (RFC 7464)": "".join(f"\x1e{chunk}\n" for chunk in CHUNKS),
    "side by side": "".join(CHUNKS),
    "lines": "\n".join(CHUNKS) + "\n",
    "encoded twice": "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in CHUNKS),
}


@pytest.mark.parametrize("reads", [1_000_000, 7])
@pytest.mark.parametrize("frames", FRAMES.values(), ids=FRAMES)
def test_chunks_in_other_frames_are_an_answer(frames: str, reads: int) -> None:
    said = StreamedTurn("chat", frames.encode(), reads=reads).said

    assert (said["text"], said["status"], said["notices"]) == ("Hi you", "done", [])


@pytest.mark.parametrize("api", ["chat", "responses", "anthropic"])
@pytest.mark.parametrize(
    "data", ['"no room now"', '["no room now"]', '{"odd": {"x": "no room now"}}']
)
@pytest.mark.parametrize("end", ["", "data: [DONE]\n\n"])
def test_data_of_which_no_answer_can_be_made_is_quoted(api: Any, data: str, end: str) -> None:
    made = StreamedTurn(api, f"data: {data}\n\n{end}".encode())

    assert made.turn["status"] in ("error", "incomplete")
    assert "no room now" in str(made.said["errors"] + made.said["notices"])


def test_an_image_in_no_known_form_is_a_notice() -> None:
    assert "“" in turn(delta(images={"0": IMAGES[0]}), last()).said["notices"][0]


def test_a_call_beside_a_delta_runs() -> None:
    assert turn(last("tool_calls", tool_calls=CALLS)).runs == [("f", "{}")]


def test_a_call_beside_the_choices_is_a_notice() -> None:
    assert "tool_calls" in turn({**last(), "tool_calls": CALLS}).said["notices"][0]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (4, "4"),
        ([{"type": "text", "content": " you"}], " you"),
        ([{"type": "text", "value": " you"}], " you"),
        ({"text": {"value": " you"}}, " you"),
        (True, ""),
    ],
)
def test_content_of_another_form_is_text(content: Any, said: str) -> None:
    assert turn(delta(content=content), last()).said["text"] == f"Hi{said}"


@pytest.mark.parametrize(
    "ending",
    [
        {"type": "response.completed", "usage": COUNTED, "response": {"status": "completed"}},
        {"type": "error", "message": "oops", "usage": COUNTED},
        event("completed", response={"usage": [COUNTED]}),
        event("completed", response={"timings": {"prompt_n": 3, "predicted_n": 4}}),
        event("completed", response={"prompt_eval_count": 3, "eval_count": 4}),
        event("completed", response={"usage": {"billed_units": COUNTED}}),
        event("completed", response={"metadata": {"usage": COUNTED}}),
        event("completed", response={"output": [{**ANSWER, "usage": COUNTED}]}),
        event("output_item.done", item={**ANSWER, "usage": COUNTED}),
        event("output_text.done", text="Hi", usage=COUNTED),
    ],
)
@pytest.mark.parametrize("is_late", [False, True])
def test_usage_beside_a_response_counts(ending: dict[str, Any], is_late: bool) -> None:
    ended = [{"type": "response.completed", "response": {"status": "completed"}}] if is_late else []
    body = response_sse(event("output_text.delta", delta="Hi"), *ended, ending)

    assert StreamedTurn("responses", body).turn["usage"] == COUNTED


@pytest.mark.parametrize(
    "fields",
    [
        {"finish_reason": "length"},
        {"stop_reason": "max_tokens"},
        {"output": [{**ANSWER, "finish_reason": "length"}]},
        {"output": [{**ANSWER, "status": "incomplete"}]},
    ],
)
def test_a_completed_response_that_was_stopped_is_not_done(fields: dict[str, Any]) -> None:
    ending = event("completed", response={"status": "completed", **fields})

    said = StreamedTurn("responses", response_sse(ending)).said
    assert said["status"] == "incomplete"


def test_an_unknown_reason_of_a_completed_response_is_quoted() -> None:
    ending = event("completed", response={"output": [ANSWER], "finish_reason": "MALFORMED_CALL"})

    said = StreamedTurn("responses", response_sse(ending)).said
    assert said["status"] == "incomplete"
    assert "MALFORMED_CALL" in said["notices"][0]


@pytest.mark.parametrize("output", [ANSWER, {"0": ANSWER}, "Hi", {"text": "Hi"}])
def test_output_that_is_no_list_is_read(output: Any) -> None:
    ending = event("completed", response={"status": "completed", "output": output})

    assert StreamedTurn("responses", response_sse(ending)).said["text"] == "Hi"
    plain = {"object": "response", "status": "completed", "output": output}
    assert StreamedTurn("responses", json.dumps(plain).encode()).said["text"] == "Hi"


def test_output_of_no_known_form_is_a_notice() -> None:
    ending = event("completed", response={"output": {"value": {"words": "Hello there"}}})

    assert "Hello there" in StreamedTurn("responses", response_sse(ending)).said["notices"][0]


@pytest.mark.parametrize(
    "item",
    [
        {"type": "hologram", "id": "h", "words": "Hello there"},
        {"type": "web_answer_call", "output": [{"text": "Hello there"}]},
        {"words": "Hello there"},
    ],
)
@pytest.mark.parametrize("kind", ["output_item.done", "completed"])
def test_an_item_of_an_unknown_type_is_quoted(item: dict[str, Any], kind: str) -> None:
    ending = (
        event(kind, response={"output": [item]}) if kind == "completed" else event(kind, item=item)
    )
    body = response_sse(event("output_text.delta", delta="Hi"), ending, COMPLETED)

    assert "Hello there" in " ".join(StreamedTurn("responses", body).said["notices"])


def test_an_item_without_a_type_is_what_its_keys_say() -> None:
    call = {"call_id": "c", "name": "f", "arguments": "{}"}
    item = {"role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]}
    body = response_sse(
        event("output_item.done", item=item), event("output_item.done", item=call), COMPLETED
    )

    made = StreamedTurn("responses", body)
    assert (made.said["text"], made.runs) == ("Hi", [("f", "{}")])


def test_an_item_of_the_server_that_is_known_is_not_quoted() -> None:
    item = {
        "type": "web_search_call",
        "id": "w",
        "action": {"query": "tea", "results": "Hello there"},
    }
    body = response_sse(event("output_item.done", item=item), COMPLETED)

    notices = " ".join(StreamedTurn("responses", body).said["notices"])
    assert 'searched the web for "tea"' in notices
    assert "Hello" not in notices


def test_a_completed_response_that_says_why_it_is_incomplete_is_not_done() -> None:
    whole = {"status": "completed", "incomplete_details": {"reason": "content_filter"}}
    body = response_sse(event("output_text.delta", delta="Hi"), event("completed", response=whole))

    assert StreamedTurn("responses", body).said["status"] == "incomplete"


def summaries(*deltas: tuple[int, str]) -> list[dict[str, Any]]:
    kind = "reasoning_summary_text.delta"
    return [event(kind, item_id="r", summary_index=index, delta=words) for index, words in deltas]


def reasoning(*events: dict[str, Any]) -> str:
    [text] = StreamedTurn("responses", response_sse(*events, COMPLETED)).said["reasoning"]
    return text


COUNTED_UP = summaries(*enumerate(["I ", "think ", "so"]))
WHOLE = event("reasoning_summary_text.done", item_id="r", summary_index=3, text="I think so")
TEXT = event("output_text.delta", item_id="m", delta="Hi")


@pytest.mark.parametrize("further", [(), (WHOLE,), (TEXT,), (WHOLE, TEXT)])
@pytest.mark.parametrize("deltas", [1, 2, 3])
def test_an_index_that_counts_the_deltas_of_a_summary_begins_no_paragraphs(
    deltas: int, further: tuple[dict[str, Any], ...]
) -> None:
    pieces = COUNTED_UP[:deltas]
    said = "".join(piece["delta"] for piece in pieces)
    ends = [{**one, "text": said} if "text" in one else one for one in further]

    assert reasoning(*pieces, *ends) == said


@pytest.mark.parametrize(
    "deltas",
    [
        [(0, "**One**\n\nFirst I think."), (1, "**Two**\n\nThen I look."), (2, "Now I answer.")],
        [(0, "I think."), (1, "I look.")],
        [(0, "先想一想。"), (1, "再看一看。"), (2, "好了。")],
    ],
)
def test_an_index_for_each_paragraph_begins_paragraphs(deltas: list[tuple[int, str]]) -> None:
    assert reasoning(*summaries(*deltas)) == "\n\n".join(words for _, words in deltas)


def test_an_index_that_comes_again_is_that_of_a_part() -> None:
    deltas = summaries((0, "I"), (1, "you"), (1, " two"), (2, "they"))

    assert reasoning(*deltas) == "I\n\nyou two\n\nthey"


def test_complete_texts_say_what_an_index_means() -> None:
    ends = [
        event("reasoning_summary_text.done", item_id="r", summary_index=n, text=text)
        for n, text in enumerate("ab")
    ]

    assert reasoning(*summaries((0, "a"), (1, "b")), *ends) == "a\n\nb"
