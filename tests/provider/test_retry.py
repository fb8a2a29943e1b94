"""Asking again: which failures, how often, how long, and what the user sees of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from completions import delta, sse
from hypothesis import given
from hypothesis import strategies as st
from raw_server import Reply, ask, status, text_reply
from scripted_server import ScriptedServer

from msgbook.config import load_settings
from msgbook.errors import ProviderError, Retry
from msgbook.events import RetryWait, StreamEvent, TextDelta
from msgbook.provider import Request, Servers
from msgbook.provider.asking import Asking
from msgbook.provider.requested_waits import LONGEST_WAIT, may_retry, requested_wait


class ScriptedProvider:
    """Each request gets the next script: events, and an error at its end."""

    name = "scripted"

    def __init__(self, *scripts: list[Any]) -> None:
        self._scripts = list(scripts)
        self.requests = 0

    async def stream(self, request: Request) -> AsyncGenerator[StreamEvent]:
        self.requests += 1
        for event in self._scripts.pop(0):
            if isinstance(event, ProviderError):
                raise event
            yield event

    async def models(self) -> list[str]:
        return []

    async def close(self) -> None: ...


class VirtualTime:
    """A sleep that takes no time and remembers how long it would have been."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


def limited(after: float | None = None) -> ProviderError:
    return ProviderError("RateLimitError", "The server answered 429.", Retry("429", after))


def stream(provider: ScriptedProvider, jitter: float = 0.0) -> tuple[Any, list[Any], list[float]]:
    """What a retrying provider raised, yielded and slept."""
    time = VirtualTime()
    retrying = Asking(provider, sleep=time.sleep, random=lambda: jitter)
    events: list[Any] = []

    async def run() -> Any:
        try:
            async for event in retrying.stream(Request("m", [])):
                events.append(event)  # noqa: PERF401 - those before an error count
        except ProviderError as error:
            return error
        return None

    return asyncio.run(run()), events, time.slept


def test_a_server_that_could_not_answer_is_asked_again_after_a_countdown():
    error, events, slept = stream(ScriptedProvider([limited(2.5)], [TextDelta("ok")]))

    assert error is None
    waits = [RetryWait(1, 3, seconds, "429") for seconds in (2.5, 2.0, 1.0, 0)]
    assert events == [*waits, TextDelta("ok")]
    assert slept == [0.5, 1.0, 1.0]


def test_it_is_asked_three_times_more_and_each_wait_is_longer():
    provider = ScriptedProvider(*([limited()] for _ in range(4)))

    error, _, slept = stream(provider)

    assert str(error) == "The server answered 429."
    assert provider.requests == 4
    assert slept == [0.5, 1.0, 1.0, 1.0]


@given(st.floats(0, 1, exclude_max=True), st.sampled_from([None, 0.0, 1.0, 7.5, 120.0]))
def test_chance_shifts_a_wait_but_never_below_what_the_server_asks(jitter, asked):
    _, _, slept = stream(ScriptedProvider([limited(asked)], []), jitter)

    assert sum(slept) >= (asked or 0.375) - 1e-9
    assert sum(slept) <= (asked or 0) + 0.5


@pytest.mark.parametrize(
    ("seconds", "words"), [(121, "3 minutes"), (86_400, "24 hours"), (float("inf"), "for ever")]
)
def test_a_server_that_asks_for_too_long_a_wait_is_not_waited_for(seconds, words):
    provider = ScriptedProvider([limited(seconds)], [])

    error, _, slept = stream(provider)

    assert words in str(error)
    assert (provider.requests, slept) == (1, [])


def loading(after: float | None = None) -> ProviderError:
    words = "The server answered 503: Loading model."
    return ProviderError("InternalServerError", words, Retry("503 Loading model", after, True))


def test_a_server_that_loads_its_model_is_waited_for_more_often_than_one_that_fails():
    provider = ScriptedProvider(*([loading()] for _ in range(9)), [TextDelta("ok")])

    error, events, slept = stream(provider)

    assert (error, provider.requests) == (None, 10)
    assert sum(slept) == 0.5 + 1 + 2 + 4 + 5 * 8
    left = [event.seconds for event in events if isinstance(event, RetryWait) and event.seconds]
    assert left[0] == LONGEST_WAIT
    assert left == sorted(left, reverse=True)
    assert [event.text for event in events if isinstance(event, RetryWait)][-2:] == [
        "Waiting up to 74 s: 503 Loading model",
        "Retried (9): 503 Loading model",
    ]
    assert events[-1] == TextDelta("ok")


