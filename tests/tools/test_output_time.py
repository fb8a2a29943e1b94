"""The time that an output takes grows with its length, whatever is in it."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from msgbook.config import redact
from msgbook.kernel.python.capture import Capture
from msgbook.notebook.outputs import outputs_text
from msgbook.text import capped, one_line, visible, without_data
from msgbook.tools import Output, TerminalText
from msgbook.tools.files.diff import preview
from msgbook_format.turn.markdown import escape

PIECES = {
    "returns": "\r",
    "returns and a letter": "\r" * 999 + "x",
    "returns and line feeds": "\r" * 5_000 + "\n",
    "backspaces": "a\b",
    "escapes": "\x1b",
    "sequences that do not end": "\x1b[0",
    "one sequence that does not end": "0;",
    "control strings that do not end": "\x1b]0;title",
    "ends of control strings": "\x07\x1b\\",
    "colours": "\x1b[31mred\x1b[0m",
    "lines": "\n",
    "a line": "x",
    "blanks": " ",
    "a line of wide letters": "字",
    "marks that show nothing": "\u200b\u202e",
    "data URLs": "data:image/png;base64,",
    "a type that does not end": "data:image/a;a=",
    "beginnings of a key": "sk-0123",
    "half a pair": "\ud83d",
}
BEGINS = {"one sequence that does not end": "\x1b[", "a type that does not end": "data:image/png;"}


def by_pieces(size: int) -> Callable[[str], object]:
    def run(text: str) -> None:
        shown: list[str] = []
        output = Output(shown.append)
        for start in range(0, len(text), size):
            output.feed(text[start : start + size].encode("utf-8", "replace"))
            output.flush()
        output.finish()
        output.text()

    return run


def printed(text: str) -> None:
    capture = Capture(lambda piece: None)
    for start in range(0, len(text), 8192):
        capture.write(text[start : start + 8192])
        capture.flush()
    capture.content()


READERS: dict[str, Callable[[str], object]] = {
    "a terminal": lambda text: (terminal := TerminalText()).feed(text) + terminal.finish(),
    "large pieces": by_pieces(65_536),
    "small pieces": by_pieces(1_000),
    "prints": printed,
    "a cell": lambda text: outputs_text([{"output_type": "stream", "name": "out", "text": text}]),
    "redaction": lambda text: redact(text, ["sk-0123456789", "sk-01"]),
    "a cut": capped,
    "one line": one_line,
    "characters written out": visible,
    "terminal characters written out": escape.replace_controls,
    "without data": without_data,
    "without data, growing": lambda text: without_data(text, ended=False),
    "a diff": lambda text: preview("", text.encode("utf-8", "replace").decode(), "x"),
}


def seconds(run: Callable[[str], object], text: str) -> float:
    """CPU time, the best of three: others use the machine, too."""
    best = float("inf")
    for _ in range(3):
        begin = time.thread_time()
        run(text)
        best = min(best, time.thread_time() - begin)
    return best


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("reader", READERS)
def test_four_times_the_output_takes_about_four_times_as_long(reader, piece):
    run, unit = READERS[reader], PIECES[piece]

    def text_of(length: int) -> str:
        return BEGINS.get(piece, "") + unit * (length // len(unit))

    short = seconds(run, text_of(20_000))
    # A square law takes 16 times as long; what takes next to no time is not measured.
    assert seconds(run, text_of(80_000)) < 9 * short + 0.02
