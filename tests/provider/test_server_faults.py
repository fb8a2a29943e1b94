"""Servers that do what no document says, through the real SDK."""

from __future__ import annotations

import asyncio
import gzip
import json

import pytest
from completions import DONE, delta, finish, sse
from raw_server import Reply, ask, raw_server, status, text_reply

from msgbook.config import ProviderSettings, load_settings
from msgbook.errors import ProviderError
from msgbook.events import TextDelta
from msgbook.messages import user
from msgbook.provider import OpenAIProvider, Request
from msgbook.provider.http import LIST_BYTES


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


@pytest.mark.parametrize(
    ("refusal", "reply", "streaming"),
    [
        (
            status(400, message="Unknown field: stream_options"),
            text_reply("plain"),
            {"stream": True},
        ),
        (status(422, message="streaming is not supported"), PLAIN, {"stream": False}),
        (
            Reply(b'{"detail": [{"loc": ["body", "stream_options"]}]}', "422 X"),
            text_reply("plain"),
            {"stream": True},
        ),
    ],
    ids=["no stream_options", "no stream", "as FastAPI words it"],
)
def test_a_server_that_cannot_stream_is_asked_otherwise_and_only_once_for_that(
    refusal, reply, streaming
):
    turn, requests = ask(refusal, reply, turns=2)

    asked = [{k: v for k, v in r.items() if k.startswith("stream")} for r in requests]
    assert asked == [{"stream": True, "stream_options": {"include_usage": True}}, *[streaming] * 2]
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


@pytest.mark.parametrize("body", [b"", b": a comment\n\n", b"\n\n\n"])
def test_a_body_without_a_word_is_a_state_of_its_own(body):
    turn, requests = ask(Reply(body))

    assert (turn["status"], len(requests)) == ("incomplete", 1)
    assert turn["blocks"][-1]["message"] == "The server sent nothing."


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
