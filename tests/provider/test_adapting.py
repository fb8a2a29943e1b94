"""A turn continues without what a server refuses, from then on, and a notice says so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from refused import OPTIONS, PICTURE, SEEN, error, refusal

from msgbook.errors import ProviderError
from msgbook.events import ModelFinished, Notice, StreamEvent, TextDelta
from msgbook.messages import IMAGE, tool_result, user
from msgbook.provider import Request
from msgbook.provider.asking import Asking
from msgbook.tools import ToolSet
from msgbook.turn import run_turn
from msgbook.turn.record import TurnRecord

NO_IMAGES = refusal(400, error("this model does not support image input"))
NO_TEMPERATURE = refusal(400, error("temperature is not supported"))
OLD_NAME = refusal(400, error("'max_tokens' is not supported. Use 'max_completion_tokens'."))
NEW_NAME = refusal(400, error("'max_completion_tokens' is not supported. Use 'max_tokens'."))
ANSWER = [TextDelta("ok"), ModelFinished("stop", ended=True)]


class PickyProvider:
    """Refuses requests by a list of what it says to each; answers where that is None or over."""

    name = "picky"

    def __init__(self, *refusals: ProviderError | None, before: Any = ()) -> None:
        self._refusals = list(refusals)
        self._before = before
        self.requests: list[Request] = []

    async def stream(self, request: Request) -> AsyncGenerator[StreamEvent]:
        self.requests.append(request)
        refused = self._refusals.pop(0) if self._refusals else None
        if refused is not None:
            for event in self._before:
                yield event
            raise refused
        for event in ANSWER:
            yield event

    async def models(self) -> list[str]:
        return ["m"]

    async def close(self) -> None: ...


def stream(adapting: Asking, request: Request) -> tuple[list[Any], Any]:
    """What came of a request, and the error that it ended with."""

    async def run():
        events = []
        try:
            async for event in adapting.stream(request):
                events.append(event)  # noqa: PERF401 - those before an error count
        except ProviderError as failure:
            return events, failure
        return events, None

    return asyncio.run(run())


def notices(events):
    return [event.text for event in events if isinstance(event, Notice)]


def test_what_is_refused_is_left_out_from_then_on_with_one_notice():
    picky = PickyProvider(NO_IMAGES)
    adapting = Asking(picky)
    assert adapting.learned.adaptations.accepts_images("m")

    first, _ = stream(adapting, Request("m", [SEEN]))
    again, _ = stream(adapting, Request("m", [SEEN, user("and now?")]))

    (notice,) = notices(first)
    assert notice.startswith("m does not accept images")
    assert notice.endswith("this model does not support image input")
    assert first[1:] == again == ANSWER
    assert [SEEN in request.messages for request in picky.requests] == [True, False, False]
    assert not adapting.learned.adaptations.accepts_images("m")


def test_what_one_model_refuses_another_one_gets():
    picky = PickyProvider(NO_IMAGES)
    adapting = Asking(picky)

    stream(adapting, Request("blind", [SEEN]))
    stream(adapting, Request("seeing", [SEEN]))

    assert picky.requests[-1].messages == [SEEN]
    assert adapting.learned.adaptations.accepts_images("seeing")


def test_several_things_are_learned_in_one_request():
    picky = PickyProvider(NO_TEMPERATURE, OLD_NAME, NO_IMAGES)
    options = {"max_tokens": 9, **OPTIONS}

    events, _ = stream(Asking(picky), Request("m", [SEEN], options=options))

    assert len(notices(events)) == 3
    assert picky.requests[-1].options == {"max_completion_tokens": 9, "reasoning_effort": "low"}
    assert picky.requests[-1].messages == [user(f"what is this?\n{IMAGE}")]


def test_a_server_that_refuses_both_names_is_asked_no_third_time():
    picky = PickyProvider(OLD_NAME, NEW_NAME, OLD_NAME, OLD_NAME)

    events, failure = stream(Asking(picky), Request("m", [], options={"max_tokens": 9}))

    assert [list(request.options) for request in picky.requests] == [
        ["max_tokens"],
        ["max_completion_tokens"],
        ["max_tokens"],
    ]
    assert (events, failure) == ([], OLD_NAME)


@pytest.mark.parametrize(
    "failure", [NO_IMAGES, refusal(400, error("no")), ProviderError("APIError", "busy")]
)
def test_what_is_refused_all_the_same_was_refused_for_another_reason(failure):
    adapting = Asking(PickyProvider(NO_IMAGES, failure))

    events, raised = stream(adapting, Request("m", [SEEN]))

    assert (events, raised) == ([], failure)
    assert adapting.learned.adaptations.accepts_images("m")


def test_after_the_first_event_nothing_is_asked_again():
    picky = PickyProvider(NO_IMAGES, before=[TextDelta("It is")])

    events, failure = stream(Asking(picky), Request("m", [SEEN]))

    assert (events, failure, len(picky.requests)) == ([TextDelta("It is")], NO_IMAGES, 1)


def test_a_model_that_takes_no_images_of_tools_sees_those_of_the_user():
    said = "Image URLs are only allowed for role 'user', but a message with role 'tool' has one."
    adapting = Asking(picky := PickyProvider(refusal(400, error(said))))

    events, _ = stream(adapting, Request("m", [SEEN, tool_result("c", [PICTURE])]))

    assert picky.requests[-1].messages == [SEEN, tool_result("c", IMAGE)]
    assert "from tools" in notices(events)[0]
    assert adapting.learned.adaptations.accepts_images("m")


def test_no_words_of_a_server_or_a_model_steer_a_terminal():
    said = refusal(400, error("image input\x1b[31m is not supported" + " x" * 2000))

    events, _ = stream(Asking(PickyProvider(said)), Request("m\x1b\n{0}", [SEEN]))

    assert "\x1b" not in notices(events)[0]
    assert len(notices(events)[0]) < 700


def test_the_words_of_a_server_are_quoted_whole_or_cut_at_a_word():
    long = "image input is not supported: " + "please verify the organization, " * 9
    for said, end in ((long.strip(), "verify the organization,"), (long * 4, " verify the…")):
        events, _ = stream(Asking(PickyProvider(refusal(400, error(said)))), Request("m", [SEEN]))
        assert notices(events)[0].endswith(end)


def test_the_record_of_a_turn_shows_it_before_the_answer():
    record = TurnRecord({}, lambda: "0" * 8)
    turn = run_turn(
        Request("m", [SEEN]),
        record,
        provider=Asking(PickyProvider(NO_IMAGES)),
        tools=ToolSet([]),
        approve=None,  # type: ignore[arg-type]  # nothing is asked
        redact=lambda text: text,
        clock=lambda: 0.0,
    )

    async def run():
        async for _ in turn:
            pass

    asyncio.run(run())
    blocks = record.snapshot()["blocks"]
    assert [(block["type"], block.get("level")) for block in blocks] == [
        ("notice", "warning"),
        ("text", None),
    ]
