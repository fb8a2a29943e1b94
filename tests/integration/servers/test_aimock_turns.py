"""Turns against aimock: what it streams, what it reads in our requests, how it fails."""

from __future__ import annotations

import base64

import pytest
from aimock import aimock, needs_aimock, on
from PIL import Image
from turn_blocks import failure, kinds, words

pytestmark = needs_aimock

PATHS = {"chat": "/v1/chat/completions", "responses": "/v1/responses"}
REASONING = "The user greets me, so I greet back."
ANSWER = "Hello! I hope that this finds you well."
LONG = "This is a rather long answer that the server does not bring to its end."


def test_reasoning_and_text_come_in_pieces_and_become_two_blocks(mock, ask, api):
    mock.answers(on("hi", {"content": ANSWER, "reasoning": REASONING}))

    turn = ask(mock, "hi")

    assert (turn["status"], kinds(turn)) == ("done", ["reasoning", "text"])
    assert (words(turn, "reasoning"), words(turn)) == (REASONING, ANSWER)
    (request,) = mock.requests()
    assert (request["path"], request["response"]["status"]) == (PATHS[api], 200)


def test_a_search_of_the_server_is_told_in_words(mock, ask, api):
    mock.answers(on("hi", {"content": ANSWER, "webSearches": ["herons"]}))

    turn = ask(mock, "hi")

    assert (turn["status"], words(turn)) == ("done", ANSWER)
    # It sends no item of the kind by the chat API.
    told = 'The server searched the web for "herons".' in words(turn, "notice")
    assert told == (api == "responses")


def test_usage_is_what_the_server_counted(mock, ask):
    counts = {"prompt_tokens": 11, "completion_tokens": 7, "input_tokens": 11, "output_tokens": 7}
    mock.answers(on("hi", {"content": ANSWER, "usage": counts}))

    usage = ask(mock, "hi")["usage"]

    assert (usage["input_tokens"], usage["output_tokens"]) == (11, 7)


def test_a_call_is_run_and_the_server_finds_its_result(mock, ask, tmp_path):
    (tmp_path / "note.txt").write_text("The word is heron.\n", "utf-8")
    call = {"id": "call_note", "name": "read", "arguments": {"path": "note.txt"}}
    result = {"match_toolCallId": "call_note", "match_toolResultContains": "heron"}
    mock.answers(
        on("word", {"content": "It is heron."}, **result),
        on("word", {"content": "I look.", "reasoning": "A file.", "toolCalls": [call]}),
    )

    turn = ask(mock, "Which word?")

    assert turn["status"] == "done"
    assert kinds(turn) == ["reasoning", "text", "tool_call", "tool_result", "text"]
    assert words(turn) == "I look.It is heron."
    _, second = mock.requests()
    assert [m["role"] for m in second["body"]["messages"]][-2:] == ["assistant", "tool"]


def test_calls_side_by_side_and_a_call_before_its_text_are_all_run(mock, ask, tmp_path):
    calls = [
        {"type": "toolCall", "id": f"call_{name}", "name": "read", "arguments": {"path": name}}
        for name in ("one", "two")
    ]
    for name in ("one", "two"):
        (tmp_path / name).write_text(f"file {name}\n", "utf-8")
    said = {"type": "text", "text": "Both."}
    mock.answers(
        on("files", {"content": "Done."}, match_hasToolResult=True),
        on("files", {"blocks": [calls[0], said, calls[1]]}),
    )

    turn = ask(mock, "Read the files")

    assert turn["status"] == "done"
    assert kinds(turn) == ["tool_call", "text", "tool_call", "tool_result", "tool_result", "text"]
    messages = mock.requests()[1]["body"]["messages"]
    assert [m["tool_call_id"] for m in messages if m["role"] == "tool"] == ["call_one", "call_two"]


def test_a_rate_limit_is_waited_for_and_asked_again(mock, ask):
    limit = {"error": {"message": "Slow down", "type": "rate_limit_error"}, "status": 429}
    mock.answers(
        on("hi", {**limit, "retryAfter": 7}, match_sequenceIndex=0), on("hi", {"content": ANSWER})
    )

    turn = ask(mock, "hi")

    assert (turn["status"], words(turn)) == ("done", ANSWER)
    assert [request["response"]["status"] for request in mock.requests()] == [429, 200]


@pytest.mark.parametrize(
    ("status", "message", "advice"),
    [
        (401, "Incorrect API key", "api_key_env"),
        (404, "The model `m` does not exist", "'m'"),
        (400, "This model's maximum context length is 8192 tokens", "%compact"),
    ],
)
def test_an_error_of_the_server_is_quoted_with_what_to_do(mock, ask, status, message, advice):
    mock.answers(on("hi", {"error": {"message": message, "type": "invalid"}, "status": status}))

    turn = ask(mock, "hi")

    assert turn["status"] == "error"
    assert message in failure(turn)
    assert advice in failure(turn)


def test_a_stream_that_is_cut_keeps_its_text_and_is_incomplete(mock, ask, api):
    # Without a pause between the pieces nothing leaves the server before it hangs up.
    sent = {"chat": 3, "responses": 9}[api]
    mock.answers(on("hi", {"content": LONG}, latency=10, truncateAfterChunks=sent))

    turn = ask(mock, "hi")

    assert turn["status"] == "incomplete"
    assert words(turn)
    assert LONG.startswith(words(turn))
    assert "cut off" in failure(turn)
    assert len(mock.requests()) == 1


def test_an_answer_that_reached_its_limit_is_incomplete(mock, ask):
    mock.answers(on("hi", {"content": "half an ans", "finishReason": "length"}))

    turn = ask(mock, "hi")

    assert (turn["status"], words(turn)) == ("incomplete", "half an ans")


def test_broken_json_is_an_error_and_no_traceback(mock, ask):
    mock.answers(on("hi", {"content": ANSWER}, chaos={"malformedRate": 1}))

    turn = ask(mock, "hi")

    assert turn["status"] in ("error", "incomplete")
    assert failure(turn)


def test_a_connection_that_is_always_dropped_is_tried_again_and_then_an_error(mock, ask):
    mock.answers(on("hi", {"content": ANSWER}, chaos={"disconnectRate": 1}))

    turn = ask(mock, "hi")

    assert turn["status"] == "error"
    assert "connection" in failure(turn)
    assert len(mock.requests()) == 4


def test_a_wrong_key_names_its_setting_and_the_right_one_is_taken(ask):
    with aimock("sk-of-a-test") as server:
        server.answers(on("hi", {"content": ANSWER}))

        wrong = ask(server, "hi", SERVER_KEY="sk-another-one")
        right = ask(server, "hi", SERVER_KEY="sk-of-a-test")

    assert (wrong["status"], right["status"]) == ("error", "done")
    assert "[providers.real]" in failure(wrong)
    assert "sk-another-one" not in str(wrong)


def test_an_image_arrives_as_it_was_sent(mock, ask, tmp_path, api):
    Image.new("RGB", (4, 3), "red").save(tmp_path / "dot.png")
    sent = base64.b64encode((tmp_path / "dot.png").read_bytes()).decode()
    mock.answers(on("see", {"content": "One dot."}))

    turn = ask(mock, "What do you see? ![](dot.png)")

    assert (turn["status"], words(turn)) == ("done", "One dot.")
    # In what it tells of a request over the other API it leaves images out.
    assert api == "responses" or sent in str(mock.requests()[0]["body"])
