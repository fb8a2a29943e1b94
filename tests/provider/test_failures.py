"""Errors of servers in words for a person."""

from __future__ import annotations

from typing import Any

import pytest
from refused import error

from msgbook.config import ProviderSettings
from msgbook.errors import NoModelListError
from msgbook.provider.failures import Failures, UnknownModelError


def failure(status: int, body: Any, model: str | None = "m") -> Any:
    return Failures(ProviderSettings("p"), ()).from_status("E", status, {}, body, model)


def error_text(status: int, message: str) -> str:
    return str(failure(status, error(message)))


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
        (413, "Request Entity Too Large"),
        (429, "Request too large for m on tokens per min (TPM): Limit 30000, Requested 90000."),
    ],
)
def test_a_conversation_that_is_too_long_says_how_to_shorten_it(status, message):
    words = error_text(status, message)

    assert message.rstrip(".") in words
    assert "%compact" in words
    assert "context_window" in words
    assert failure(status, error(message)).retry is None


def test_too_many_requests_are_not_a_conversation_that_is_too_long():
    words = "Too many tokens, please wait before trying again."

    assert "%compact" not in error_text(429, words)
    assert failure(429, error(words)).retry is not None


def test_a_question_of_the_server_stays_one():
    assert error_text(400, "Did you mean v1/models?").endswith("v1/models?")


def test_a_key_that_is_not_set_is_said_to_be_that():
    named = ProviderSettings("p", "http://h/v1", None, "MY_KEY", file="mine.toml")
    ours = ProviderSettings("openai", None, None, "OPENAI_API_KEY", from_environment=True)

    words = [
        str(Failures(settings, ()).from_status("X", 401, {}, {}, "m")) for settings in (named, ours)
    ]

    assert "MY_KEY, the api_key_env of [providers.p] of mine.toml, is not set. Set it" in words[0]
    assert "OPENAI_API_KEY is not set. Set it before you start Jupyter or the command." in words[1]


def test_a_lost_connection_to_openai_asks_about_the_network_whoever_names_it():
    settings = ProviderSettings("main", "https://api.openai.com/v1")

    words = str(Failures(settings, ()).from_connection(OSError("no route")))

    assert "Is this computer online, and does a proxy let the request through?" in words
    assert "running" not in words


def test_without_a_url_a_lost_connection_is_not_blamed_on_the_url():
    settings = ProviderSettings("openai", None, from_environment=True)

    words = str(Failures(settings, ()).from_connection(OSError("no route")))

    assert "The connection to the OpenAI API failed: no route. Is this computer online, " in words
    assert "Check" not in words


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


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, {"error": {"message": "No connected db.", "type": "no_db_connection", "code": "400"}}),
        (400, {"error": {"message": "Token not accepted", "type": "no_db_connection"}}),
        (401, {"error": {"message": "Authentication Error, No connected db.", "type": "auth_error"}}),
        (400, [{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.",
                          "status": "INVALID_ARGUMENT"}}]),
        (400, {"code": "Client specified an invalid argument",
               "error": "Incorrect API key provided: sk***ey. You can obtain an API key from the console."}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("model", ["m", None], ids=["asked", "models listed"])
def test_words_about_a_wrong_key_name_the_setting_of_the_key(status, body, model):
    found = failure(status, body, model)

    assert str(found).endswith(
        "Check api_key_env or headers of [providers.p] of msgbook.toml, and restart the kernel if this is a notebook."
    )
    assert not isinstance(found, NoModelListError)
    assert found.retry is None


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, {"error": {"message": {"error": "/responses: Invalid model name passed in model=m. Call "
                                     "`/v1/models` to view available models for your key."},
                         "type": "None", "param": "None", "code": "400"}}),
        (401, {"error": {"message": "key not allowed to access model. This key can only access models=['a'].",
                         "type": "key_model_access_denied", "param": "model", "code": "401"}}),
        (403, {"error": {"message": "team not allowed to access model", "type": "team_model_access_denied"}}),
        (400, {"detail": {"error": "chat_completion: Invalid model name passed in model=m"}}),
    ],
)  # fmt: skip
def test_a_model_that_a_key_may_not_use_is_a_wrong_model(status, body):
    found = failure(status, body)

    assert isinstance(found, UnknownModelError)
    assert "Check the model's name ('m'" in str(found)


BODY = ["body", "messages", 0, "role"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"detail": "Too many images"}, "Too many images"),
        ({"detail": [{"type": "missing", "loc": BODY, "msg": "Field required", "input": {"a": 1}}]},
         "messages.0.role: Field required"),
        ({"detail": [{"loc": ["body", "n"], "msg": "too large"}, {"loc": ["query", "v"], "msg": "wrong"}]},
         "n: too large; query.v: wrong"),
        ({"object": "error", "type": "invalid_request_error",
          "message": {"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"],
                                  "msg": "Extra inputs are not permitted", "input": 1}]}},
         "seed: Extra inputs are not permitted"),
        ({"detail": [{"loc": ["body"], "msg": "empty"}]}, "empty"),
        ({"detail": {"msg": "Server is busy", "type": "service_unavailable"}}, "Server is busy"),
        ({"detail": [{"msg": "no place"}, "a text", 5]}, "no place; a text"),
        ({"detail": [{"loc": "body", "msg": "a place of another kind"}]}, "a place of another kind"),
        ({"errors": [{"message": "one", "code": 7}, {"message": "two"}], "success": False}, "one; two"),
        ({"error": {"message": {"error": {"message": "inside"}}}}, "inside"),
        ({"code": 5, "msg": "short"}, "short"),
        ({"error": True, "message": "a flag beside it"}, "a flag beside it"),
        ("<html><head><title>Not Found</title></head><body><h1>404 Not Found</h1><hr>nginx</body>",
         "an HTML page (404 Not Found nginx)"),
        ("<!DOCTYPE html><html><head><title>Oops &amp; so</title></head><body></body></html>",
         "an HTML page (Oops & so)"),
        ({"detail": []}, '{"detail": []}'),
        ({"weird": {"shape": 1}}, '{"weird": {"shape": 1}}'),
    ],
)  # fmt: skip
def test_an_error_of_any_shape_is_told_in_its_words_and_with_its_places(body, words):
    assert str(failure(422, body)) == f"The server answered 422: {words}."


def test_an_error_that_is_nested_without_end_is_told_all_the_same():
    body: Any = "deep"
    for _ in range(5000):
        body = {"error": [body]}

    assert str(failure(400, body)) == "The server answered 400."
