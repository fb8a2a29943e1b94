"""The output of a running tool: readable, bounded, and shown piece by piece."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from msgbook.tools import Output, TerminalText
from msgbook.tools.tool_output import TAIL


def gathered(*pieces: bytes | str, limit: int = 10_000) -> str:
    output = Output(lambda _: None, limit)
    for piece in pieces:
        output.feed(piece)
    output.finish()
    return output.text()


def test_colours_titles_and_cursor_movements_are_dropped():
    assert gathered("\x1b[1;31mred\x1b[0m \x1b]0;title\x07and \x1b[2K\x1b(Bplain\x08\x07") == (
        "red and plain"
    )


def test_a_progress_line_is_kept_as_it_was_in_the_end():
    assert gathered("10%\r", "50%\r", "100%\r\n", "done\n") == "100%\ndone\n"


def test_line_ends_of_windows_are_line_ends():
    assert gathered("a\r\nb\r", "\nc") == "a\nb\nc"


def test_bytes_that_are_no_text_are_replaced():
    assert gathered(b"caf\xc3", b"\xa9 \xff!") == "café \N{REPLACEMENT CHARACTER}!"


def test_of_a_longer_output_start_and_end_are_kept_and_the_loss_is_said():
    lines = [f"{number:06}\n" for number in range(10_000)]

    text = gathered(*lines, limit=100)

    assert text.startswith("000000\n")
    assert "characters were not kept" in text
    assert text.endswith("".join(lines)[-TAIL:])


def test_the_start_of_one_long_piece_is_kept_to_the_last_whole_character():
    text = gathered("é" * 50_000, limit=101)

    left_out = 50_000 - 50 - TAIL
    assert text == f"{'é' * 50}\n[... {left_out} characters were not kept ...]\n{'é' * TAIL}"


def test_a_line_without_an_end_is_bounded():
    terminal = TerminalText()

    for _ in range(100):
        terminal.feed("x" * 1000)

    assert len(terminal.line) < 10_000


def test_what_is_shown_adds_up_to_the_output():
    shown: list[str] = []
    output = Output(shown.append)
    for piece in ("one\nt", "wo\nthr", "ee"):
        output.feed(piece)
        output.flush()
    output.finish()

    assert shown == ["one\nt", "wo\nthr", "ee"]
    assert "".join(shown) == output.text()


def test_a_progress_line_is_shown_anew_where_it_changed():
    shown: list[str] = []
    output = Output(shown.append)
    for piece in ("10%", "\r20%", "\r30%\nend"):
        output.feed(piece)
        output.flush()

    assert "".join(shown) == "10%\n20%\n30%\nend"


PIECES = ["a", "m", "\n", "\r", "\x1b", "[31", "[", " ", "\x1b[0m", "]x", "\x07", "\x08", "\\", "é"]


@given(st.lists(st.sampled_from(PIECES)))
def test_text_does_not_depend_on_how_it_is_cut_into_pieces(pieces):
    assert gathered(*pieces) == gathered("".join(pieces))
