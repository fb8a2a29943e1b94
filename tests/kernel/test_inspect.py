"""Inspection says what a tag stands for, within what may be read, and claims no more."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_complete import READ, surroundings

from msgbook.kernel.inspect import NOT_SENT, inspect
from msgbook.kernel.surroundings import python_name_at
from msgbook.magics import HELP


@pytest.fixture
def look(tmp_path):
    folder = tmp_path / "book"
    folder.mkdir()
    (tmp_path / "outside.txt").write_text("not yours")
    (folder / "a.txt").write_text("".join(f"line {n}\n" for n in range(1, 41)))
    (folder / "src").mkdir()
    (folder / "src" / "b.py").touch()
    (folder / ".env").write_text("KEY=hidden")
    (folder / "data.bin").write_bytes(b"\0\1\2")
    around = surroundings(folder, tools=(READ,))
    return lambda code, cursor=3: inspect(code, cursor, around, HELP)


def test_a_file_is_shown_with_its_size_and_its_head(look):
    text = look("@[a.txt] and more")

    assert text.startswith("a.txt: 40 lines, 311 bytes, about 78 tokens\n\nline 1\nline 2\n")
    assert "line 20\n..." in text
    assert "line 21" not in text
    assert text.endswith(NOT_SENT)


def test_one_line_of_one_byte_is_spelled_as_one(look, tmp_path):
    (tmp_path / "book" / "one.txt").write_text("\n")

    assert look("@[one.txt]").startswith("one.txt: 1 line, 1 byte, about 1 token\n")


def test_lines_of_a_file_are_shown(look):
    assert "lines 10 to 12, about 6 tokens\n\nline 10\nline 11\nline 12\n" in look("@[a.txt:10:12]")
    assert "; line 7, about" in look("@[a.txt:7]")
    assert "lines 39 to 40" in look("@[a.txt:39:99]")
    assert "it has no lines 41 to 50" in look("@[a.txt:41:50]")
    assert "it has no line 0" in look("@[a.txt:0]")


def test_a_folder_shows_what_is_free_in_it(look):
    text = look("@[.]")

    assert "a.txt\ndata.bin\nsrc/" in text
    assert ".env" not in text


@pytest.mark.parametrize("path", ["../outside.txt", "/etc/passwd", ".env"])
def test_what_is_not_free_is_said_and_not_shown(look, path):
    text = look(f"@[{path}]")

    assert "is not free to read" in text
    assert [word for word in ("not yours", "root:", "hidden") if word in text] == []


def test_what_is_not_there_or_no_text_is_said(look):
    assert "No such file" in look("@[nothing.txt]")
    assert "3 bytes, no text" in look("@[data.bin]")
    assert "no cell with this id" in look("@[cell:zz]")


def test_what_shows_nothing_cannot_steer(look, tmp_path):
    (tmp_path / "book" / "esc.txt").write_text("\x1b[31mred\u202e")

    assert look("@[esc.txt]").isascii()
    assert "\x1b" not in look("@[esc.txt]")


def test_a_cell_is_shown_by_its_first_lines(look):
    assert "What is 文?" in look("@[cell:a1]")


def test_a_macro_shows_its_value(look):
    assert look("{{GOAL}}").startswith("GOAL = short")
    assert "neither this cell nor another one that is known defines it" in look("{{OTHER}}")


def test_a_tool_shows_its_parameters(look):
    assert look('@[read{"path": "a"}]').startswith("read(path, start?)\n\nRead a file.\n")


def test_a_magic_shows_its_help(look):
    assert "the models that the server offers" in look("%models")
    assert look("%%msg model=x", 2).count("\n") == 1


def test_plain_text_shows_nothing(look):
    assert look("just words") is None
    assert look("@[a.txt] and more", 14) is None


def test_the_name_in_a_python_reference_is_handed_on():
    assert python_name_at("see @[py:table]", 11) == "table"
    assert python_name_at("see @[table]", 8) is None


@given(st.text(st.sampled_from("@[]{}%m=:1/.\n\0文")), st.integers(-3, 30))
def test_no_text_and_no_cursor_raises(code, cursor):
    inspect(code, cursor, surroundings(Path("/nowhere-at-all")), HELP)
