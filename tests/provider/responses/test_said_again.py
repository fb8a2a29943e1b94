"""Nothing of a response is shown or run twice when a server says it again under other names, nor lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from responses import (
    USAGE,
    added,
    arguments,
    call,
    completed,
    done,
    event,
    message,
    plain,
    response,
    text,
)
from streamed_turns import StreamedTurn


def _said(*events: Any) -> dict[str, Any]:
    return StreamedTurn("responses", plain(*events)).said


@pytest.mark.parametrize(
    "whole",
    ['{"a":1}', '{"a": 1}', '{"a":1,"b":null}', '{"b":false,"a":1}', '{"a":1,"b":{"c":[]}}'],
)
@pytest.mark.parametrize("end", [True, False])
def test_an_announced_call_with_defaults_added_under_another_id_runs_once(
    whole: str, end: bool
) -> None:
    again = call("f", whole, item_id="fc_9", call_id="other")
    stream = [added(call("f", "", item_id="fc_1"), 0), arguments('{"a":1}', "fc_1", 0)]
    stream += [done(again, 1)] * end + [completed(call("f", whole, item_id="z", call_id="w"))]

    assert _said(*stream)["runs"] == [("f", '{"a":1}')]


def test_two_calls_of_which_one_adds_to_the_other_both_run() -> None:
    one, two = '{"a":1}', '{"a":1,"b":2}'
    stream = [added(call("f", "", item_id=f"fc_{n}", call_id=f"c{n}"), n) for n in (0, 1)]
    stream += [arguments(one, "fc_0", 0), arguments(two, "fc_1", 1)]
    stream += [
        done(call("f", a, item_id=f"x{n}", call_id=f"y{n}"), n + 1)
        for n, a in enumerate((two, one))
    ]
    stream += [
        completed(
            call("f", one, item_id="p", call_id="q"), call("f", two, item_id="r", call_id="s")
        )
    ]

    assert [json.loads(a) for _, a in _said(*stream)["runs"]] == [json.loads(one), json.loads(two)]


BLANKS = ["Hello you", "Hello you\n", "\n\nHello you", " Hello you \n\n"]


@pytest.mark.parametrize("sent", BLANKS)
@pytest.mark.parametrize("whole", BLANKS)
def test_a_text_that_is_completed_with_other_blanks_is_shown_once(sent: str, whole: str) -> None:
    end = completed(message(whole, item_id="msg_7"))
    deltas = [text(sent[:4], "msg_1"), text(sent[4:], "msg_1")]
    for stream in (
        [
            added(message(item_id="msg_1"), 0),
            *deltas,
            done(message(whole, item_id="msg_9"), 1),
            end,
        ],
        [added(message(item_id="msg_1"), 0), *deltas, end],
        [*deltas, done(message(whole, item_id="msg_9"), 1), end],
        [*deltas, end],
    ):
        said = _said(*stream)
        assert said["text"].split() == ["Hello", "you"]
        assert (said["notices"], said["status"]) == ([], "done")


@pytest.mark.parametrize(
    "pieces", [("Hel", "lo you"), ("Hello ", "you\n\n"), ("H", "ello", " you"), ("\nHello", " you")]
)
@pytest.mark.parametrize("end", [True, False])
def test_a_text_under_several_ids_that_is_completed_as_one_is_shown_once(
    pieces: tuple[str, ...], end: bool
) -> None:
    stream = [text(piece, f"id_{n}", n) for n, piece in enumerate(pieces)]
    stream += [done(message("Hello you", item_id="msg_8"), 5)] * end
    said = _said(*stream, completed(message("Hello you", item_id="msg_7")))

    assert said["text"].split() == ["Hello", "you"]
    assert said["notices"] == []


def test_two_messages_with_the_same_text_are_two() -> None:
    both = [message("Hello", item_id=f"msg_{n}") for n in (0, 1)]
    stream = [
        part
        for n in (0, 1)
        for part in (
            added(message(item_id=f"msg_{n}"), n),
            text("Hello", f"msg_{n}", n),
            done(both[n], n),
        )
    ]

    assert _said(*stream, completed(*both))["text"] == "HelloHello"


def _whole(**fields: Any) -> Any:
    return event("completed", response={**response(), **fields})


PART = {"type": "output_text", "text": "Hello ", "annotations": []}
ANNOUNCED_PART = event(
    "content_part.added", item_id="msg_1", output_index=0, content_index=0, part=PART
)


@pytest.mark.parametrize(
    "stream",
    [
        [_whole(output_text="Hello you")],
        [_whole(output_text="Hello you", output=None)],
        [text("Hello you"), _whole(output_text="Hello you")],
        [text("Hello you"), _whole(output_text="Hello you", output=[message("Hello you")])],
        [{**response(message("Hello you")), "type": "response.completed"}],
        [text("Hello you"), {**response(message("Hello you")), "type": "response.completed"}],
        [added(message("Hello ")), text("you"), completed()],
        [
            added(message("Hello ")),
            text("you"),
            done(message("Hello you")),
            completed(message("Hello you")),
        ],
        [added(message("Hello you")), text("Hello "), text("you"), completed()],
        [added(message("Hello you")), completed()],
        [added(message()), ANNOUNCED_PART, text("you"), completed()],
        [added(message("Hello ")), ANNOUNCED_PART, text("you"), completed(message("Hello you"))],
        [ANNOUNCED_PART, text("Hello you"), completed(message("Hello you"))],
    ],
)
def test_a_text_in_any_place_is_shown_once(stream: list[Any]) -> None:
    said = _said(*stream)

    assert (said["text"], said["status"], said["notices"]) == ("Hello you", "done", [])


def test_fields_at_the_top_of_the_last_event_are_those_of_the_response() -> None:
    last = {**response(message("a"), usage=USAGE), "type": "response.completed"}
    turn = StreamedTurn("responses", plain(last)).turn

    assert turn["usage"]["output_tokens"] == USAGE["output_tokens"]


@pytest.mark.parametrize("kind", ["reasoning_text", "summary_text"])
def test_reasoning_inside_a_message_is_shown_once(kind: str) -> None:
    whole = {
        **message("Hi"),
        "content": [{"type": kind, "text": "hm, so"}, *message("Hi")["content"]],
    }

    said = _said(done(whole), completed(whole))
    assert (said["text"], said["reasoning"], said["notices"]) == ("Hi", ["hm, so"], [])
    said = _said(text("Hi"), done(whole), completed(whole))
    assert said["text"] == "Hi"
    assert "hm, so" in said["notices"][0]


PLACES: list[Any] = [(), (0, 0), (0, 1)]


@pytest.mark.parametrize("places", PLACES)
@pytest.mark.parametrize("whole", ["Hello", "Hello world"])
@pytest.mark.parametrize("name", ["m1", "m2", "m3", ""])
@pytest.mark.parametrize("ends", [1, 2, 3, 7])
def test_pieces_under_several_ids_that_complete_as_one_text(
    places: tuple[int, ...], whole: str, name: str, ends: int
) -> None:
    pieces = []
    for number, piece in enumerate(("Hel", "lo")):
        place = {"output_index": places[number]} if places else {}
        pieces.append(event("output_text.delta", item_id=f"m{number + 1}", delta=piece, **place))
    item = message(whole, item_id=name)
    said_again = [
        event("output_text.done", item_id=name, text=whole),
        done(item, None),
        completed(item),
    ]
    stream = [one for bit, one in enumerate(said_again) if ends & (1 << bit)]
    stream += [] if ends & 4 else [completed()]

    assert _said(*pieces, *stream)["text"] == whole


def test_two_announced_messages_stay_two() -> None:
    stream = [added(message(item_id=f"m{n}"), n) for n in (0, 1)]
    stream += [text("Hel", "m0", 0), text("lo", "m1", 1)]
    stream += [done(message("Hello", "m0"), 0), done(message("lo!", "m1"), 1), completed()]

    assert sorted(_said(*stream)["text"]) == sorted("Hellolo!")


def test_a_call_that_is_completed_at_its_place_with_other_arguments_runs_once() -> None:
    again = call("f", '{"a":2}', item_id="fc_9", call_id="other")
    stream = [added(call("f", "", item_id="fc_1"), 0), arguments('{"a":1}', "fc_1", 0)]
    said = _said(*stream, done(again, 0), completed(again))

    assert said["runs"] == [("f", '{"a":1}')]
    assert '\\"a\\":2' in said["notices"][0] or '"a":2' in said["notices"][0]
