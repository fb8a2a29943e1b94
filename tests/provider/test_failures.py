"""Errors of servers in words for a person."""

from __future__ import annotations

import pytest

from msgbook.config import ProviderSettings
from msgbook.provider.failures import Failures


def error_text(status: int, message: str) -> str:
    body = {"error": {"message": message}}
    return str(Failures(ProviderSettings("p"), ()).from_status("E", status, {}, body, "m"))


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "This model's maximum context length is 8192 tokens. However, you requested 9000."),
        (400, "Your input exceeds the context window of this model."),
        (400, "prompt is too long: 210000 tokens > 200000 maximum"),
        (400, "The input token count (1048577) exceeds the maximum number of tokens allowed."),
        (400, "the request exceeds the available context size (4096 tokens), try increasing it"),
        (
            400,
            "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
        ),
        (413, "Input is too long for requested model."),
        (500, "context length exceeded"),
    ],
)
def test_a_conversation_that_is_too_long_says_how_to_shorten_it(status, message):
    words = error_text(status, message)

    assert message.rstrip(".") in words
    assert "%compact" in words
    assert "context_window" in words


@pytest.mark.parametrize(
    "message",
    [
        "'max_tokens' is too large: 50000. This model's maximum context length is 40960 tokens.",
        "max_tokens must be less than or equal to 8192, the context window of this model",
    ],
)
def test_a_token_limit_that_is_too_large_is_not_a_conversation_that_is_too_long(message):
    assert "%compact" not in error_text(400, message)


@pytest.mark.parametrize("status", [400, 422, 500])
def test_other_refusals_are_shown_unchanged(status):
    assert error_text(status, "messages.1: unexpected role.") == (
        f"The server answered {status}: messages.1: unexpected role."
    )
