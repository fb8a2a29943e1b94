"""Servers that do what no document says, through the real SDK."""

from __future__ import annotations

import asyncio
import gzip
import json
from typing import Any

import pytest
from apis import over_all_apis
from completions import DONE, delta, finish, sse
from raw_server import Reply, ask, raw_server, status, text_reply
from scripted_server import Answer

from msgbook.config import ProviderSettings, load_settings
from msgbook.errors import ProviderError
from msgbook.events import TextDelta
from msgbook.messages import user
from msgbook.provider import OpenAIProvider, Request
from msgbook.provider.http import LIST_BYTES

pytestmark = over_all_apis


def test_an_answer_that_was_marked_complete_may_end_with_a_broken_connection():
    turn, _ = ask(Reply(sse(delta(content="all"), finish()), end="cut"))

    assert turn["status"] == "done"
    assert [block.get("text") for block in turn["blocks"]] == ["all"]


def test_a_server_that_keeps_the_body_open_after_the_end_mark_is_not_waited_for():
    turn, _ = ask(Reply(sse(delta(content="all"), finish(), DONE), end="hold"))

    assert turn["status"] == "done"


def test_a_server_that_gives_a_finish_reason_and_then_keeps_silent_is_not_waited_for():
    async def events():
        async with raw_server(Reply(sse(delta(content="all"), finish()), end="hold")) as server:
            provider = OpenAIProvider(ProviderSettings("p", server.url), linger=0.05)
            found = [event async for event in provider.stream(Request("m", [user("hi")]))]
            await provider.close()
            return found

    text, end = asyncio.run(events())

    assert text == TextDelta("all")
    assert (end.ended, end.finish_reason) == (True, "stop")


PLAIN = Reply(json.dumps({"choices": [{"message": {"content": "plain"}}]}).encode())


def asked_to_stream(requests):
    return [{k: v for k, v in r.items() if k.startswith("stream")} for r in requests]


def test_a_server_that_cannot_stream_is_asked_otherwise_and_only_once_for_that():
    refusal = status(422, message="streaming is not supported")

    turn, requests = ask(refusal, PLAIN, turns=2)

    first, *others = asked_to_stream(requests)
    assert first["stream"] is True
    assert others == [{"stream": False}] * 2
    assert (turn["status"], turn["blocks"][0]["text"]) == ("done", "plain")


@pytest.mark.parametrize(
    "refusal",
    [
        status(400, message="Unknown field: stream_options"),
        Reply(b'{"detail": [{"loc": ["body", "stream_options"]}]}', "422 X"),
    ],
    ids=["in words", "as FastAPI words it"],
)
def test_a_server_without_stream_options_is_asked_without_and_only_once_for_that(refusal, api):
    is_chat = api == "chat"
    turn, requests = ask(*[refusal] * is_chat, text_reply("plain"), turns=2)

    options = {"stream_options": {"include_usage": True}}
    first = [{"stream": True, **options}] if is_chat else []  # the other API has no such options
    assert asked_to_stream(requests) == [*first, *[{"stream": True}] * 2]
    assert (turn["status"], turn["blocks"][0]["text"]) == ("done", "plain")


def test_a_refusal_of_the_simplest_request_is_the_servers_word():
    turn, requests = ask(status(400, message="no stream of words"))

    assert [request["stream"] for request in requests] == [True, False]
    assert turn["blocks"][0]["message"] == "The server answered 400: no stream of words."


def test_a_refusal_of_something_else_is_no_reason_to_ask_otherwise():
    turn, requests = ask(status(400, message="temperature is too high"))

    assert len(requests) == 1
    assert turn["status"] == "error"


@pytest.mark.parametrize(
    "reply",
    [
        status(400, message="bad key sk-of-a-test-1234"),
        status(500, message="bad key sk-of-a-test-1234"),
        Reply(sse({"error": {"message": "bad key sk-of-a-test-1234"}})),
        Reply(b"<html>sk-of-a-test-1234"),
        Reply(b"sk-of-a-test-1234", "500 sk-of-a-test-1234"),
    ],
    ids=["refusal", "retried", "in the stream", "page", "reason phrase"],
)
def test_no_answer_can_make_the_key_show_up(reply):
    turn, _ = ask(reply, OPENAI_API_KEY="sk-of-a-test-1234")

    assert "sk-of-a-test" not in str(turn)
    assert "[redacted]" in str(turn)


SILENCE = [b"", b": a comment\n\n", b"\n\n\n", b": ping\r\n\r\n: ping\r\n\r\n"]
NOTHING = (
    "The server sent nothing. The conversation may be longer than its context window: %context shows the size "
    "of each cell, and the server's log may say more."
)


