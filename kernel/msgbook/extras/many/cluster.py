"""Jobs on the workers of a Dask cluster: the side of the run, and that of a worker."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
from collections.abc import Callable, Collection, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from queue import Empty, SimpleQueue
from secrets import token_hex
from tempfile import TemporaryDirectory
from typing import Any

from msgbook.cli.file_turns import describe_unsaved, ending_signals, keep_content
from msgbook.cli.terminal import CommandError
from msgbook.extras.many.folder import Progress
from msgbook.extras.many.job import FileResult, Job, Worker
from msgbook_format.errors import FileChangedError
from msgbook_format.files import create_bytes, read_regular, replace_bytes

_CONNECT = 15
"""Seconds in which the scheduler has to answer; Dask itself would try for 30."""
_LISTEN = 0.2
"""Seconds between looks for Ctrl+C, which ends no wait on Windows."""


def do_on_cluster(
    jobs: Sequence[Job], address: str, folder: Path, progress: Progress
) -> list[FileResult]:
    """Do jobs on the workers of a cluster, and return their results in the order of the jobs.

    A job whose worker ends is done by another one. Where a worker sees the folder, it writes the
    file; elsewhere the file is sent to it and comes back at the end.

    Args:
        address: Of the scheduler.
        folder: A folder above all files.
        progress: Shows the files that are done.

    Raises:
        CommandError: Dask is not installed, or the scheduler does not answer.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise CommandError("--dask needs Dask: pip install 'msgbook[dask]'") from error
    # What they would say, with a traceback, when a connection is lost, is said of each file.
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        asyncio.run(_reach(address))
        client = Client(address, timeout=_CONNECT)
    except Exception as error:  # whatever listens there can send anything
        words = str(error) or type(error).__name__
        raise CommandError(f"--dask {address}: no scheduler answers ({words[:300]})") from error
    token = token_hex(8)
    probe = folder / f".msgbook-{token}"
    try:
        create_bytes(probe, token.encode())
        with client, counted_interrupts() as events:
            return _Run(client, token, probe.absolute(), progress).do(jobs, events)
    finally:
        probe.unlink(missing_ok=True)


@contextmanager
def counted_interrupts() -> Iterator[SimpleQueue[Any]]:
    """Yield a queue that gets None with the first Ctrl+C; only the second one raises.

    An interrupt that raised at once could strike while an answer is being received. It is taken as Ctrl+C if
    the terminal closes or a supervisor ends the process (POSIX).
    """
    events: SimpleQueue[Any] = SimpleQueue()
    interrupts: list[int] = []

    def note(number: int, _frame: object) -> None:
        interrupts.append(number)
        if len(interrupts) > 1:
            raise KeyboardInterrupt
        # Unlike other queues and events, this one can be told something in a signal handler.
        events.put(None)

    # The shell lets what it runs in the background ignore Ctrl+C.
    heeded = signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
    numbers = [*([signal.SIGINT] if heeded else ()), *ending_signals()]
    before = {number: signal.signal(number, note) for number in numbers}
    try:
        yield events
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


async def _reach(address: str) -> None:
    """Connect to a scheduler once: a client that cannot connect still tries to when it is deleted."""
    from distributed.comm.core import connect
    from distributed.security import Security

    arguments = Security().get_connection_args("client")
    # The timeout of `connect` does not hold for what is said after it.
    async with asyncio.timeout(_CONNECT):
        comm = await connect(address, timeout=_CONNECT, **arguments)
    await comm.close()


class _Run:
    """One run on a cluster."""

    def __init__(self, client: Any, token: str, probe: Path, progress: Progress) -> None:
        from distributed import Event

        self._client, self._token, self._probe = client, token, probe
        self._progress = progress
        self._stop = Event(f"msgbook-{token}", client=client)

    def do(self, jobs: Sequence[Job], events: SimpleQueue[Any]) -> list[FileResult]:
        results = {number: FileResult(job.path, "not run") for number, job in enumerate(jobs)}
        sent: dict[Any, tuple[int, bytes]] = {}
        for number, job in enumerate(jobs):
            try:
                content = read_regular(job.path)
            except OSError as error:
                words = error.strerror or type(error).__name__
                results[number] = FileResult(
                    job.path, "unreadable", notices=[(str(job.path), words)]
                )
                self._progress.file_ended(results[number])
                continue
            parcel = JobPayload(
                replace(job, path=job.path.absolute()), content, self._token, self._probe
            )
            future = self._client.submit(answer_parcel, parcel, pure=False)
            sent[future] = (number, content)

        def keep(future: Any) -> None:
            number, content = sent[future]
            results[number] = receive(future, jobs[number], content)
            self._progress.turns_ended(len(results[number].turns))
            self._progress.file_ended(results[number])

        # The workers end their turns and send what they have; the others begin nothing.
        receive_all(sent, keep, self._stop.set, events)
        return list(results.values())


def receive_all(
    futures: Collection[Any],
    receive_one: Callable[[Any], None],
    stop: Callable[[], None],
    events: SimpleQueue[Any],
) -> None:
    """Receive each future once it is done.

    Args:
        stop: Called at None among the events.
        events: The futures that are done are put there.
    """
    for future in futures:
        future.add_done_callback(events.put)
    left = len(futures)
    while left:
        try:
            event = events.get(timeout=_LISTEN)
        except Empty:
            continue
        if event is None:
            stop()
        else:
            receive_one(event)
            left -= 1


def receive(future: Any, job: Job, before: bytes) -> FileResult:
    """Return the result of a job, and write the file that came back."""
    result: FileResult
    try:
        result, content = future.result()
    except Exception as error:  # of its worker, or of the connection to the scheduler
        words = f"no worker did it: {type(error).__name__}: {str(error)[:300]}"
        return FileResult(job.path, "failed", notices=[(str(job.path), words)])
    result.set_path(job.path)
    if content is not None and content != before:
        try:
            replace_bytes(job.path, content, expected=sha256(before).digest())
        except (FileChangedError, OSError) as problem:
            result.status = "unsaved"
            words = describe_unsaved(job.path, problem, keep_content(job.path, content))
            result.notices.append((str(job.path), words))
    return result


# A job on a worker of a Dask cluster.
#
# All jobs of a run in one process share an event loop, the settings, and the paces of the servers.


_LOOK = 0.5
"""Seconds between two looks whether the run was stopped."""
_RUNS = 8
"""Maximum number of runs whose workers are cached per process: each holds its settings and connections."""


@dataclass(frozen=True, slots=True)
class JobPayload:
    """A job and its file, for a worker that may not see it."""

    job: Job
    content: bytes
    token: str
    """Token of the run."""
    probe: Path
    """A file with the token. A worker that can read it shares our file system."""


def answer_parcel(parcel: JobPayload) -> tuple[FileResult, bytes | None]:
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


def _is_shared(parcel: JobPayload) -> bool:
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
    # A process outlives many runs, and each has the settings and rules of its time.
    return Worker(_process()[0])


@cache
def _process() -> tuple[dict[str, str], asyncio.AbstractEventLoop]:
    """Return the environment, as it was before keys were removed from it, and the loop of this process."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="msgbook", daemon=True).start()
    return dict(os.environ), loop
