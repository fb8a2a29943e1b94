"""Estimates of tokens."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from msgbook.messages import system, user
from msgbook.request.token_estimates import IMAGE_TOKENS, estimate_text_tokens, estimate_tokens


def test_east_asian_characters_are_a_token_each_and_others_a_quarter():
    assert estimate_text_tokens("a" * 400) == 100
    assert estimate_text_tokens("é" * 400) == 100
    assert estimate_text_tokens("汉字かな한글") == 6
    assert estimate_text_tokens("汉字 and words") == 2 + 3


def test_images_and_calls_count():
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 9000}}
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "x" * 400}}
    plain = estimate_tokens([user("what is this?")])

    text = {"type": "text", "text": "what is this?"}
    assert estimate_tokens([user([text, picture])]) == plain + IMAGE_TOKENS
    assert estimate_tokens([{"role": "assistant", "content": None, "tool_calls": [call]}]) >= 100


@given(st.text(), st.text())
def test_more_text_is_never_fewer_tokens(one, two):
    assert estimate_text_tokens(one) <= estimate_text_tokens(one + two) <= len(one + two)


def test_the_system_prompt_counts():
    assert estimate_tokens([system("x" * 40)]) == 10
