"""Several jobs at once in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from msgbook.cli.file_turns import cancel_on_signals
from msgbook.cli.many.answer_file import Worker
from msgbook.cli.many.job import FileResult, Job


def do_side_by_side(
    jobs: Sequence[Job],
    parallel: int,
    on_turn: Callable[[], None],
    on_file: Callable[[FileResult], None],
) -> list[FileResult]:
    """Do jobs, some of them at once, and return their results in the order of the jobs.

    An interrupt ends all that run, and no other begins.

    Args:
        parallel: Most jobs at once.
        on_turn: Called at the end of each turn.
        on_file: Gets each result when it is there.
    """
    return asyncio.run(_do_all(jobs, parallel, Worker(on_turn=on_turn), on_file))


async def _do_all(
    jobs: Sequence[Job], parallel: int, worker: Worker, on_file: Callable[[FileResult], None]
) -> list[FileResult]:
    cancel_on_signals()
    results = {number: FileResult(job.path, "not run") for number, job in enumerate(jobs)}
    waiting = iter(enumerate(jobs))

    async def lane() -> None:
        for number, job in waiting:
            results[number] = await worker.do(job)
            on_file(results[number])
            if stopped:
                return

    stopped = False
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
    for task in lanes:
        task.result()
    return list(results.values())
