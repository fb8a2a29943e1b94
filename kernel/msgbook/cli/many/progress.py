"""Display while many files are answered: a bar on a terminal, elsewhere a line for each file."""

from __future__ import annotations

import math
import os
import sys
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import TextIO

from msgbook.cli.many.job import EXIT_CODES, FileResult
from msgbook.cli.terminal import complain, line_of, say, write
from msgbook.text import counted

_WIDTH, _COLUMNS = 24, 80
"""Characters of the bar, and of the line where the terminal does not say."""
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
        self._waits: Mapping[str, float] = {}
        self._said: Counter[str] = Counter()
        self._started = time.monotonic()
        self._redraw()

    def turns_ended(self, count: int = 1) -> None:
        """Count turns."""
        self._turns += count
        self._redraw()

    def file_ended(self, result: FileResult) -> None:
        """Count a file. What is to be said of it is said now, the same words once for all files."""
        self._files += 1
        self._failed += EXIT_CODES[result.status] > 0
        # If the terminal is gone, the other files still have to be answered.
        with suppress(OSError):
            self._clear()
            self._tell(result)
            self._draw()

    def _tell(self, result: FileResult) -> None:
        for place, words in result.notices:
            self._said[words] += 1
            if self._said[words] == 1:
                complain("run", f"{place}: {words.removeprefix(f'{place}: ')}")
        if not self._is_bar and result.status != "other":
            turns, count = counted(len(result.turns), "turn"), f"[{self._files}/{self._total}]"
            line = f"{count} {line_of(str(result.path))}: {result.status}, {turns}, {result.seconds:.1f} s"
            say(line, self._stream)
            self._stream.flush()

    def show_waits(self, waits: Mapping[str, float]) -> None:
        """Show the time, and which servers are waited for.

        Args:
            waits: Seconds until the next request to each server for which requests wait.
        """
        self._waits = waits
        self._redraw()

    def close(self) -> None:
        """Remove the bar, and say how often what was said once has happened."""
        with suppress(OSError):
            self._clear()
            for words, count in self._said.items():
                if count > 1:
                    complain("run", f"{count - 1:,} more times: {words}")

    def _clear(self) -> None:
        if self._is_bar:
            self._stream.write(_CLEAR)
            self._stream.flush()

    def _redraw(self) -> None:
        with suppress(OSError):
            self._draw()

    def _draw(self) -> None:
        if not self._is_bar:
            return
        full = _WIDTH * self._files // max(self._total, 1)
        minutes, seconds = divmod(int(time.monotonic() - self._started), 60)
        words = [
            f"[{'#' * full}{'.' * (_WIDTH - full)}] {self._files}/{self._total} files",
            counted(self._turns, "turn"),
            *([f"{self._failed} failed"] if self._failed else []),
            f"{minutes}:{seconds:02}",
            *(f"waiting {math.ceil(wait)} s for {name}" for name, wait in self._waits.items()),
        ]
        self._stream.write(_CLEAR)
        # What is longer than the line would stay on the screen.
        write(line_of(", ".join(words), self._columns() - 1), self._stream)
        self._stream.flush()

    def _columns(self) -> int:
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or _COLUMNS
        except (OSError, ValueError):
            return _COLUMNS
