"""Display while many files are answered: a bar on a terminal, elsewhere a line for each file."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from msgbook.cli.many.job import EXIT_CODES, FileResult
from msgbook.cli.terminal import complain, say, write
from msgbook.text import counted

_WIDTH = 24
_CLEAR = "\r\x1b[K"
"""Goes to the beginning of the line and empties it."""


class Progress:
    """Shows on standard error how many files are done.

    Args:
        total: Number of files.
        stream: By default standard error.
    """

    def __init__(self, total: int, stream: TextIO | None = None) -> None:
        self._total = total
        self._stream = stream or sys.stderr
        self._is_bar = self._stream.isatty()
        self._files = self._turns = self._failed = 0
        self._said: set[str] = set()
        self._started = time.monotonic()
        self._draw()

    def turn_ended(self) -> None:
        """Count a turn."""
        self._turns += 1
        self._draw()

    def file_ended(self, result: FileResult) -> None:
        """Count a file. What is to be said of it is said now, the same words once for all files."""
        self._files += 1
        self._failed += EXIT_CODES[result.status] > 0
        self._clear()
        for place, words in result.remarks:
            if words not in self._said:
                self._said.add(words)
                complain("run", f"{place}: {words.removeprefix(f'{place}: ')}")
        if not self._is_bar and result.status != "other":
            turns, count = counted(len(result.turns), "turn"), f"[{self._files}/{self._total}]"
            line = f"{count} {result.path}: {result.status}, {turns}, {result.seconds:.1f} s"
            say(line, self._stream)
            self._stream.flush()
        self._draw()

    def close(self) -> None:
        """Remove the bar."""
        self._clear()

    def _clear(self) -> None:
        if self._is_bar:
            self._stream.write(_CLEAR)
            self._stream.flush()

    def _draw(self) -> None:
        if not self._is_bar:
            return
        full = _WIDTH * self._files // max(self._total, 1)
        minutes, seconds = divmod(int(time.monotonic() - self._started), 60)
        failed = f", {self._failed} failed" if self._failed else ""
        self._stream.write(_CLEAR)
        write(
            f"[{'#' * full}{'.' * (_WIDTH - full)}] {self._files}/{self._total} files, "
            f"{counted(self._turns, 'turn')}{failed}, {minutes}:{seconds:02}",
            self._stream,
        )
        self._stream.flush()
