"""The tool `read`: files, lines, images and folders."""

from __future__ import annotations

import base64
import codecs
import os
from pathlib import Path

import pytest
from file_calls import FileCalls
from hypothesis import given
from hypothesis import strategies as st

from msgbook.images import IMAGE_LIMIT
from msgbook.tools.files import TextFile, decode
from msgbook.tools.files.reading import FILE_LIMIT, SHOWN

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)


@pytest.fixture
def files(tmp_path: Path) -> FileCalls:
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n")
    return FileCalls(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "content"),
    [
        ({"path": "a.txt"}, "one\ntwo\nthree\n"),
        ({"path": "./a.txt", "start": 2}, "two\nthree"),
        ({"path": "a.txt", "start": 2, "end": 2}, "two"),
        ({"path": "a.txt", "end": 1}, "one"),
        ({"path": "a.txt", "start": 3, "end": 99}, "three"),
        ({"path": "."}, "a.txt"),
    ],
)
def test_it_reads_files_lines_and_folders(files, arguments, content):
    assert files.run("read", **arguments) == content


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"path": "none.txt"}, "none.txt: No such file or directory"),
        ({"path": "a.txt/b"}, "a.txt/b: Not a directory"),
        ({"path": "a.txt", "start": 9}, "The file has no line 9; it has 3."),
        ({"path": "a.txt", "start": 3, "end": 2}, "The file has no lines 3 to 2; it has 3."),
    ],
)
def test_what_cannot_be_read_is_said_in_words_for_the_model(files, arguments, said):
    assert files.error("read", **arguments) == said


@given(st.lists(st.text("aé \t", max_size=5), min_size=1))
def test_the_lines_of_a_range_are_those_of_the_file(tmp_path_factory, lines):
    folder = tmp_path_factory.mktemp("lines")
    (folder / "a").write_text("\n".join(lines) + "\n", "utf-8")
    files = FileCalls(folder)

    for number, line in enumerate(lines, 1):
        assert files.run("read", path="a", start=number, end=number) == line
    assert files.run("read", path="a", start=1, end=len(lines)) == "\n".join(lines)


def test_a_long_file_is_shown_from_its_begin_with_the_way_to_the_rest(files, tmp_path):
    (tmp_path / "long").write_text("".join(f"line {n}\n" for n in range(1, 10_001)))

    shown, _, note = files.run("read", path="long").rpartition("\n")

    assert len(shown) <= SHOWN
    last = len(shown.split("\n"))
    assert note.startswith(f"[lines 1 to {last} of 10000; go on with start={last + 1}")
    assert files.run("read", path="long", start=last + 1, end=last + 1) == f"line {last + 1}"


def test_a_long_line_is_cut_and_its_length_said(files, tmp_path):
    (tmp_path / "minified").write_text("x" * (SHOWN + 5) + "\nend\n")

    shown, _, note = files.run("read", path="minified").rpartition("\n")

    assert shown == "x" * SHOWN
    assert note == "[line 1 goes on for 5 characters; the file has 2 lines]"


def test_an_image_is_given_as_an_image(files, tmp_path):
    (tmp_path / "dot.dat").write_bytes(PIXEL)

    name, image = files.run("read", path="dot.dat")

    assert name == {"type": "text", "text": f"dot.dat, image/png, {len(PIXEL)} bytes:"}
    assert image["image_url"]["url"] == (
        "data:image/png;base64," + base64.b64encode(PIXEL).decode("ascii")
    )


def test_an_image_that_is_too_large_is_said(files, tmp_path):
    (tmp_path / "large.png").write_bytes(PIXEL.ljust(IMAGE_LIMIT + 1, b"\0"))

    assert "image of 5000001 bytes" in files.error("read", path="large.png")


def test_a_pipe_a_device_and_a_binary_file_are_refused(files, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "b").write_bytes(b"\0\1")
    (tmp_path / "noise").write_bytes(bytes(range(1, 256)))

    assert files.error("read", path="pipe") == "pipe is not a regular file."
    assert files.error("read", path="b") == "b is a binary file of 2 bytes."
    assert files.error("read", path="noise") == "noise is a binary file of 255 bytes."
    assert files.reply("read", files.approval_request("read", path="/dev/zero"), path="/dev/zero")[
        "error"
    ] == ("/dev/zero is not a regular file.")


def test_of_a_file_that_is_too_long_the_begin_is_read_and_that_is_said(files, tmp_path):
    with (tmp_path / "huge").open("wb") as file:
        file.write("é\n".encode() * 100_000)
        file.truncate(FILE_LIMIT + 10)

    shown = files.run("read", path="huge")

    assert f"[only the first 300000 of {FILE_LIMIT + 10} bytes were read]" in shown


@pytest.mark.parametrize(
    ("data", "content"),
    [
        ("é\n".encode(), "é\n"),
        (codecs.BOM_UTF8 + "é\n".encode(), "é\n"),
        (codecs.BOM_UTF16_LE + "é\n".encode("utf-16-le"), "é\n[encoding utf-16-le]"),
        (codecs.BOM_UTF16_BE + "é\n".encode("utf-16-be"), "é\n[encoding utf-16-be]"),
        (codecs.BOM_UTF32_LE + "é\n".encode("utf-32-le"), "é\n[encoding utf-32-le]"),
        (codecs.BOM_UTF32_BE + "é\n".encode("utf-32-be"), "é\n[encoding utf-32-be]"),
        ("é “x”\n".encode("cp1252"), "é “x”\n[encoding cp1252, guessed]"),
        ("é\x81\n".encode("latin-1"), "é\x81\n[encoding latin-1, guessed]"),
        (
            b"# -*- coding: koi8-r -*-\n" + "да\n".encode("koi8-r"),
            "# -*- coding: koi8-r -*-\nда\n[encoding koi8-r]",
        ),
        (b"# coding: hex\n\xe9\n", "# coding: hex\né\n[encoding cp1252, guessed]"),
        (b"# coding: no-such\n\xe9\n", "# coding: no-such\né\n[encoding cp1252, guessed]"),
        (b"a\r\nb\r\n", "a\nb\n[lines end with CRLF]"),
        (b"a\rb\r", "a\nb\n[lines end with CR]"),
        (
            b"\xff\xfe" + "a\rb\r".encode("utf-16-le"),
            "a\nb\n[encoding utf-16-le, lines end with CR]",
        ),
        (b"10 %\r50 %\rdone\n", "10 %\r50 %\rdone\n"),
        (b"", "(the file is empty)"),
    ],
)
def test_encodings_and_line_ends_are_understood_and_said(files, tmp_path, data, content):
    (tmp_path / "x").write_bytes(data)

    assert files.run("read", path="x") == content


@given(st.text(), st.sampled_from(["utf-8", "utf-16-le", "utf-32-be", "cp1252", "koi8-r"]))
def test_what_is_decoded_can_be_written_back_to_the_byte(text, codec):
    data = text.encode(codec, "ignore")
    file = decode(data)

    assert file is None or file.encode() == data


@given(st.binary())
def test_no_bytes_are_changed_by_reading_them_as_text(data):
    file = decode(data)

    # Windows' Japanese has some characters twice: `edit` refuses a file with the other spelling.
    # It refuses damaged files, too.
    assert file is None or file.encode() == data or file.codec == "cp932" or file.is_damaged


def test_a_text_is_spelled_as_the_file_that_it_replaces():
    old = TextFile("a\r\nb\r\n", "utf-16-le", codecs.BOM_UTF16_LE)

    assert old.with_text("x\ny\n").encode() == codecs.BOM_UTF16_LE + "x\r\ny\r\n".encode(
        "utf-16-le"
    )