@given(st.floats(0, 1, exclude_max=True), st.sampled_from([None, 0.0, 1.0, 90.0]))
def test_after_two_minutes_of_loading_the_words_say_so(jitter, asked):
    provider = ScriptedProvider(*([loading(asked)] for _ in range(200)))

    error, _, slept = stream(provider, jitter)

    assert str(error) == (
        "The server answered 503: Loading model. "
        "It was still loading after 2 minutes; run the cell again when it is ready."
    )
    assert error.retry is None
    assert sum(slept) == pytest.approx(LONGEST_WAIT)
    assert provider.requests <= 180


def test_waiting_for_a_model_leaves_the_retries_of_other_failures():
    script = [[loading()] for _ in range(5)] + [[limited()] for _ in range(4)]
    provider = ScriptedProvider(*script)

    error, _, _ = stream(provider)

    assert str(error) == "The server answered 429."
    assert provider.requests == 9


def test_what_retrying_cannot_help_is_not_retried():
    provider = ScriptedProvider([ProviderError("BadRequestError", "no")], [])

    error, events, _ = stream(provider)

    assert (str(error), events, provider.requests) == ("no", [], 1)


@pytest.mark.parametrize(
    ("status", "headers", "body", "expected"),
    [
        (408, {}, None, True),
        (409, {}, None, True),
        (429, {}, {"error": {"code": "rate_limit_exceeded"}}, True),
        (500, {}, "<html>", True),
        (529, {}, None, True),
        (400, {}, None, False),
        (401, {}, None, False),
        (404, {}, None, False),
        (429, {}, {"error": {"code": "insufficient_quota"}}, False),
        (429, {}, {"code": "insufficient_quota"}, False),
        (429, {}, {"error": {"type": "insufficient_quota", "code": None}}, False),
        (500, {"x-should-retry": "false"}, None, False),
        (501, {}, None, False),
        (505, {}, None, False),
        (400, {"x-should-retry": "true"}, None, True),
    ],
)
def test_which_answers_are_worth_a_retry(status, headers, body, expected):
    assert may_retry(status, headers, body) is expected


NOW = 1_800_000_000.0
AN_HOUR_LATER = "Fri, 15 Jan 2027 09:00:07 GMT"


@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ({}, None, None),
        ({"retry-after": "2"}, None, 2.0),
        ({"retry-after": "0.3"}, None, 0.3),
        ({"retry-after-ms": "250", "retry-after": "9"}, None, 0.25),
        ({"retry-after": "Fri, 15 Jan 2027 08:00:07 GMT"}, None, 7.0),
        ({"retry-after": "Fri, 15 Jan 2027 07:00:00 GMT"}, None, 0.0),
        ({"retry-after": AN_HOUR_LATER, "date": "Fri, 15 Jan 2027 09:00:00 GMT"}, None, 7.0),
        ({"retry-after": "soon"}, None, None),
        ({"retry-after": "-1"}, None, None),
        ({"retry-after": "nan"}, None, None),
        ({"x-ratelimit-reset": "1800000004000"}, None, 4.0),
        ({"x-ratelimit-reset": "1800000004"}, None, 4.0),
        ({"x-ratelimit-reset": "4"}, None, 4.0),
        ({"x-ratelimit-reset": "1m2s"}, None, None),
        ({}, {"error": {"metadata": {"headers": {"X-RateLimit-Reset": "1800000004000"}}}}, 4.0),
        ({}, {"error": {"metadata": "x"}}, None),
        ({}, {"error": {"metadata": {"headers": {"X-RateLimit-Reset": 10**400}}}}, None),
        ({}, {"error": {"message": "Please try again in 11.054s. Visit us."}}, 11.054),
        ({}, {"error": {"message": "Please try again in 7m12s."}}, 432.0),
        ({}, {"error": {"message": "Please try again in 250ms."}}, 0.25),
        ({}, {"error": {"message": "Please try again in 1h2m3.5s."}}, 3723.5),
        ({}, {"error": {"message": "Please retry in 34.07s."}}, 34.07),
        ({}, {"error": {"message": "Please try again in a moment."}}, None),
        ({"retry-after": "2"}, {"error": {"message": "Please try again in 11s."}}, 2.0),
    ],
)
def test_how_long_a_server_asks_to_wait(headers, body, seconds):
    assert requested_wait(429, headers, body, lambda: NOW) == seconds


