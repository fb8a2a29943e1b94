"""A job on a worker of a Dask cluster.

All jobs of a run in one process share an event loop, the settings, and the paces of the servers.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgbook.cli.many.answer_file import Worker
from msgbook.cli.many.job import FileResult, Job
from msgbook_format.files import create_bytes

_LOOK = 0.5
"""Seconds between two looks whether the run was stopped."""
_RUNS = 8
"""Runs whose workers a process keeps."""


@dataclass(frozen=True, slots=True)
class Parcel:
    """A job and its file, for a worker that may not see it."""

    job: Job
    content: bytes
    token: str
    """Of the run."""
    probe: Path
    """A file with the token; who can read it sees the files of the run."""


def answer_parcel(parcel: Parcel) -> tuple[FileResult, bytes | None]:
    """Do a job on this worker, with its own settings and environment.

    Returns:
        The result, and the new content of the file if the worker could not write it in its place.
    """
    if _is_shared(parcel):
        return _do(parcel.job, parcel.token), None
    with TemporaryDirectory(prefix="msgbook-") as folder:
        path = Path(folder) / parcel.job.path.name
        create_bytes(path, parcel.content)
        result = _do(replace(parcel.job, path=path), parcel.token)
        result.set_path(parcel.job.path)
        return result, path.read_bytes()


def _is_shared(parcel: Parcel) -> bool:
    try:
        return parcel.probe.read_text() == parcel.token
    except (OSError, ValueError):
        return False


def _do(job: Job, token: str) -> FileResult:
    from distributed import Event

    stop, (worker, loop) = Event(f"msgbook-{token}"), _worker_of(token)

    def call(coroutine: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, loop).result()

    async def begin() -> asyncio.Task[FileResult]:
        return asyncio.create_task(worker.do(job))

    if stop.is_set():
        return FileResult(job.path, "not run")
    task, is_stopped = call(begin()), False
    while not task.done():
        call(_wait(task))
        if not is_stopped and not task.done() and stop.is_set():
            is_stopped = True
            loop.call_soon_threadsafe(task.cancel)
    result: FileResult = task.result()
    return result


async def _wait(task: asyncio.Task[FileResult]) -> None:
    await asyncio.wait({task}, timeout=_LOOK)


_LOCK = threading.Lock()


def _worker_of(token: str) -> tuple[Worker, asyncio.AbstractEventLoop]:
    with _LOCK:
        return _worker(token), _process()[1]


@lru_cache(maxsize=_RUNS)
def _worker(_token: str) -> Worker:
    """Return the worker of a run. A process outlives many runs, and each has the settings and rules of its time."""
    return Worker(_process()[0])


@cache
def _process() -> tuple[dict[str, str], asyncio.AbstractEventLoop]:
    """Return the environment, as it was before keys were removed from it, and the loop of this process."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="msgbook", daemon=True).start()
    return dict(os.environ), loop
