"""Answers that are compressed, or not, whatever their headers say."""

from __future__ import annotations

import gzip
import zlib

import pytest
from completions import DONE, delta, finish, sse
from hypothesis import example, given
from hypothesis import strategies as st
from raw_server import Reply, ask

from msgbook.provider.compression import Unpacker

BODY = sse(delta(content="Hello there"), finish(), DONE)
REFUSAL = b'{"error": {"message": "too hot today"}}'
CODINGS = ["", "identity", "gzip", "GZIP", "x-gzip", "deflate", "br", "zstd", "utf-8", "gzip, gzip"]


def deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def by_event(data: bytes) -> bytes:
    """Each event compressed for itself."""
    return b"".join(gzip.compress(event + b"\n\n") for event in data.split(b"\n\n"))


def in_members(data: bytes) -> bytes:
    """Every few bytes compressed for themselves."""
    return b"".join(gzip.compress(data[start : start + 9]) for start in range(0, len(data) + 1, 9))


def coded(coding: str) -> tuple[str, ...]:
    return (f"content-encoding: {coding}",) if coding else ()


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("pack", [bytes, gzip.compress, zlib.compress, by_event])
def test_the_bytes_of_an_answer_tell_whether_it_is_compressed(coding, pack):
    turn, requests = ask(Reply(pack(BODY), headers=("content-type: text/event-stream", *coded(coding))))  # fmt: skip

    assert [block.get("text") for block in turn["blocks"]] == ["Hello there"]
    assert (turn["status"], len(requests)) == ("done", 1)


def test_deflated_bytes_without_a_head_need_the_header():
    turn, _ = ask(Reply(deflated(BODY), headers=("content-encoding: deflate",)))

    assert turn["status"] == "done"


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("pack", [bytes, gzip.compress, zlib.compress])
def test_the_bytes_of_an_error_tell_whether_it_is_compressed(coding, pack):
    turn, requests = ask(Reply(pack(REFUSAL), "400 X", ("content-type: application/json", *coded(coding))))  # fmt: skip

    assert turn["blocks"][-1]["message"] == "The server answered 400: too hot today."
    assert len(requests) == 1


def test_an_answer_in_a_coding_that_is_not_known_names_it():
    turn, _ = ask(Reply(b"\x1b\x9c\x00\xf8" * 10, headers=("content-encoding: br",)))

    assert turn["blocks"][-1]["message"] == (
        "The body of the server's answer has the header `content-encoding: br`, which was not asked for. "
        "Turn off its compression in the server, or in the gateway before it."
    )


def test_an_answer_that_is_broken_within_says_so():
    packed = gzip.compress(BODY * 50)
    broken = packed[:60] + b"\xff" * 60 + packed[120:]
    turn, _ = ask(Reply(broken, headers=("content-encoding: gzip",)))

    assert "cannot be unpacked" in turn["blocks"][-1]["message"]
    assert "OPENAI_BASE_URL" not in turn["blocks"][-1]["message"]


@pytest.mark.parametrize("first", [b": ping\n\n", b"x: 1\n\n", b"\xef\xbb\xbf", "é\n".encode()])
@pytest.mark.parametrize("coding", ["", "gzip", "deflate"])
def test_short_beginnings_are_text(first, coding):
    unpacker = Unpacker(coding)

    unpacked = [*unpacker.feed(first), *unpacker.feed(BODY), *unpacker.end()]

    assert b"".join(unpacked) == first + BODY


@example(b"more than nine bytes", "members", 1)
@given(
    st.binary(max_size=200) | st.text(max_size=50).map(str.encode),
    st.sampled_from(["gzip", "members", "zlib", "deflate"]),
    st.integers(1, 30),
)
def test_cuts_do_not_change_what_is_unpacked(data, coding, reads):
    packs = {"gzip": gzip.compress, "members": in_members, "zlib": zlib.compress}
    pack = packs.get(coding, deflated)
    unpacker, packed = Unpacker(coding), pack(data)
    pieces = [packed[start : start + reads] for start in range(0, len(packed), reads)]

    unpacked = [part for piece in pieces for part in unpacker.feed(piece)]

    assert b"".join([*unpacked, *unpacker.end()]) == data


def test_few_bytes_do_not_fill_the_memory():
    packed = gzip.compress(b"\n" * 30_000_000)

    parts = Unpacker("gzip").feed(packed)

    assert max(map(len, parts)) <= 65_536