def test_when_a_limit_is_lifted_says_nothing_about_another_failure():
    words = {"error": {"message": "Please try again in 4s."}}

    assert requested_wait(503, {"x-ratelimit-reset": "4"}, words, lambda: NOW) is None


def test_a_turn_counts_down_in_one_notice_that_stays():
    seen: list[str] = []

    async def watch(turn: Any) -> None:
        seen.append(turn["blocks"][-1]["text"])

    turn, requests = ask(
        status(429, "retry-after: 2"), status(503, "retry-after: 1"), text_reply("ok"), watch=watch
    )

    assert len(requests) == 3
    assert [text[:20] for text in seen if "(1/3)" in text][:2] == [
        "Retrying in 3 s (1/3",
        "Retrying in 2 s (1/3",
    ]
    assert [(b["type"], b["text"]) for b in turn["blocks"]] == [
        ("notice", "Retried (2/3): 503 slow down"),
        ("text", "ok"),
    ]
    assert turn["status"] == "done"


def test_after_the_last_retry_the_turn_ends_with_the_servers_words():
    turn, requests = ask(status(500))

    assert len(requests) == 4
    assert turn["status"] == "error"
    assert turn["blocks"][0]["text"] == "Retried (3/3): 500 slow down"
    assert turn["blocks"][1]["message"] == "The server answered 500: slow down."


@pytest.mark.parametrize("end", ["cut", "reset"])
def test_an_answer_that_breaks_off_is_kept_and_not_asked_for_again(end):
    turn, requests = ask(Reply(sse(delta(content="half <")), end=end), text_reply("no"))

    assert len(requests) == 1
    assert turn["status"] == "incomplete"
    assert turn["blocks"][0]["text"] == "half <"
    assert turn["blocks"][1]["message"].startswith("The answer was cut off. The connection")


def test_a_connection_that_breaks_before_the_first_byte_is_made_again():
    turn, requests = ask(Reply(end="cut"), text_reply("ok"))

    assert len(requests) == 2
    assert turn["blocks"][-1]["text"] == "ok"


def test_an_interrupt_ends_the_wait_at_once():
    async def watch(_turn: Any) -> None:
        raise asyncio.CancelledError

    turn, requests = ask(status(429, "retry-after: 60"), text_reply("no"), watch=watch)

    assert (turn["status"], len(requests)) == ("interrupted", 1)
    assert turn["blocks"][0]["text"] == "Retrying in 61 s (1/3): 429 slow down"


LOADING = status(503, message="Loading model")


def test_a_turn_waits_for_a_model_in_one_notice_and_an_interrupt_ends_that():
    done, requests = ask(*[LOADING] * 6, text_reply("ok"))

    async def interrupt(_turn: Any) -> None:
        raise asyncio.CancelledError

    stopped, _ = ask(LOADING, watch=interrupt)

    assert (done["status"], len(requests)) == ("done", 7)
    assert [block["text"] for block in done["blocks"]] == ["Retried (6): 503 Loading model", "ok"]
    assert stopped["status"] == "interrupted"
    assert stopped["blocks"][0]["text"] == "Waiting up to 120 s: 503 Loading model"


def test_a_server_whose_only_model_answers_is_waited_for_before_it_names_it():
    body = json.dumps({"error": {"code": 503, "message": "Loading model"}})
    waits: list[str] = []
    slept: list[float] = []

    async def choose(server: ScriptedServer) -> str:
        async def sleep(seconds: float) -> None:
            slept.append(seconds)
            if len(slept) == 3:
                server.models_body = None

        settings = load_settings({"OPENAI_BASE_URL": server.url})
        servers = Servers(settings, problem=None, sleep=sleep)
        try:
            return await servers.choose_model(notify=lambda wait: waits.append(wait.text))
        finally:
            await servers.close()

    with ScriptedServer(models=["tiny"], models_body=body, models_status=503) as server:
        assert asyncio.run(choose(server)) == "tiny"

    assert waits[0] == "Waiting up to 120 s: 503 Loading model"
    assert waits[-1].startswith("Retried (")


def test_a_model_that_is_estimated_to_load_for_long_is_not_waited_for():
    body = {"error": "Model m is currently loading", "estimated_time": 1809.2}
    reply = Reply(json.dumps(body).encode(), "503 X", ("content-type: application/json",))

    turn, requests = ask(reply)

    assert (turn["status"], len(requests)) == ("error", 1)
    assert "It asks to wait 31 minutes" in turn["blocks"][-1]["message"]
