"""What a chat's server says under another key, at another place or as another type is read all the same."""

from __future__ import annotations

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
    ],
)
def test_usage_counts_wherever_it_stands(chunk: Any) -> None:
    assert turn(chunk, last()).turn["usage"] == COUNTED


@pytest.mark.parametrize(
    "chunk",
    [
        {"choices": [{"index": 0, "delta": {}, "finishReason": "MAX_TOKENS"}]},
        {"choices": [{"index": 0, "delta": {}, "stop_reason": "max_tokens"}]},
        delta(finish_reason="length"),
        last(finish_reason="", finishReason="MALFORMED"),
    ],
)
def test_a_finish_reason_under_another_key_is_one(chunk: Any) -> None:
    assert turn(chunk).said["status"] == "incomplete"


def test_what_a_text_was_stopped_at_is_no_finish_reason() -> None:
    assert turn(last(stop_reason="END")).said["status"] == "done"


@pytest.mark.parametrize("chunk", [last(images=IMAGES), {**last(), "images": IMAGES}])
def test_an_image_beside_a_delta_is_one_of_the_turn(chunk: Any) -> None:
    assert [block["type"] for block in turn(chunk).turn["blocks"]] == ["text", "display"]


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
    ],
)
def test_usage_beside_a_response_counts(ending: dict[str, Any]) -> None:
    body = response_sse(event("output_text.delta", delta="Hi"), ending)

    assert StreamedTurn("responses", body).turn["usage"] == COUNTED


def test_a_completed_response_that_says_why_it_is_incomplete_is_not_done() -> None:
    whole = {"status": "completed", "incomplete_details": {"reason": "content_filter"}}
    body = response_sse(event("output_text.delta", delta="Hi"), event("completed", response=whole))

    assert StreamedTurn("responses", body).said["status"] == "incomplete"


COMPLETED = event("completed", response={"status": "completed"})


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