@pytest.mark.parametrize("body", SILENCE)
def test_a_server_without_a_word_is_asked_once_without_streaming_for_the_cause(body):
    words = "This model's maximum context length is 512 tokens. However, you requested 900."
    cause = status(400, message=words)

    turn, requests = ask(Reply(body), cause)

    assert (turn["status"], len(requests)) == ("error", 2)
    assert "maximum context length is 512" in turn["blocks"][-1]["message"]
    assert "%compact" in turn["blocks"][-1]["message"]
    streamed, plain = requests
    assert plain.pop("stream") is False
    assert {k: v for k, v in streamed.items() if not k.startswith("stream")} == plain


def test_a_server_without_a_word_that_answers_without_streaming_has_answered():
    turn, requests = ask(Reply(), PLAIN)

    assert (turn["status"], len(requests)) == ("done", 2)
    assert [block["text"] for block in turn["blocks"]] == [
        "The server returned an empty stream, so the request was repeated without streaming.",
        "plain",
    ]


def test_the_next_request_to_a_server_without_a_word_streams_again():
    _, requests = ask(Reply(), PLAIN, text_reply("ok"), turns=2)

    assert [request["stream"] for request in requests] == [True, False, True]


@pytest.mark.parametrize("body", SILENCE)
def test_a_body_without_a_word_is_a_state_of_its_own(body):
    turn, requests = ask(Reply(body))

    assert (turn["status"], len(requests)) == ("incomplete", 2)
    assert turn["blocks"][-1]["message"] == NOTHING


@pytest.mark.parametrize(
    "body",
    [
        sse(DONE),
        sse(delta(role="assistant", content="")),
        sse({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 0}}),
        b"data: \n\n",
        b": " + b"x" * 100_000 + b"\n\n",
    ],
)
def test_a_server_that_did_answer_is_not_asked_twice(body):
    turn, requests = ask(Reply(body), PLAIN)

    assert (turn["status"], len(requests)) == ("incomplete", 1)
    assert turn["blocks"][-1]["message"] == NOTHING


def test_an_interrupt_ends_the_question_for_the_cause_at_once(server):
    server.answers = [Answer(body="", content_type="text/event-stream"), Answer(hold=0)]

    async def interrupted():
        provider = OpenAIProvider(ProviderSettings("p", server.url))
        answer = asyncio.ensure_future(anext(provider.stream(Request("m", [user("hi")]))))
        await asyncio.to_thread(server.streaming.wait, 10)
        answer.cancel()
        try:
            await answer
        finally:
            await provider.close()

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(interrupted())
    assert server.disconnected.wait(300)
    assert len(server.requests) == 2


NO_ROUTE = {
    "chat": "The server has no /v1/chat/completions. Check OPENAI_BASE_URL (it usually ends in /v1), or set api = "
    '"responses" in [providers.openai] of msgbook.toml, and restart the kernel if this is a notebook.',
    "responses": 'The server has no /v1/responses. Set api = "chat" in [providers.openai] of msgbook.toml, or check '
    "OPENAI_BASE_URL (it usually ends in /v1), and restart the kernel if this is a notebook.",
    "anthropic": 'The server has no /v1/messages. Set api = "chat" in [providers.openai] of msgbook.toml, or check '
    "OPENAI_BASE_URL (it usually ends in /v1), and restart the kernel if this is a notebook.",
}


def test_a_missing_route_is_asked_for_once_and_names_the_api(api):
    turn, requests = ask(Reply(b"404 page not found", "404 X"))

    assert (turn["status"], len(requests)) == ("error", 1)
    said = f"The server answered 404: 404 page not found. {NO_ROUTE[api]}"
    assert turn["blocks"][-1]["message"] == said


def test_a_missing_route_may_come_with_status_200(api):
    lm_studio = json.dumps({"error": "Unexpected endpoint or method. (POST /v1/chat)"}).encode()

    turn, requests = ask(Reply(lm_studio, headers=("content-type: application/json",)))

    assert (turn["status"], len(requests)) == ("error", 1)
    assert turn["blocks"][-1]["message"].endswith(NO_ROUTE[api])


