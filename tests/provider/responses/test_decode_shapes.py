"""Events of any shape and any part of a stream: nothing said is lost, and all of it can be saved."""

from __future__ import annotations

import dataclasses
import itertools
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from responses import SAID, STREAM, completed, decode, merged, message, plain, sse, text

from msgbook.errors import ProviderError
from msgbook.events import StreamEvent, TextDelta
from msgbook.provider.responses.decode import ResponseDecoder

odd = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-1, 2)
    | st.floats()
    | st.sampled_from(["", "a", "\ud83d", "[DONE]"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.just("text"), inner),
    max_leaves=3,
)
TEXTS = ["output_text", "refusal", "reasoning_summary_text", "reasoning_text", "reasoning"]
CALLS = ["function_call_arguments", "custom_tool_call_input", "mcp_call_arguments"]
KINDS = [f"{name}.{end}" for name in (*TEXTS, *CALLS) for end in ("delta", "done")]
KINDS += ["output_item.added", "output_item.done", "output_text.annotation.added", "created"]
ENDS = ["completed", "incomplete", "failed"]


def shape(**fields: Any) -> Any:
    """Objects with some of the fields, or something else altogether."""
    known = {key: odd | value for key, value in fields.items()}
    return odd | st.fixed_dictionaries({}, optional=known)


def many(values: Any) -> Any:
    return st.lists(values, max_size=3)


part = shape(
    type=st.sampled_from(["output_text", "refusal", "summary_text", "reasoning_text"]),
    text=odd,
    refusal=odd,
    annotations=many(shape(url=odd, title=odd, url_citation=shape(url=odd))),
)
item = shape(
    type=st.sampled_from(["reasoning", "message", "function_call", "web_search_call"]),
    id=st.sampled_from(["i", "j"]),
    call_id=st.sampled_from(["i", "c"]),
    name=odd,
    arguments=odd,
    status=st.sampled_from(["completed", "incomplete"]),
    content=many(part),
    summary=many(part),
    phase=odd,
)
whole = shape(
    status=st.sampled_from(["completed", "incomplete"]),
    output=many(item),
    model=odd,
    usage=shape(input_tokens=odd, input_tokens_details=shape(cached_tokens=odd)),
    incomplete_details=shape(reason=odd),
)
place = {
    "output_index": odd,
    "item_id": odd | st.sampled_from(["i", "j"]),
    "content_index": odd,
    "summary_index": odd,
    "sequence_number": odd,
    "delta": odd,
    "text": odd,
    "refusal": odd,
    "arguments": odd,
    "annotation": shape(url=odd, title=odd),
    "item": item,
    "response": whole,
}


def of_types(*kinds: str) -> Any:
    types = st.sampled_from([f"response.{kind}" for kind in kinds])
    return st.fixed_dictionaries({"type": types}, optional=place)


events_of_any_shape = st.lists(of_types(*KINDS) | shape(type=odd, **place), max_size=6)


def until_error(body: bytes, cuts: list[int] | None = None) -> list[StreamEvent]:
    """The events of a body, up to an error of the server if there is one."""
    numbers = itertools.count(1)
    decoder = ResponseDecoder(lambda: f"made_{next(numbers)}")
    places = [0, *sorted(min(cut, len(body)) for cut in cuts or []), len(body)]
    events: list[StreamEvent] = []
    try:
        for start, stop in itertools.pairwise(places):
            events += decoder.feed(body[start:stop])
        events += decoder.end()
    except ProviderError:
        pass
    return events


@given(events_of_any_shape)
def test_no_shape_of_an_event_raises_or_hides_what_follows(events):
    last = text("after", "last", 9)

    assert "after" in "".join(
        event.text for event in decode(plain(*events, last)) if isinstance(event, TextDelta)
    )


@given(events_of_any_shape, of_types(*ENDS))
def test_whatever_a_server_sends_can_be_saved_and_sent_on(events, end):
    found = [dataclasses.asdict(event) for event in until_error(plain(*events, end))]

    assert json.dumps(found, ensure_ascii=False, allow_nan=False).encode()


@given(events_of_any_shape, of_types(*ENDS), st.lists(st.integers(0, 2000), max_size=8))
def test_no_cut_of_any_stream_changes_its_events(events, end, cuts):
    body = plain(*events, end)

    assert merged(until_error(body, cuts)) == merged(until_error(body))


@given(st.integers(0, len(sse(*STREAM))))
def test_any_part_of_a_stream_says_a_part_of_its_words(length):
    said = merged(until_error(sse(*STREAM)[:length]))

    words = [one for one in said if one[0] != "item"]
    assert len(words) <= len(WORDS)
    for part, complete in zip(words, WORDS, strict=False):
        assert complete[-1].startswith(part[-1])


WORDS = [one for one in SAID if one[0] != "item"]


@given(st.lists(st.text(max_size=5), max_size=8), st.text(max_size=5), st.booleans())
def test_the_text_of_deltas_is_the_beginning_of_what_is_said(pieces, rest, is_whole):
    """The end of the item adds what is missing, whatever was cut where."""
    words = "".join(pieces)
    ends = [completed(message(words + rest))] if is_whole else []

    said = merged(decode(sse(*map(text, pieces), *ends)))
    heard = "".join(one[-1] for one in said)
    assert heard == words.encode("utf-16", "surrogatepass").decode("utf-16", "replace") + (
        rest if is_whole else ""
    )


@given(st.integers(1, 2000), st.sampled_from(["id", "content", "summary", "action", "type"]))
def test_no_depth_of_an_item_overflows(depth, key):
    deep = "[" * depth + "]" * depth
    begin = '{"type": "response.output_item.done", "item": {"type": "web_search_call"'
    data = f'{begin}, "{key}": {deep}}}}}'
    body = f"data: {data}\n\ndata: {data}\n\n".encode()

    events = decode(body + sse(text("after")))
    assert ("text", "", "after") in merged(events)
    json.dumps([dataclasses.asdict(event) for event in events], allow_nan=False)
