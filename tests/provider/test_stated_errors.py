"""An error that a server states anywhere in an answer is never a done answer, and has the server's words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from completions import DONE, delta, finish, sse
from responses import USAGE, completed, event, plain, response, text
from streamed_turns import StreamedTurn, recorded_streams

from msgbook.messages import ApiName

WORDS = "the GPU has died"
STREAMS = recorded_streams()


ERRORS: list[Any] = [
    {"object": "error", "message": WORDS, "type": "InternalServerError", "code": 500},
    {"type": "error", "message": WORDS},
    {"code": 500, "message": WORDS},
    {"status_code": 503, "message": WORDS},
    {"statusCode": "503", "message": WORDS},
    {"status": 500, "msg": WORDS},
    {"code": "InvalidParameter", "message": WORDS, "request_id": "r"},
    {"type": "about:blank", "title": WORDS, "status": 500},
    {"success": False, "message": WORDS},
    {"code": "9" * 5000, "message": WORDS},
    {"detail": WORDS},
    {"detail": [{"msg": WORDS, "loc": ["body"]}]},
    {"error": WORDS},
    {"error": {"error": {"message": WORDS}}},
    {"errors": [{"message": WORDS}]},
    {"errors": WORDS},
    {"error_msg": WORDS, "error_code": 17},
    {"error_message": WORDS},
    {"base_resp": {"status_code": 1008, "status_msg": WORDS}},
]
CHAT_ERRORS: list[Any] = [
    *({"choices": None, **error} for error in ERRORS[-4:]),
    *({**finish(), **error} for error in ERRORS[-7:]),
    {"choices": [{"index": 0, "delta": {"error": {"message": WORDS}}}]},
    {"choices": [{"index": 0, "delta": {"content": "", "error_msg": WORDS}}]},
    {"choices": [{"index": 0, "delta": {}, "error": {"message": WORDS}}]},
]
LINES: list[bytes] = [
    *(
        f"event: {name}\ndata: {json.dumps({'message': WORDS})}\n\n".encode()
        for name in ("error", "exception", "Error")
    ),
    f"event: exception\ndata: {WORDS}\n\n".encode(),
    f"data: {WORDS}\n\n".encode(),
    f"data: [ERROR] {WORDS}\n\n".encode(),
    f"data: Error: {WORDS}\n\n".encode(),
    f"data: {{'error': '{WORDS}'}}\n\n".encode(),
    f"data: <html><body>{WORDS}</body></html>\n\n".encode(),
    f"<html><body>{WORDS}</body></html>\n".encode(),
]


def _said(api: ApiName, error: bytes) -> list[dict[str, Any]]:
    if api == "chat":
        ends = [sse(DONE), sse(finish(), DONE), b""]
        return [StreamedTurn(api, sse(delta(content="half")) + error + end).said for end in ends]
    if api == "anthropic":
        half = {"type": "content_block_delta", "index": 0}
        half["delta"] = {"type": "text_delta", "text": "half"}
        done = [{"type": "message_delta", "delta": {"stop_reason": "end_turn"}}]
        ends = [b"data: [DONE]\n\n", plain(*done, {"type": "message_stop"}), b""]
        return [StreamedTurn(api, plain(half) + error + end).said for end in ends]
    ends = [b"data: [DONE]\n\n", plain(completed()), b""]
    return [StreamedTurn(api, plain(text("half")) + error + end).said for end in ends]


@pytest.mark.parametrize("api", ["chat", "responses", "anthropic"])
@pytest.mark.parametrize("error", [*(sse(error) for error in ERRORS), *LINES])
def test_an_error_of_any_shape_is_not_done(api: ApiName, error: bytes) -> None:
    for said in _said(api, error):
        assert said["text"] == "half"
        assert said["status"] != "done"
        assert WORDS in said["errors"][0]


@pytest.mark.parametrize("error", CHAT_ERRORS)
def test_an_error_beside_a_choice_is_not_done(error: Any) -> None:
    for said in _said("chat", sse(error)):
        assert (said["text"], said["status"]) == ("half", "incomplete")
        assert WORDS in said["errors"][0]


@pytest.mark.parametrize(
    "fields",
    [
        {"error": None, "errors": [], "error_msg": "", "error_code": 0},
        {"error_msg": "success", "base_resp": {"status_code": 0, "status_msg": "success"}},
        {"error": {}, "code": 200, "message": ""},
        {"errors": None, "detail": None},
    ],
)
def test_what_says_that_all_is_well_is_no_error(fields: dict[str, Any]) -> None:
    body = sse({**delta(content="a"), **fields}, {**finish(), **fields}, DONE)
    said = StreamedTurn("chat", body).said

    assert (said["text"], said["status"], said["errors"], said["notices"]) == ("a", "done", [], [])


END_USAGE = {"input_tokens": 5, "output_tokens": 9}
USED = {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 9}}


@pytest.mark.parametrize("reads", [1, 50, 10_000])
def test_usage_that_follows_an_error_is_kept(reads: int) -> None:
    body = sse(delta(content="half"), {"error": {"message": WORDS}}, USED, DONE)
    turn = StreamedTurn("chat", body, reads=reads)

    assert WORDS in turn.said["errors"][0]
    assert turn.turn["usage"] == END_USAGE


@pytest.mark.parametrize("reads", [1, 50, 10_000])
def test_usage_of_a_response_that_failed_after_its_error_is_kept(reads: int) -> None:
    failed = event("failed", response=response(status="failed", usage=USAGE))
    body = plain(text("half"), {"type": "error", "message": WORDS}, failed)
    turn = StreamedTurn("responses", body, reads=reads)

    assert WORDS in turn.said["errors"][0]
    assert turn.turn["usage"]["output_tokens"] == USAGE["output_tokens"]


ENDS: list[bytes] = [
    b'data: "[DONE]"\n\n',
    b"data: DONE\n\n",
    b"data: [done]\n\n",
    b"data: done\n\n",
    b'data: {"done": true}\n\n',
    b"event: done\ndata: {}\n\n",
    b"event: done\n\n",
    b"event: done\ndata: [DONE]\n\n",
    b"data: data: [DONE]\n\n",
    b"data:[DONE]\n\n",
    b"[DONE]\n\n",
]


@pytest.mark.parametrize("end", ENDS)
def test_an_end_of_any_spelling_is_one(end: bytes) -> None:
    for body in (sse(delta(content="a")) + end, sse(delta(content="a"), finish()) + end):
        said = StreamedTurn("chat", body).said

        assert (said["text"], said["status"], said["notices"]) == ("a", "done", [])


def test_an_event_that_is_framed_twice_is_read() -> None:
    body = b"".join(
        b"data: " + part + b"\n\n"
        for part in sse(delta(content="a"), finish()).split(b"\n\n")
        if part
    )

    assert StreamedTurn("chat", body).said["text"] == "a"


@pytest.mark.parametrize(
    "event",
    [
        {"code": 0, "message": "success"},
        {"code": "ok", "msg": "fine"},
        {"status": 200, "message": "going on"},
        {"status": "in_progress", "message": "going on"},
        {"status": "queued", "message": "You are third"},
        {"success": True, "message": "fine"},
        {"code": "SUCCEED", "message": "", "usage": {"prompt_tokens": 5}},
        {"code": "Succeeded", "msg": "the task has succeeded"},
        {"code": "SUCCESSFUL", "message": "all is well"},
        {"code": "E0", "message": " "},
        {"code": "E0", "message": "Success"},
        {"success": None, "code": None},
    ],
)
def test_what_says_that_all_is_well_is_no_error(event: Any) -> None:
    said = StreamedTurn("chat", sse(delta(content="half"), event, finish(), DONE)).said

    assert (said["status"], said["errors"]) == ("done", [])


@pytest.mark.parametrize("reason", ["network_error", "engine_dead"])
def test_a_finish_reason_of_a_failure_is_quoted(reason: str) -> None:
    turn = StreamedTurn("chat", sse(delta(content="half"), finish(reason), DONE)).turn

    assert (turn["status"], turn["finish_reason"]) == ("incomplete", reason)


@pytest.mark.parametrize(("content", "status"), [("half", "incomplete"), ("", "error")])
def test_an_error_without_words_ends_what_came(content: str, status: str) -> None:
    said = StreamedTurn("chat", sse(delta(content=content), finish("error"), DONE)).said

    assert (said["text"], said["status"]) == (content, status)
    assert "did not say which" in said["errors"][0]


TRAILERS: list[Any] = [
    {"success": False, "usage": {"prompt_tokens": 5, "completion_tokens": 9}},
    {"id": "1", "code": "SUCCEED", "message": ""},
    {"code": "Finished", "message": "3 tokens were saved"},
    {"status": 500, "msg": "billing is late"},
    {"detail": "3 tokens were saved"},
]
LAST: dict[str, bytes] = {"chat": b"data: [DONE]", "anthropic": b"event: message_stop"}
"""What may follow the event that states why an answer has ended."""
UNFINISHED = ("anthropic/no-end",)


@pytest.mark.parametrize("name", [name for name in STREAMS if name not in UNFINISHED])
def test_a_trailer_behind_a_finished_answer_takes_nothing_away(name: str) -> None:
    api, body = STREAMS[name]
    whole = StreamedTurn(api, body).said
    del whole["notices"]
    last = body.rfind(LAST[api]) if api in LAST and LAST[api] in body else len(body)
    lines = b"".join(json.dumps(trailer).encode() + b"\n\n" for trailer in TRAILERS)
    for trailers in (sse(*TRAILERS), lines):
        for trailed in (body[:last] + trailers + body[last:], body + trailers):
            said = StreamedTurn(api, trailed).said
            assert {key: said[key] for key in whole} == whole


@pytest.mark.parametrize("end", ["data: [END]", "event: end\ndata: {}", "event: finish\ndata:"])
def test_an_end_by_another_name_is_one(end: str) -> None:
    said = StreamedTurn("chat", sse(delta(content="whole")) + f"{end}\n\n".encode()).said

    assert (said["text"], said["status"]) == ("whole", "done")


NAMES = ["complete", "end", "finish", "done", "Finished"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("api", ["chat", "responses", "anthropic"])
def test_a_name_of_each_event_ends_no_answer(api: ApiName, name: str) -> None:
    bodies = {
        "chat": sse({"choices": []}, delta(content="a"), delta(content="b"), finish()),
        "responses": plain(text("a"), text("b"), completed()),
        "anthropic": plain(
            *(
                {
                    "type": "content_block_delta",
                    "index": 0,
                    "delta": {"type": "text_delta", "text": piece},
                }
                for piece in "ab"
            ),
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
            {"type": "message_stop"},
        ),
    }
    body = bodies[api].replace(b"data: {", f"event: {name}\ndata: {{".encode())
    said = StreamedTurn(api, body).said

    assert (said["text"], said["status"], said["errors"]) == ("ab", "done", [])


@pytest.mark.parametrize("data", ["{}", '{"type": "done"}', '{"usage": {}}', "", "null"])
@pytest.mark.parametrize("name", NAMES)
def test_an_event_that_is_named_an_end_and_holds_no_answer_is_one(name: str, data: str) -> None:
    end = f"event: {name}\ndata: {data}\n\n".encode()
    said = StreamedTurn("chat", sse(delta(content="whole")) + end).said

    assert (said["text"], said["status"], said["errors"]) == ("whole", "done", [])
