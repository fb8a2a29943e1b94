"""`msgbook run DIR`: answers the prompts of all conversations of a folder, several files at once."""

from __future__ import annotations

import asyncio
import math
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from msgbook.cli.file_turns import cancel_on_signals
from msgbook.cli.terminal import CommandError, complain, line_of, say, write
from msgbook.config import ApprovalPolicy
from msgbook.errors import describe_file_error
from msgbook.extras.many.job import EXIT_CODES, FileResult, Job, PaidTurn, Worker, exit_code
from msgbook.magics.overview import add_up, shown_total
from msgbook.notebook import NOTEBOOK_SUFFIX
from msgbook.text import counted
from msgbook.turn import Purse
from msgbook_format.errors import MessageFileError
from msgbook_format.files import AGENT_SUFFIXES, SUFFIX, Snapshot, stem_of

AT_ONCE = 4
"""Files that are answered at once unless the user says how many: most servers take as many requests."""


def run_folder(
    folder: Path,
    *,
    again: bool = False,
    approval: ApprovalPolicy = "allow",
    parallel: int | None = None,
    cluster: str | None = None,
    purse: Purse | None = None,
) -> int:
    """Answer the prompts without an answer, several files at once, and print a table.

    A turn that is saved as running, because a process ended in the middle, is not an answer.

    Args:
        again: Also answer prompts that have an answer.
        approval: Most permissive policy for tool calls; nobody can be asked.
        parallel: Most files at once.
        cluster: Address of the scheduler of a Dask cluster, whose workers answer.
        purse: What the run may spend; None for any amount.

    Returns:
        0, or 1 if a prompt has no answer, or 2 if a file could not be read or written.

    Raises:
        MsgbookError: The folder, the settings or the cluster cannot be used.
    """
    paths = find_conversations(folder)
    if not paths:
        raise CommandError(
            f"{folder}: expected a folder with conversations (.msg.md, .md with message_section, .ipynb of "
            "the kernel msgbook, .mtm), found none"
        )
    jobs = [Job(path, again, approval) for path in paths]
    results, seconds = run_jobs(
        jobs, parallel or AT_ONCE, None if cluster is None else (cluster, folder), purse
    )
    return report(results, seconds)


def run_jobs(
    jobs: Sequence[Job],
    parallel: int,
    cluster: tuple[str, Path] | None = None,
    purse: Purse | None = None,
) -> tuple[list[FileResult], float]:
    """Do jobs and show the progress; return their results and the seconds they took.

    Args:
        cluster: Address of a cluster whose workers do them, and a folder above all files.
        purse: What they may spend together, without a cluster; None for any amount.
    """
    from msgbook.extras.many.cluster import do_on_cluster

    progress, started = Progress(len(jobs)), time.monotonic()
    try:
        if cluster is not None:
            results = do_on_cluster(jobs, *cluster, progress)
        else:
            results = do_side_by_side(jobs, parallel, progress, purse)
    finally:
        progress.close()
    return [one for one in results if one.status != "other"], time.monotonic() - started


def report(results: Sequence[FileResult], seconds: float) -> int:
    """Print the table of a run and return its exit code."""
    for line in summary_table(results, seconds):
        say(line)
    return exit_code(results)


# The conversations of a folder and of the folders below it.


_ENDINGS = (SUFFIX, ".md", NOTEBOOK_SUFFIX, *AGENT_SUFFIXES)
"""In this order, the first of several files with the same stem counts: the others are paired with it."""


def find_conversations(folder: Path) -> list[Path]:
    """Return the files of a folder, and of those below it, that are conversations by their names.

    Hidden files and folders are left out, links are not followed, and of paired files the text is taken. Whether a notebook is one of ours shows when it is read.

    Raises:
        CommandError: A folder cannot be read.
    """

    def refuse(error: OSError) -> None:
        raise CommandError(describe_file_error(error.filename or folder, error)) from error

    found: list[Path] = []
    for where, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += _conversations(Path(where), names)
    return found


