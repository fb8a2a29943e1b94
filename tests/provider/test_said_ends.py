"""What a turn says of the end of an answer and of its usage, however a server writes them."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from typing import Any

import pytest
from completions import DONE, delta, finish, sse, tool
from responses import event, plain, response, text
from streamed_turns import StreamedTurn, Transport, recorded

from msgbook.config import ProviderSettings
from msgbook.events import StepStarted, TurnFinished
from msgbook.messages import ApiName
from msgbook.provider import OpenAIProvider, Request
from msgbook.turn.record import TurnRecord
from msgbook_format.turn import to_markdown

PART = sse(delta(content="Half an"))


@pytest.mark.parametrize("reason", ["null", "None", ""])
def test_a_word_for_no_finish_reason_is_none(reason: str) -> None:
    part = {"choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": reason}]}

    assert StreamedTurn("chat", sse(part, DONE)).said["status"] == "done"
    assert StreamedTurn("chat", sse(part)).said["status"] == "incomplete"


@pytest.mark.parametrize(
    "usages",
    [
        [
            {"prompt_tokens": 5, "completion_tokens": 2},
            {"prompt_tokens": 0, "completion_tokens": 0},
        ],
        [{"prompt_tokens": 5.0, "completion_tokens": 2.0}],
        [{"prompt_tokens": "5", "completion_tokens": "2"}],
        [
            {"prompt_tokens": 5, "completion_tokens": 0},
            {"prompt_tokens": 5, "completion_tokens": 2},
        ],
    ],
)
def test_usage_that_was_stated_stays_however_it_is_written(usages: list[Any]) -> None:
    last = [{"choices": [], "usage": usage} for usage in usages]
    turn = StreamedTurn("chat", sse(delta(content="a"), finish(), *last, DONE)).turn

    assert (turn["usage"]["input_tokens"], turn["usage"]["output_tokens"]) == (5, 2)


@pytest.mark.parametrize("end", ["data: [DO", "data: [", "data:", "dat", ": DO"])
def test_an_end_mark_that_is_cut_is_no_error(end: str) -> None:
    said = StreamedTurn("chat", sse(delta(content="a"), finish()) + end.encode()).said

    assert (said["text"], said["status"], said["notices"]) == ("a", "done", [])
    cut = StreamedTurn("chat", sse(delta(content="a")) + end.encode()).said
    assert "The answer was cut off: the server closed the stream" in cut["errors"][0]


REASONS = {
    "stop": ("stop", "STOP", "eos", "eos_token", "end_turn", "EndTurn", "COMPLETE", "tool-calls"),
    "length": (
        "length",
        "max_tokens",
        "MAX_TOKENS",
        "MaxTokens",
        "model_length",
        "max_output_tokens",
    ),
    "content_filter": ("content_filter", "SAFETY", "sensitive", "PROHIBITED_CONTENT"),
}


@pytest.mark.parametrize(
    ("ours", "theirs"), [(k, v) for k, names in REASONS.items() for v in names]
)
def test_a_known_finish_reason_of_any_server_is_ours(ours: str, theirs: str) -> None:
    turn = StreamedTurn("chat", sse(delta(content="a"), finish(theirs), DONE)).turn

    assert turn["status"] == ("done" if ours == "stop" else "incomplete")
    assert ours == "stop" or turn["finish_reason"] == ours


@pytest.mark.parametrize(
    "reason",
    [
        "function_call_filter: MALFORMED_FUNCTION_CALL",
        "MALFORMED_FUNCTION_CALL",
        "abort",
        "哈",
        {"a": "b"},
        5,
    ],
)
@pytest.mark.parametrize("last", [[DONE], []])
def test_an_unknown_finish_reason_is_never_done_and_is_quoted(reason: Any, last: list[Any]) -> None:
    for said in ([delta(content="a")], [], [tool(0, "c", "f", "{}")]):
        turn = StreamedTurn("chat", sse(*said, finish(reason), *last))

        quoted = reason if isinstance(reason, str) else json.dumps(reason)
        assert turn.turn["status"] == "incomplete"
        assert turn.turn["finish_reason"] == quoted
        assert turn.runs == []
        assert "Incomplete: " in to_markdown(turn.turn)


def test_an_unknown_status_of_a_response_is_not_done() -> None:
    stream = [text("a"), event("completed", response=response(status="requires_action"))]
    turn = StreamedTurn("responses", plain(*stream)).turn

    assert (turn["status"], turn["finish_reason"]) == ("incomplete", "requires_action")


@pytest.mark.parametrize(
    ("api", "name"), [("chat", "error-usage"), ("responses", "resp-failed-usage")]
)
def test_usage_and_model_that_came_are_kept_by_an_error(api: ApiName, name: str) -> None:
    turn = recorded(api, name).turn

    assert turn["usage"] == {"input_tokens": 5, "output_tokens": 3}
    assert turn["answered_model"] in ("m-2025", "gpt-x-2026")


USAGE = {"prompt_tokens": 5, "completion_tokens": 3}
REPORTED = sse({**delta(content="a"), "model": "m-2025", "usage": USAGE})


@pytest.mark.parametrize("rest", [b"", b"data: {broken", b"<html>", sse({"error": "x"})])
def test_usage_that_came_is_kept_by_a_cut_stream(rest: bytes) -> None:
    turn = StreamedTurn("chat", REPORTED + PART + rest, reads=len(REPORTED)).turn

    assert turn["status"] != "done"
    assert turn["usage"] == {"input_tokens": 5, "output_tokens": 3}
    assert turn["answered_model"] == "m-2025"


def test_usage_that_came_is_kept_by_an_interrupt() -> None:
    async def interrupted() -> Any:
        settings = ProviderSettings("streamed", "http://127.0.0.1/v1")
        body = REPORTED + PART * 20
        transport = Transport(body, b"", len(REPORTED))
        provider = OpenAIProvider(settings, transport=lambda _http: transport)
        record = TurnRecord({"model": "m"}, lambda: "00000000")
        record.apply(StepStarted(1), 0.0)
        async with aclosing(provider.stream(Request("m", []))) as events:
            async for event in events:
                record.apply(event, 0.0)
                if record.size > len("Half an"):
                    break
        await provider.close()
        record.apply(TurnFinished("interrupted"), 0.0)
        return record.snapshot()

    turn = asyncio.run(interrupted())
    assert turn["usage"] == {"input_tokens": 5, "output_tokens": 3}
    assert turn["answered_model"] == "m-2025"


def test_usage_that_grows_counts_once() -> None:
    growing = [{**delta(content="a"), "usage": {**USAGE, "completion_tokens": n}} for n in range(4)]
    body = sse(*growing, finish(), DONE)

    assert StreamedTurn("chat", body, reads=10).turn["usage"] == {
        "input_tokens": 5,
        "output_tokens": 3,
    }
