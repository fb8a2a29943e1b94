"""Answers in other charsets than UTF-8: read as their bytes say, else as they declare, or refused in words."""

from __future__ import annotations

import pytest
from completions import DONE, delta, finish, sse
from hypothesis import given
from hypothesis import strategies as st
from raw_server import Reply, ask

from msgbook.provider.charsets import CharsetError, Recoder

WORDS = "Grüße, 5 €"
BODY = sse(delta(content="@"), finish(), DONE).decode().replace("@", WORDS)
REFUSAL = '{"error": {"message": "zu heiß"}}'
WIDE = ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "utf-8-sig"]
NARROW = {"cp1252": "windows-1252", "iso8859-15": "ISO-8859-15", "gbk": "GBK", "cp1252 ": "latin-1"}


def answer(codec: str, declared: str) -> dict:
    charset = f"; charset={declared}" if declared else ""
    head = (f"content-type: text/event-stream{charset}",)
    return ask(Reply(BODY.encode(codec.strip(), "replace"), headers=head))[0]


@pytest.mark.parametrize("declared", ["", "utf-8", "UTF-16", "utf-16le", "iso-8859-1", "x-none"])
@pytest.mark.parametrize("codec", WIDE)
def test_the_bytes_of_an_answer_tell_a_wide_charset(codec: str, declared: str) -> None:
    turn = answer(codec, declared)

    assert [block.get("text") for block in turn["blocks"]] == [WORDS]
    assert turn["status"] == "done"


@pytest.mark.parametrize(("codec", "declared"), NARROW.items())
def test_an_answer_that_declares_its_charset_is_read_so(codec: str, declared: str) -> None:
    turn = answer(codec, declared)

    said = WORDS.encode(codec.strip(), "replace").decode(codec.strip())
    assert [block.get("text") for block in turn["blocks"]] == [said]
    assert turn["status"] == "done"


@pytest.mark.parametrize("declared", ["iso-8859-1", "us-ascii", "GBK", "x-none", "hex", "cp037"])
def test_what_is_utf_8_is_read_so_whatever_it_declares(declared: str) -> None:
    assert answer("utf-8", declared)["blocks"][0]["text"] == WORDS


@pytest.mark.parametrize("declared", ["x-none", "hex", "cp037", "utf-7"])
def test_a_charset_that_is_not_known_is_an_error_in_words(declared: str) -> None:
    turn = answer("cp1252", declared)

    assert turn["blocks"][-1]["message"] == (
        f"The body of the server's answer is not UTF-8, and declares the charset `{declared}`. "
        "Let the server send UTF-8."
    )


@pytest.mark.parametrize(("codec", "declared"), [("utf-16", ""), ("cp1252", "iso-8859-1")])
def test_the_words_of_an_error_are_read_so(codec: str, declared: str) -> None:
    head = (f"content-type: application/json; charset={declared}",)
    turn, _ = ask(Reply(REFUSAL.encode(codec), "400 X", head))

    assert turn["blocks"][-1]["message"] == "The server answered 400: zu heiß."


CODECS = [
    ("utf-8", ""),
    ("utf-8", "latin-1"),
    ("utf-16", ""),
    ("cp1252", "latin-1"),
    ("gbk", "gbk"),
]


@given(st.text("aü€漢\n"), st.sampled_from(CODECS), st.integers(1, 5))
def test_where_an_answer_is_cut_changes_nothing(words: str, codec: tuple, size: int) -> None:
    data = f"data: {words}".encode(codec[0], "replace")
    pieces = [data[start : start + size] for start in range(0, len(data), size)]

    def read(parts: list[bytes]) -> bytes:
        recoder = Recoder(f"text/plain; charset={codec[1]}")
        return b"".join([*(out for part in parts for out in recoder.feed(part)), *recoder.end()])

    assert read(pieces) == read([data])
    assert read([data]).decode() == data.decode(codec[0]) or codec[0] not in ("utf-8", "utf-16")


def test_a_piece_passes_before_the_answer_ends() -> None:
    recoder = Recoder("text/event-stream; charset=latin-1")

    assert list(recoder.feed(b"data: a\n\n")) == [b"data: a\n\n"]
    assert b"".join(recoder.feed(b"data: \xe9")) == b"data: "
    assert b"".join(recoder.feed(b"\n\n")) == "é\n\n".encode()
    with pytest.raises(CharsetError):
        list(Recoder("text/plain; charset=x-none").feed(b"data: \xfc\n"))
