"""A body as JSON is what the SDK would send, however much of it was sent before."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook.provider.server_provider import BodyEncoder

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def as_the_sdk_does(body: object) -> bytes:
    """As of `openai._utils._json.openapi_dumps`."""
    return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


@given(st.lists(VALUES), st.data(), st.sampled_from(["messages", "input"]))
def test_a_body_is_what_the_sdk_sends_after_any_other_one(items, data, key):
    encoder = BodyEncoder()
    for _ in range(3):
        sent = data.draw(st.lists(st.sampled_from(items))) if items else []
        body = {"model": "m", key: sent, "stream": True, "tools": [{"a": {}}]}
        assert encoder.encode(body) == as_the_sdk_does(body)


@pytest.mark.parametrize("body", [{}, {"input": "text"}, {"messages": {}}, {"messages": []}])
def test_a_body_without_a_list_of_messages_is_encoded(body):
    assert BodyEncoder().encode(body) == as_the_sdk_does(body)


def test_a_message_that_was_sent_before_is_not_encoded_again():
    class Counted(dict):
        """Counts how often it is encoded."""

        times = 0

        def items(self):
            Counted.times += 1
            return super().items()

    encoder, first = BodyEncoder(), Counted(role="user", content="a")
    encoder.encode({"messages": [first]})
    encoder.encode({"messages": [first, {"role": "user", "content": "b"}]})
    assert Counted.times == 1


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"messages": [{"content": "\ud800"}]}, UnicodeEncodeError),
        ({"temperature": float("nan")}, ValueError),
    ],
)
def test_what_is_no_json_is_refused_as_by_the_sdk(body, error):
    with pytest.raises(error):
        as_the_sdk_does(body)
    with pytest.raises(error):
        BodyEncoder().encode(body)
