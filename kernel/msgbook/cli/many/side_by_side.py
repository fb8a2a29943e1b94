"""Several jobs at once in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from msgbook.cli.file_turns import cancel_on_signals
from msgbook.cli.many.answer_file import Worker
from msgbook.cli.many.job import FileResult, Job
from msgbook.cli.many.progress import Progress

_TICK = 1.0
"""Seconds between two looks at the clock and at what is waited for."""


def do_side_by_side(jobs: Sequence[Job], parallel: int, progress: Progress) -> list[FileResult]:
    """Do jobs, some of them at once, and return their results in the order of the jobs.

    An interrupt ends all that run, and no other begins.

    Args:
        parallel: Most jobs at once.
        progress: Shows the turns and files that are done, and the waits.
    """
    return asyncio.run(_do_all(jobs, parallel, progress))


async def _do_all(jobs: Sequence[Job], parallel: int, progress: Progress) -> list[FileResult]:
    cancel_on_signals()
    worker = Worker(on_turn=progress.turns_ended)
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