def _conversations(folder: Path, names: list[str]) -> Iterator[Path]:
    by_stem: dict[str, list[str]] = {}
    for name in sorted(names):
        path = folder / name
        if name.startswith(".") or not name.endswith(_ENDINGS):
            continue
        if path.is_symlink() or not path.is_file():
            continue
        if _is_ordinary_markdown(path):
            continue
        by_stem.setdefault(stem_of(name), []).append(name)
    for same in by_stem.values():
        yield folder / min(same, key=lambda name: _ENDINGS.index(_ending(name)))


def _ending(name: str) -> str:
    return next(ending for ending in _ENDINGS if name.endswith(ending))


def _is_ordinary_markdown(path: Path) -> bool:
    if path.suffix != ".md" or path.name.endswith(SUFFIX):
        return False
    try:
        Snapshot.read(path)
    except (MessageFileError, OSError, ValueError):
        return True
    return False


# The table at the end of a run of many files.


_HEAD = ["file", "turns", "status", "input", "output", "cost", "seconds"]
_LEFT = {0, 2}
"""Columns with words."""


def summary_table(results: Sequence[FileResult], seconds: float) -> list[str]:
    """Return a line for each file, and one for all: turns, status, tokens, cost and seconds.

    Without prices there is no cost.

    Args:
        seconds: That the run took.
    """
    rows = [
        _row(line_of(str(result.path)), result.status, result.turns, result.seconds)
        for result in results
    ]
    turns = [turn for result in results for turn in result.turns]
    rows.append(_row(counted(len(results), "file"), "", turns, seconds))
    table = [_HEAD, *rows]
    if all(turn.cost is None for turn in turns):
        table = [[*row[:5], row[6]] for row in table]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return ["  ".join(_padded(row, widths)).rstrip() for row in table]


def _row(name: str, status: str, turns: Sequence[PaidTurn], seconds: float) -> list[str]:
    costs = {id(turn.usage): turn.cost for turn in turns}
    sums = add_up([turn.usage for turn in turns], lambda usage: costs[id(usage)])
    counts = [shown_total(sums[key], form) if turns else "0" for key, form in _FORMS]
    return [name, str(len(turns)), status, *counts, f"{seconds:.1f}"]


_FORMS = (("input", "{:,}"), ("output", "{:,}"), ("cost", "{:,.4f}"))


def _padded(row: list[str], widths: list[int]) -> list[str]:
    return [
        text.ljust(width) if column in _LEFT else text.rjust(width)
        for column, (text, width) in enumerate(zip(row, widths, strict=True))
    ]


# Several jobs at once in this process.


_TICK = 1.0
"""Seconds between two looks at the clock and at what is waited for."""


def do_side_by_side(
    jobs: Sequence[Job], parallel: int, progress: Progress, purse: Purse | None = None
) -> list[FileResult]:
    """Do jobs, some of them at once, and return their results in the order of the jobs.

    An interrupt ends all that run, and no other begins.

    Args:
        parallel: Most jobs at once.
        progress: Shows the turns and files that are done, and the waits.
        purse: What they may spend together; None for any amount.
    """
    return asyncio.run(_do_all(jobs, parallel, progress, purse))


async def _do_all(
    jobs: Sequence[Job], parallel: int, progress: Progress, purse: Purse | None
) -> list[FileResult]:
    cancel_on_signals()
    worker = Worker(on_turn=progress.turns_ended, purse=purse)
    results = {number: FileResult(job.path, "not run") for number, job in enumerate(jobs)}
    waiting = iter(enumerate(jobs))

    async def lane() -> None:
        for number, job in waiting:
            results[number] = await worker.do(job)
            progress.file_ended(results[number])
            if stopped:
                return

    async def tick() -> None:
        while True:
            await asyncio.sleep(_TICK)
            progress.show_waits(worker.paces.shortest_waits())

    stopped = False
    ticking = asyncio.create_task(tick())
    lanes = [asyncio.create_task(lane()) for _ in range(min(parallel, len(jobs)))]
    try:
        # `gather` would pass a cancellation on before the lanes know that it is the end.
        await asyncio.wait(lanes)
    except asyncio.CancelledError:
        # The turns take the cancellation as their end, save what they have, and end the job.
        stopped = True
        for task in lanes:
            task.cancel()
        await asyncio.wait(lanes)
    finally:
        ticking.cancel()
    for task in lanes:
        task.result()
    return list(results.values())


# Display while many files are answered: a bar on a terminal, elsewhere a line for each file.


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
