"""Errors of the Responses API, of HTTP and in the stream, as OpenAI words them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from apis import asking_over
from completions import delta, finish
from completions import sse as chat_sse
from raw_server import Reply, ask, text_reply
from responses import event, response, sse, text


@pytest.fixture(autouse=True)
def _responses():
    with asking_over("responses"):
        yield


def refused(status: int, code: str | None, message: str, **more: Any) -> Reply:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": code}
    body = json.dumps({"error": {**error, **more}}).encode()
    return Reply(body, f"{status} X", ("content-type: application/json",))


def failed(code: str, message: str, *before: Any) -> Reply:
    whole = response(status="failed", error={"code": code, "message": message})
    return Reply(sse(event("created", response=response(status="in_progress")), *before,
                     event("failed", response=whole)))  # fmt: skip


def error_event(**error: Any) -> Reply:
    return Reply(sse({"type": "error", "error": error}))


TOO_LONG = "Your input exceeds the context window of this model. Please adjust your input."
QUOTA = "You exceeded your current quota, please check your plan and billing details."


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (refused(401, "invalid_api_key", "Incorrect API key provided: no."), "OPENAI_API_KEY is not set."),
        (refused(404, "model_not_found", "The model `m` does not exist."), "Check the model's name ('m'"),
        (refused(400, "model_not_found", "The requested model 'm' does not exist."), "Check the model's name"),
        (refused(429, "insufficient_quota", QUOTA, type="insufficient_quota"), "spending limit"),
        (refused(400, "context_length_exceeded", TOO_LONG), "%compact"),
        (failed("context_length_exceeded", TOO_LONG), "%compact"),
        (failed("insufficient_quota", QUOTA), "spending limit"),
        (failed("invalid_prompt", "The prompt was flagged."), "reported an error: The prompt was flagged."),
        (error_event(type="invalid_request_error", code="model_not_found", message="no"), "model's name"),
        (Reply(sse({"type": "error", "code": "invalid_api_key", "message": "no", "param": None})),
         "OPENAI_API_KEY is not set."),
    ],
)  # fmt: skip
def test_an_error_names_the_setting_to_change(reply, words):
    turn, requests = ask(reply)

    assert (turn["status"], len(requests)) == ("error", 1)
    assert words in turn["blocks"][-1]["message"]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("previous_response_not_found", "Previous response with id 'resp_1' not found."),
        (
            None,
            "Item with id 'msg_1' not found. Items are not persisted when `store` is set to false.",
        ),
    ],
)
@pytest.mark.parametrize("status", [400, 404])
def test_what_a_server_has_not_stored_is_neither_a_model_nor_a_route(status, code, message):
    turn, requests = ask(refused(status, code, message))

    assert len(requests) == 1
    assert turn["blocks"][-1]["message"] == (
        f"The server answered {status}: {message} The server expects a stored response, but msgbook "
        'stores nothing there. Set api = "chat" in [providers.openai] of msgbook.toml, and restart the kernel if this is a notebook.'
    )


@pytest.mark.parametrize(
    "reply",
    [
        failed("server_error", "An error occurred while processing your request."),
        failed("rate_limit_exceeded", "Rate limit reached for m."),
        failed("upstream_error", "Upstream request failed"),
        error_event(type="service_unavailable_error", code="server_is_overloaded", message="Overloaded."),
        Reply(sse({"type": "error", "code": "server_error", "message": "Oh no.", "param": None})),
    ],
)  # fmt: skip
def test_a_response_that_failed_before_anything_came_is_asked_for_again(reply):
    turn, requests = ask(reply, text_reply("ok"))

    assert (turn["status"], len(requests)) == ("done", 2)
    assert turn["blocks"][0]["text"].startswith("Retried (1/3): ")
    assert turn["blocks"][-1]["text"] == "ok"


def test_a_response_that_failed_after_a_part_of_it_is_cut():
    turn, requests = ask(failed("server_error", "Oh no.", text("half")), text_reply("no"))

    assert (turn["status"], len(requests)) == ("incomplete", 1)
    assert [block.get("text") or block["message"] for block in turn["blocks"]] == [
        "half",
        "The answer was cut off. The server reported an error: Oh no.",
    ]


def test_a_wait_that_only_the_words_name_is_waited_for():
    words = "Rate limit reached for m in organization o on tokens per min (TPM): Limit 9, Used 9. Please try again in 11.054s."
    seen: list[str] = []

    async def watch(turn: Any) -> None:
        seen.append(turn["blocks"][0]["text"])

    ask(failed("rate_limit_exceeded", words), text_reply("ok"), watch=watch)

    assert seen[0].startswith("Retrying in 12 s (1/3): Rate limit reached")


def test_an_answer_of_the_other_api_names_the_setting_of_the_api():
    turn, requests = ask(Reply(b"event: chunk\n" + chat_sse(delta(content="no"), finish())))

    assert (turn["status"], len(requests)) == ("error", 1)
    assert turn["blocks"][-1]["message"] == (
        "Expected an answer of the Responses API, but the server sent a chat completion. "
        'Set api = "chat" in [providers.openai] of msgbook.toml, and restart the kernel if this is a notebook.'
    )
