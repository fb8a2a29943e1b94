"""Several models: the next one is asked where the server does not know the one before."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from refused import error

from msgbook.config import ProviderSettings
from msgbook.errors import ProviderError, Retry
from msgbook.events import ModelChosen, ModelFinished, Notice, StreamEvent, TextDelta
from msgbook.messages import user
from msgbook.provider import Request
from msgbook.provider.asking import Asking
from msgbook.provider.failures import Failures, UnknownModelError

ANSWER = [TextDelta("ok"), ModelFinished("stop", ended=True)]


def refusal(status: int, body: Any, model: str = "m") -> ProviderError:
    return Failures(ProviderSettings("p"), ()).from_status("E", status, {}, body, model, "cell 2")


class KnowsSome:
    """Answers for the models that it knows; for any other it raises what `refuse` makes."""

    name = "some"

    def __init__(self, *known: str, refuse: Any = None, before: Any = ()) -> None:
        self.known = known
        self.asked: list[str] = []
        self._refuse = refuse or (
            lambda model: refusal(404, error(f"model '{model}' not found"), model)
        )
        self._before = before

    async def stream(self, request: Request) -> AsyncGenerator[StreamEvent]:
        self.asked.append(request.model)
        await asyncio.sleep(0)
        if request.model not in self.known:
            for event in self._before:
                yield event
            raise self._refuse(request.model)
        for event in ANSWER:
            yield event

    async def models(self) -> list[str]:
        return list(self.known)

    async def close(self) -> None: ...


def stream(provider: Asking) -> tuple[list[Any], ProviderError | None]:
    """What came of a request, and the error that it ended with."""

    async def run():
        events = []
        try:
            async for event in provider.stream(Request("a", [user("hi")])):
                events += [event]
        except ProviderError as error:
            return events, error
        return events, None

    return asyncio.run(run())


def test_the_first_model_that_the_server_knows_answers_and_a_notice_says_so():
    server = KnowsSome("c", "d")
    provider = Asking(server, models=["a", "b", "c", "d"])

    events, failure = stream(provider)

    assert failure is None
    assert server.asked == ["a", "b", "c"]
    notices = [event.text for event in events if isinstance(event, Notice)]
    assert notices == [
        "The server does not know the model a; b is asked instead. It said: model 'a' not found",
        "The server does not know the model b; c is asked instead. It said: model 'b' not found",
    ]
    assert events[-3:] == [ModelChosen("c"), *ANSWER]


def test_later_requests_of_the_turn_go_to_the_model_that_answered():
    server = KnowsSome("b")
    provider = Asking(server, models=["a", "b"])
    stream(provider)

    assert stream(provider) == ([ModelChosen("b"), *ANSWER], None)
    assert server.asked == ["a", "b", "b"]


def test_nothing_is_said_where_the_first_model_answers():
    assert stream(Asking(KnowsSome("a"), models=["a", "b"])) == (ANSWER, None)


def test_where_no_model_is_known_the_error_lists_those_that_were_tried():
    _, failure = stream(Asking(KnowsSome(), models=["a", "b"]))

    assert str(failure).startswith("The server knows none of the models a, b. The server answered")
    assert "set by cell 2" in str(failure)


@pytest.mark.parametrize(
    "failure",
    [
        refusal(401, error("no key")),
        refusal(403, error("forbidden")),
        refusal(404, "Not Found"),
        refusal(404, {"detail": "Not Found"}),
        refusal(429, error("model m is overloaded")),
        refusal(500, error("model m not found in cache")),
        refusal(503, error("loading model")),
        refusal(400, error("This model does not support tools")),
        ProviderError("APIConnectionError", "refused", Retry("refused")),
    ],
)
def test_no_other_error_makes_the_next_model_answer(failure):
    server = KnowsSome("b", refuse=lambda model: failure)

    _, raised = stream(Asking(server, models=["a", "b"]))

    assert (raised, server.asked) == (failure, ["a"])


def test_calls_side_by_side_ask_for_the_next_model_once():
    server = KnowsSome("b")
    provider = Asking(server, models=["a", "b"])

    async def one():
        return [event async for event in provider.stream(Request("a", []))]

    async def both():
        return await asyncio.gather(one(), one())

    events = [event for answer in asyncio.run(both()) for event in answer]

    assert server.asked == ["a", "a", "b", "b"]
    assert sum(isinstance(event, Notice) for event in events) == 1


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, {"error": {"message": "The model `NAME` does not exist or you do not have access to it.",
                         "type": "invalid_request_error", "param": None, "code": "model_not_found"}}),
        (403, {"error": {"message": "Project `p` does not have access to model `NAME`",
                         "type": "invalid_request_error", "code": "model_not_found"}}),
        (404, {"error": {"message": "The model `NAME` does not exist.", "type": "NotFoundError",
                         "param": "model", "code": 404}}),
        (404, {"object": "error", "message": "The model `NAME` does not exist.", "code": 404}),
        (404, {"error": {"message": 'model "NAME" not found, try pulling it first',
                         "type": "api_error", "param": None, "code": None}}),
        (404, {"error": {"message": "model 'NAME:latest' not found", "type": "not_found_error"}}),
        (400, {"error": {"message": "/chat/completions: Invalid model name passed in model=NAME. Call "
                         "`/v1/models` to view available models for your key.", "code": "400"}}),
        (400, {"error": {"message": "NAME is not a valid model ID", "code": 400}}),
        (404, {"error": {"message": "No endpoints found for NAME.", "code": 404}}),
        (400, {"object": "error", "message": "Invalid model: NAME", "type": "invalid_model",
               "param": None, "code": "1500"}),
        (400, {"error": {"message": "Model Not Exist", "type": "invalid_request_error"}}),
        (404, [{"error": {"code": 404, "message": "models/NAME is not found for API version v1main, or "
                          "is not supported for generateContent.", "status": "NOT_FOUND"}}]),
        (404, {"error": {"message": "Publisher Model `projects/p/locations/l/publishers/google/models/NAME` "
                         "was not found or your project does not have access to it.", "code": 404}}),
        (404, {"error": {"message": "model: NAME", "type": "not_found_error"}}),
        (404, {"error": {"code": "DeploymentNotFound", "message": "The API deployment for this resource "
                         "does not exist."}}),
        (404, {"error": {"message": "Model not found, inaccessible, and/or not deployed"}}),
    ],
)  # fmt: skip
def test_servers_say_in_many_ways_that_they_do_not_know_a_model(status, body):
    name = "org/model-7b:q4"
    body = json.loads(json.dumps(body).replace("NAME", name))

    failure = refusal(status, body, name)

    assert isinstance(failure, UnknownModelError)
    assert f"'{name}', set by cell 2" in str(failure)


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (404, "No endpoints found that support tool use."),
        (404, "No endpoints found that support image input"),
        (
            404,
            "This is not a chat model and thus not supported in the v1/chat/completions endpoint.",
        ),
        (400, "Invalid model parameter: temperature"),
        (400, "Unknown parameter: 'model_kwargs'"),
        (400, "The file a.txt was not found"),
        (401, "The model `m` does not exist"),
    ],
)
def test_other_refusals_are_not_taken_for_an_unknown_model(status, words):
    assert not isinstance(refusal(status, error(words)), UnknownModelError)
