"""What comes instead of server-sent events, or among them, is read, or a plain word says what it is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from completions import delta, finish, sse
from responses import completed, plain
from responses import text as text_delta
from streamed_turns import StreamedTurn

from msgbook.messages import ApiName


def lines(*values: Any) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


CHUNKS = (delta(content="Hel"), delta(content="lo"), finish())
EVENTS = (text_delta("Hel"), text_delta("lo"), completed())
MESSAGE = (
    *(
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": words}}
        for words in ("Hel", "lo")
    ),
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
)
STREAMS = {"chat": CHUNKS, "responses": EVENTS, "anthropic": MESSAGE}


@pytest.mark.parametrize(("api", "values"), [*STREAMS.items()])
@pytest.mark.parametrize("tail", [b"", b"\n", b"[DONE]\n"])
def test_lines_of_json_are_read(api: ApiName, values: Any, tail: bytes) -> None:
    said = StreamedTurn(api, lines(*values) + tail).said

    assert (said["text"], said["status"], said["notices"]) == ("Hello", "done", [])


@pytest.mark.parametrize(("api", "values"), [*STREAMS.items()])
def test_lines_of_json_that_are_cut_off_keep_what_came(api: ApiName, values: Any) -> None:
    said = StreamedTurn(api, lines(*values[:2]) + b'{"choi').said

    assert (said["text"], said["status"]) == ("Hello", "incomplete")


OLLAMA = [
    [{"model": "m", "message": {"role": "assistant", "content": "Hel"}, "done": False}],
    [{"model": "m", "response": "Hel", "done": False}, {"response": "", "done": True}],
]


@pytest.mark.parametrize("api", [*STREAMS])
@pytest.mark.parametrize("values", OLLAMA)
def test_ollamas_own_api_is_named(api: ApiName, values: Any) -> None:
    [error] = StreamedTurn(api, lines(*values, {"done": True})).said["errors"]

    assert "lines of JSON" in error
    assert "Ollama" in error
    assert "/v1" in error
    assert "base_url" in error


@pytest.mark.parametrize("api", [*STREAMS])
def test_an_error_among_lines_of_json_is_quoted(api: ApiName) -> None:
    body = lines(*STREAMS[api][:1], {"error": "model runner has crashed"})

    [error] = StreamedTurn(api, body).said["errors"]
    assert "model runner has crashed" in error


PAGES = [
    b"<html><body>502 Bad Gateway",
    b"<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>",
    b"<!DOCTYPE html><p>Bad Gateway",
    b"\n<html><head><title>502 Bad Gateway",
    b"<h1>Bad Gateway</h1>",
    b"<head><title>Bad Gateway</title>",
]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("is_ended", [True, False])
def test_a_page_after_text_is_an_error_once(page: bytes, is_ended: bool) -> None:
    for api, body in (("chat", sse(CHUNKS[0])), ("responses", plain(EVENTS[0]))):
        said = StreamedTurn(api, body + page + b"\n" * is_ended).said  # type: ignore[arg-type]

        assert (said["text"], said["status"], said["notices"]) == ("Hel", "incomplete", [])
        assert "an HTML page" in said["errors"][0]
        assert "Bad Gateway" in said["errors"][0]


@pytest.mark.parametrize(
    "words", [b"502 Bad Gateway", b"upstream connect error", b"Internal error"]
)
def test_words_after_text_are_quoted_though_their_line_has_no_end(words: bytes) -> None:
    for api, body in (("chat", sse(CHUNKS[0])), ("responses", plain(EVENTS[0]))):
        said = StreamedTurn(api, body + words).said  # type: ignore[arg-type]

        assert words.decode() in said["notices"][0]


@pytest.mark.parametrize("cut", [b"d", b"data", b"event", b'{"choices', b"retry", b"id"])
def test_the_beginning_of_an_event_is_not_quoted(cut: bytes) -> None:
    assert StreamedTurn("chat", sse(CHUNKS[0]) + cut).said["notices"] == []


@pytest.mark.parametrize("gap", ["", " "])
def test_objects_side_by_side_in_one_line_are_all_read(gap):
    chunks = [delta(content="Hi "), delta(content="{you}"), finish()]
    line = gap.join(json.dumps(chunk) for chunk in chunks)

    said = StreamedTurn("chat", f"data: {line}\n\ndata: [DONE]\n\n".encode()).said

    assert (said["text"], said["status"], said["notices"]) == ("Hi {you}", "done", [])


def test_choices_by_index_are_choices():
    chunks = [{"choices": {"0": one["choices"][0]}} for one in (delta(content="Hi"), finish())]

    said = StreamedTurn("chat", sse(*chunks)).said

    assert (said["text"], said["status"], said["notices"]) == ("Hi", "done", [])
