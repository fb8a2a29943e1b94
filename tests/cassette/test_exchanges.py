"""The body of an answer as a cassette keeps it: cut at the ends of its events, and the same bytes when joined."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from raw_server import Reply, raw_server

from msgbook.config import ProviderSettings
from msgbook.errors import ProviderError
from msgbook.extras.cassettes.exchanges import RecordingWire, _Answer, redact_answer
from msgbook.messages import user
from msgbook.provider import OpenAIProvider, Request
from msgbook.provider.sse import SSEDecoder


class Response:
    headers = {"content-type": "text/event-stream"}  # noqa: RUF012 - nothing changes it


def pieces(reads):
    answer = _Answer(Response(), 0.0, lambda: 1.0)
    for data in reads:
        answer.add(data)
    return answer.pieces()


@given(st.lists(st.text("ab\r\n:€", max_size=12).map(str.encode), max_size=6))
def test_the_pieces_are_the_body_however_it_was_read(reads):
    texts, times = pieces(reads)

    assert "".join(texts) == b"".join(reads).decode()
    assert len(texts) == len(times)


LINE_ENDS = ["\n", "\r\n", "\r"]
EVENT_ENDS = sorted({first + second for first in LINE_ENDS for second in LINE_ENDS} - {"\r\n"})
"""Those of a line and an empty line."""


@pytest.mark.parametrize("end", EVENT_ENDS)
def test_each_event_is_a_piece(end):
    events = [f"data: {number}{end}" for number in range(3)]
    body = "".join(events).encode()

    for cut in range(len(body)):
        assert pieces([body[:cut], body[cut:]])[0] == events


@given(
    st.lists(st.sampled_from(EVENT_ENDS), min_size=2, max_size=2),
    st.sampled_from(LINE_ENDS),
    st.sampled_from(["", "\ufeff", ": ping\r\r", "event: a\r", "id: 1\n"]),
    st.integers(1, 11),
)
def test_a_key_over_two_events_goes_whatever_ends_their_lines(ends, line_end, before, cut):
    key = "sk-abcdefgh1"
    parts = [json.dumps({"delta": part}) for part in (key[:cut], key[cut:])]
    first, second = (f"event: a{line_end}data: {part}{end}" for part, end in zip(parts, ends, strict=True))  # fmt: skip

    redacted = redact_answer(pieces([f"{before}{first}{second}".encode()])[0], [key])

    sent = [*SSEDecoder().feed("".join(redacted).encode() + b"\n")]
    assert "".join(json.loads(event.data)["delta"] for event in sent) == "[redacted]"


def test_a_compressed_body_is_kept_as_text():
    body = b"data: 1\n\ndata: [DONE]\n\n"
    reply = Reply(gzip.compress(body), headers=("content-type: text/event-stream", "content-encoding: gzip"))  # fmt: skip
    lines = []

    async def record():
        async with raw_server(reply) as server:
            wire = RecordingWire(lambda _lane, line: lines.append(line), ())
            provider = OpenAIProvider(ProviderSettings("s", server.url), wire=wire)
            with suppress(ProviderError):
                async for _ in provider.stream(Request("m", [user("hi")])):
                    pass
            await provider.close()

    asyncio.run(record())

    assert "".join(text for _, text in lines[1]["events"]).encode() == body


@given(
    st.lists(st.integers(0, 40), max_size=5), st.text("ab", max_size=6), st.text("ab", max_size=6)
)
def test_a_secret_is_found_wherever_the_pieces_are_cut(cuts, before, after):
    secret = "sk-0123456789"
    text = f"{before}{secret}{after}"
    places = [0, *sorted(cut % len(text) for cut in cuts), len(text)]
    parts = [text[a:b] for a, b in itertools.pairwise(places)]

    events = [f'data: {{"choices": [{{"delta": {{"content": "{part}"}}}}]}}\n\n' for part in parts]
    redacted = redact_answer(events, [secret])

    assert len(redacted) == len(events)
    joined = "".join(event.split('"content": "')[1].partition('"')[0] for event in redacted)
    assert joined == f"{before}[redacted]{after}"
    assert "".join(redact_answer(parts, [secret])) == f"{before}[redacted]{after}"


@given(st.text('sk-xyz"\\é/', min_size=6, max_size=12), st.data())
def test_a_key_in_pieces_of_any_field_goes_and_each_event_stays_json(key, data):
    field = data.draw(st.sampled_from(["content", "reasoning_content", "name", "arguments"]))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(key)), max_size=4)))
    parts = [key[start:end] for start, end in itertools.pairwise([0, *cuts, len(key)])]
    is_ascii = data.draw(st.booleans())
    events = [json.dumps({field: part, "other": ""}, ensure_ascii=is_ascii) for part in parts]

    redacted = redact_answer([f"data: {event}\n\n" for event in events], [key])

    kept = "".join(json.loads(event.removeprefix("data: "))[field] for event in redacted)
    assert kept == "[redacted]"


@pytest.mark.parametrize("place", ["item_id", "index"])
def test_a_key_in_the_pieces_of_calls_that_come_side_by_side_goes(place):
    key = "sk-0123456789"
    events = [
        {place: number if place == "index" else f"fc_{number}", "delta": text}
        for start in range(0, len(key), 3)
        for number, text in enumerate([key[start : start + 3], "other"])
    ]

    redacted = redact_answer([f"data: {json.dumps(event)}\n\n" for event in events], [key])

    kept = [json.loads(event.removeprefix("data: "))["delta"] for event in redacted]
    assert "".join(kept[::2]) == "[redacted]"
    assert set(kept[1::2]) == {"other"}
