"""Chunks of any shape: none raises, hides what follows, or becomes what cannot be saved."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from completions import decode, delta, finish, sse, words
from hypothesis import given
from hypothesis import strategies as st

from msgbook.events import TextDelta

odd = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 2) | st.sampled_from(["", "a", "\ud83d", "[DONE]"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.just("text"), inner),
    max_leaves=3,
)


def shape(**fields: Any) -> Any:
    """Objects with some of the fields, or something else altogether."""
    known = {key: odd | value for key, value in fields.items()}
    return odd | st.fixed_dictionaries({}, optional=known)


def many(values: Any) -> Any:
    return st.lists(values, max_size=3)


function = shape(name=odd, arguments=odd)
call = shape(index=odd, id=odd, function=function, extra_content=odd)
part = shape(type=st.sampled_from(["text", "thinking"]), text=odd, thinking=many(odd))
detail = shape(type=st.sampled_from(["reasoning.text", "x"]), text=odd, signature=odd)
message = shape(
    content=many(part),
    function_call=function,
    reasoning=odd,
    reasoning_details=many(detail),
    refusal=odd,
    tool_calls=many(call),
)
choice = shape(index=odd, delta=message, message=message, finish_reason=odd)
BEFORE = delta(content="before")
"""Makes an answer of what follows; else it may be none."""
usage = shape(prompt_tokens=odd, prompt_tokens_details=shape(cached_tokens=odd))


@given(many(shape(choices=many(choice), usage=usage)))
def test_no_shape_of_a_chunk_raises_or_hides_what_follows(chunks):
    events = decode(sse(*chunks, delta(content="after")))

    assert "after" in words(events, TextDelta)


@given(many(shape(choices=many(choice), usage=usage)))
def test_whatever_a_server_sends_can_be_saved_and_sent_on(chunks):
    events = [dataclasses.asdict(event) for event in decode(sse(BEFORE, *chunks, finish("\ud83d")))]

    assert json.dumps(events, ensure_ascii=False).encode()


@given(many(shape(choices=many(choice), usage=usage)), st.lists(st.integers(0, 2000), max_size=8))
def test_no_cut_of_any_stream_changes_its_events(chunks, cuts):
    body = sse(BEFORE, *chunks, delta(content="after"))

    assert decode(body, [min(cut, len(body)) for cut in cuts]) == decode(body)