def test_a_model_that_loads_may_say_so_with_status_200():
    loading = {"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}

    turn, requests = ask(*[Reply(sse(loading))] * 5, text_reply("ok"))

    assert (turn["status"], len(requests)) == ("done", 6)
    assert turn["blocks"][0]["text"] == "Retried (5): Loading model"


HALF = sse(delta(content="half"))


def half_then(error: Any) -> Reply:
    return Reply(sse(delta(content="half"), {"error": error}))


@pytest.mark.parametrize(
    "reply",
    [
        half_then({"message": "no key", "code": 401}),
        half_then({"message": "the model does not exist", "code": "model_not_found"}),
        half_then("upstream is gone"),
        Reply(sse(delta(reasoning="half"), {"error": {"message": "limit", "code": 429}})),
        Reply(HALF + b"event: error\ndata: gone\n\n"),
        Reply(HALF, end="cut"),
        Reply(HALF, end="reset"),
    ],
    ids=["key", "model", "words", "after reasoning", "event", "cut", "reset"],
)
def test_after_half_an_answer_an_error_is_a_cut_and_blames_no_setting(reply):
    turn, requests = ask(reply, text_reply("no"))

    half, end = turn["blocks"]
    assert (turn["status"], half["text"], len(requests)) == ("incomplete", "half", 1)
    assert end["message"].startswith("The answer was cut off. The ")
    for advice in ("Check", "OPENAI", "running", "Try", "%model"):
        assert advice not in end["message"]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ({"message": "bad", "code": 401}, "The server reported an error: bad. OPENAI_API_KEY is not set."),
        ({"message": "bad", "code": "invalid_api_key"}, "OPENAI_API_KEY is not set."),
        ({"message": "no", "code": "model_not_found"}, "Check the model's name ('m'"),
        ({"message": "This exceeds the context window", "type": "x"}, "%compact"),
        ({"message": "too long", "code": "context_length_exceeded"}, "%compact"),
        ("oh no", "The server reported an error: oh no."),
        ({"message": "no stream today"}, "The server reported an error: no stream today."),
    ],
)  # fmt: skip
def test_an_error_before_any_text_has_the_same_advice_as_one_of_http(error, words, api):
    turn, requests = ask(Reply(sse(delta(role="assistant", content=""), {"error": error})))

    # Anthropic's API has a type for each error; that of any other is asked again.
    is_plain = not isinstance(error, dict) or error.keys() == {"message"}
    tries = 4 if api == "anthropic" and is_plain else 1
    assert (turn["status"], len(requests)) == ("error", tries)
    assert words in turn["blocks"][-1]["message"]


@pytest.mark.parametrize(
    "error",
    [
        {"message": "busy", "code": 502},
        {"message": "busy", "code": "429"},
        {"message": "busy", "code": "rate_limit_exceeded"},
        {"message": "busy", "code": "server_error"},
        {"message": "busy", "type": "overloaded_error"},
    ],
)
def test_an_error_before_any_text_that_may_pass_is_asked_again(error):
    turn, requests = ask(Reply(sse({"error": error})), text_reply("ok"))

    assert (turn["status"], len(requests)) == ("done", 2)
    assert "busy" in turn["blocks"][0]["text"]


def test_a_spent_quota_is_not_asked_for_again():
    error = {"message": "You exceeded your quota.", "code": "insufficient_quota"}

    turn, requests = ask(Reply(sse({"error": error})))

    assert (turn["status"], len(requests)) == ("error", 1)
    assert "spending limit" in turn["blocks"][-1]["message"]


BROKEN = Reply(b'{"choices": [{"mess')


def test_broken_json_blames_the_url_only_where_the_server_never_answered():
    first, _ = ask(BROKEN)
    later, _ = ask(text_reply("ok"), BROKEN, turns=2)

    assert "Check OPENAI_BASE_URL" in first["blocks"][-1]["message"]
    assert "URL" not in later["blocks"][-1]["message"]
    assert later["blocks"][-1]["message"].endswith(
        "The server has answered before, so this is a fault of the server or of a proxy: run the cell again."
    )


def test_a_server_that_is_gone_after_good_turns_had_the_right_url():
    turn, _ = ask(text_reply("ok"), Reply(end="cut"), turns=2)

    assert "The server has answered before. Is it still running?" in turn["blocks"][-1]["message"]


def test_an_error_whose_body_never_ends_is_read_no_further_than_a_person_would():
    endless = Reply(b"no " * 1000, "400 X", ("content-type: text/plain",), end="endless")

    turn, _ = ask(endless)

    assert turn["status"] == "error"
    assert turn["blocks"][-1]["message"].startswith("The server answered 400")
    assert len(turn["blocks"][-1]["message"]) < 2000


def test_an_error_that_is_compressed_several_times_is_not_unpacked():
    inner = gzip.compress(b'{"error": {"message": "unpacked"}}')
    headers = ("content-type: application/json", "content-encoding: gzip")
    nested = ("content-type: application/json", "content-encoding: gzip, gzip")

    once, _ = ask(Reply(inner, "400 X", headers))
    twice, _ = ask(Reply(gzip.compress(inner), "400 X", nested))

    assert "unpacked" in once["blocks"][-1]["message"]
    assert twice["blocks"][-1]["message"].startswith("The server answered 400")
    assert "unpacked" not in twice["blocks"][-1]["message"]


def test_a_list_of_models_is_read_no_further_than_one_can_be_long(server):
    server.models_body = json.dumps({"data": [{"id": "m"}], "more": " " * LIST_BYTES})
    settings = load_settings({"OPENAI_BASE_URL": server.url}).provider

    async def models():
        provider = OpenAIProvider(settings)
        try:
            return await provider.models()
        finally:
            await provider.close()

    with pytest.raises(ProviderError):
        asyncio.run(models())
    assert server.seen[0]["accept-encoding"] == "identity"
