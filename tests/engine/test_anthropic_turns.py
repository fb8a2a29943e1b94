"""Turns over Anthropic's Messages API: what goes back within a turn and after it, and an answer that goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from messages_sealed import sealed
from messages_stream import MessageStream, sse
from scripted_server import Answer, ScriptedServer, call, delta, finish, text
from talk import Talk, notices

MODEL = "claude-opus-4-5"
THOUGHT = [delta(reasoning_content="I look "), delta(reasoning_content="first.")]
USAGE = {"input_tokens": 9, "output_tokens": 4}


def talk_of(server: ScriptedServer, folder: Path, model: str = MODEL, more: str = "") -> Talk:
    server.reset()
    talk = Talk(server, folder)
    file = folder / "msgbook.toml"
    file.write_text(f'[providers.openai]\napi = "anthropic"\n{more}')
    talk.env |= {"MSGBOOK_CONFIG": str(file), "MSGBOOK_MODEL": model}
    return talk


def looks(number: int = 1) -> Answer:
    return Answer([*THOUGHT, *call("read", {"path": "."}, f"call_{number}").chunks])


def raw(stream: MessageStream, *events: Any) -> Answer:
    return Answer(body=sse(events).decode(), content_type="text/event-stream")


def kinds(body: dict[str, Any]) -> list[list[str]]:
    """The types of the blocks of each message."""
    return [[block["type"] for block in message["content"]] for message in body["messages"]]


def test_thinking_goes_back_with_its_signature_within_the_turn_alone(
    server: ScriptedServer, tmp_path: Path
) -> None:
    talk = talk_of(server, tmp_path)
    server.answers = [looks(), text("It is empty.")]

    turn = talk.ask("What is here?")
    talk.ask("And now?")

    first, second, later = server.requests
    assert kinds(second)[1] == ["thinking", "tool_use"]
    assert second["messages"][1]["content"][0]["thinking"] == "I look first."
    assert kinds(later)[1:3] == [["tool_use"], ["tool_result"]]
    assert first["messages"][0]["content"][0]["text"] == "What is here?"
    assert turn["blocks"][0]["text"] == "I look first."
    assert server.refused == []


def test_later_turns_carry_thinking_only_with_keep_reasoning_and_to_its_own_model(
    server: ScriptedServer, tmp_path: Path
) -> None:
    talk = talk_of(server, tmp_path, more="keep_reasoning = true\n")
    server.answers = [looks(), text("It is empty.")]

    talk.ask("What is here?")
    talk.ask("And now?")
    talk.ask("%%msg model=claude-opus-5\nAnd you?")

    same, other = server.requests[-2:]
    assert kinds(same)[1] == ["thinking", "tool_use"]
    assert all("thinking" not in types for types in kinds(other))
    assert server.refused == []


def test_thinking_that_was_changed_by_hand_is_left_out_after_one_refusal(
    server: ScriptedServer, tmp_path: Path
) -> None:
    talk = talk_of(server, tmp_path, more="keep_reasoning = true\n")
    server.answers = [looks(), text("It is empty.")]
    talk.ask("What is here?")
    (output,) = talk.cells[0]["outputs"]
    (turn,) = output["data"].values()
    turn["blocks"][0]["text"] = "I was told to obey."

    last = talk.ask("And now?")

    assert last["status"] == "done"
    assert "obey" not in json.dumps(server.requests[-1])
    assert all("signature" in words for words in server.refused)
    server.refused.clear()


def test_an_answer_that_pauses_goes_on_with_what_the_server_did(
    server: ScriptedServer, tmp_path: Path
) -> None:
    talk = talk_of(server, tmp_path)
    stream = MessageStream(MODEL, usage=USAGE)
    paused = [
        *stream.begin(),
        *stream.text("I search."),
        *stream.call("web_search", kind="server_tool_use"),
        *stream.arguments('{"query": "quines"}'),
    ]
    paused += stream.end("pause_turn", USAGE)
    ended = MessageStream(MODEL, 2, usage=USAGE)
    server.answers = [
        raw(stream, *paused),
        raw(ended, *ended.begin(), *ended.text("Done."), *ended.end("end_turn", USAGE)),
    ]

    turn = talk.ask("Search.")

    assert (turn["status"], len(server.requests)) == ("done", 2)
    assert kinds(server.requests[1]) == [["text"], ["text", "server_tool_use"]]
    assert notices(turn) == ['The server searched the web for "quines".']
    said = [block["text"] for block in turn["blocks"] if block["type"] == "text"]
    assert said == ["I search.", "Done."]
    assert server.refused == []


def searched(number: int, *, is_swapped: bool = False) -> Answer:
    """An answer with a search; its result may end before its call."""
    stream = MessageStream(MODEL, number, usage=USAGE)
    call_id = f"srvtoolu_{number}"
    page = {"type": "web_search_result", "url": "https://a.invalid/q", "title": "Quines"}
    page |= {"encrypted_content": sealed("", "text"), "page_age": None}
    result = {"type": "web_search_tool_result", "tool_use_id": call_id, "content": [page]}
    asks = [
        *stream.call("web_search", call_id, "server_tool_use"),
        *stream.arguments('{"query": "quines"}'),
        *stream.stop(),
    ]
    found = [*stream.start(result), *stream.stop()]
    calls = [*stream.call("read", f"toolu_{number}"), *stream.arguments('{"path": "."}')]
    used = {**USAGE, "server_tool_use": {"web_search_requests": 1}}
    middle = found + asks if is_swapped else asks + found
    return raw(stream, *stream.begin(), *middle, *calls, *stream.end("tool_use", used))


@pytest.mark.parametrize("is_swapped", [False, True])
def test_a_search_is_shown_counted_and_sent_back_in_order_whichever_part_of_it_ends_first(
    server: ScriptedServer, tmp_path: Path, is_swapped: bool
) -> None:
    talk = talk_of(server, tmp_path, more="keep_reasoning = true\n")
    server.answers = [searched(1, is_swapped=is_swapped), text("A program."), text("Yes.")]

    turn = talk.ask("What is a quine?")
    last = talk.ask("Sure?")

    within, later = (kinds(request)[1] for request in server.requests[1:])
    assert within == ["server_tool_use", "web_search_tool_result", "tool_use"]
    assert later == ["tool_use"]  # what nobody sees in the chat is not sent on
    assert {*notices(turn)} == {
        'The server searched the web for "quines".',
        "The server found 1 page: Quines (https://a.invalid/q).",
    }
    assert turn["usage"]["web_searches"] == 1
    assert (last["status"], server.refused) == ("done", [])


def test_an_overloaded_server_is_asked_again(server: ScriptedServer, tmp_path: Path) -> None:
    talk = talk_of(server, tmp_path)
    overloaded = json.dumps(
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    )
    server.answers = [Answer(status=529, body=overloaded), text("Here.")]

    turn = talk.ask("Hi")

    assert (turn["status"], len(server.requests)) == ("done", 2)
    assert notices(turn) == ["Retried (1/3): 529 Overloaded"]


def test_a_refusal_is_a_filters_and_is_never_done(server: ScriptedServer, tmp_path: Path) -> None:
    talk = talk_of(server, tmp_path)
    server.answers = [Answer([delta(content="I"), finish("content_filter")])]

    turn = talk.ask("Hi")

    assert (turn["status"], turn["finish_reason"]) == ("incomplete", "content_filter")


def test_a_limit_above_that_of_the_model_is_lowered_and_said(
    server: ScriptedServer, tmp_path: Path
) -> None:
    talk = talk_of(
        server,
        tmp_path,
        "claude-haiku-4-5",
        "[agents.assistant]\nmax_output_tokens = 100000\n",
    )

    turn = talk.ask("Hi")

    assert [request["max_tokens"] for request in server.requests] == [100_000, 64_000]
    (words,) = notices(turn)
    assert "64,000" in words
    server.refused.clear()


def refusal(words: str, kind: str = "invalid_request_error", status: int = 400) -> Answer:
    told = {"type": "error", "error": {"type": kind, "message": words}}
    return Answer(status=status, body=json.dumps(told))


def no_room(needed: int) -> Answer:
    return refusal(
        f"input length and `max_tokens` exceed context limit: {needed} + 64000 > 200000, decrease input "
        "length or `max_tokens` and try again"
    )


SHORTEN = "Leave out or summarize cells with history=exclude, history=summary or %compact"


@pytest.mark.parametrize(
    "answer",
    [
        refusal("prompt is too long: 210000 tokens > 200000 maximum"),
        refusal("Request exceeds the maximum size", "request_too_large", 413),
        no_room(199_990),
        no_room(200_000),
        no_room(220_000),
    ],
    ids=["window", "bytes", "little room for an answer", "none", "less"],
)
def test_a_request_above_the_window_is_asked_once_and_the_error_says_what_to_shorten(
    server: ScriptedServer, tmp_path: Path, answer: Answer
) -> None:
    talk = talk_of(server, tmp_path)
    server.answers = [answer]

    turn = talk.ask("Hi")

    assert (turn["status"], len(server.requests)) == ("error", 1)
    assert SHORTEN in turn["blocks"][-1]["message"]


def test_a_known_window_is_held_before_anything_is_sent(
    server: ScriptedServer, tmp_path: Path
) -> None:
    talk = talk_of(server, tmp_path)
    talk.add("word " * 190_000, "markdown")

    turn = talk.ask("Hi")

    assert (turn["status"], server.requests) == ("error", [])
    assert turn["blocks"][-1]["message"] == "The request does not fit; nothing was sent."
    [words] = notices(turn)
    assert "200,000 fit into the context window of claude-opus-4-5" in words
    assert "cell 1" in words


def test_what_a_long_request_leaves_of_the_window_is_the_limit_of_its_answer_alone(
    server: ScriptedServer, tmp_path: Path
) -> None:
    talk = talk_of(server, tmp_path)
    server.answers = [no_room(190_000), looks(), no_room(195_000), text("Yes."), text("Short.")]

    long, short = talk.session("Hi", "And now?")

    assert [request["max_tokens"] for request in server.requests] == [
        64_000, 10_000, 64_000, 5_000, 64_000,
    ]  # fmt: skip
    [words] = notices(long)
    assert words.startswith(
        "This request leaves 10,000 tokens of the context window of claude-opus-4-5 for the answer, so no more "
        "were asked for."
    )
    assert (long["status"], short["status"], notices(short)) == ("done", "done", [])


def test_an_answer_that_fills_the_window_is_kept_and_incomplete(
    server: ScriptedServer, tmp_path: Path
) -> None:
    talk = talk_of(server, tmp_path)
    server.answers = [Answer([delta(content="So"), finish("model_context_window_exceeded")])]

    turn = talk.ask("Hi")

    assert (turn["status"], turn["finish_reason"]) == ("incomplete", "length")
    assert turn["blocks"][0]["text"] == "So"


@pytest.mark.parametrize("step", [1, 2])
def test_an_interrupted_turn_gives_a_valid_next_request(
    server: ScriptedServer, tmp_path: Path, step: int
) -> None:
    talk = talk_of(server, tmp_path)
    cut = Answer([*THOUGHT, delta(content="Half")], done=False)
    server.answers = [looks(), cut][2 - step :]

    talk.ask("What is here?")
    server.answers = [text("Yes.")]
    last = talk.ask("Go on")

    assert last["status"] == "done"
    assert server.refused == []
