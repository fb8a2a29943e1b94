"""Jobs on the workers of a Dask cluster."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Any

from msgbook.cli.file_turns import ending_signals
from msgbook.cli.many.job import FileResult, Job
from msgbook.cli.many.on_worker import Parcel, answer_parcel
from msgbook.cli.many.progress import Progress
from msgbook.cli.unsaved import describe_unsaved, keep_content
from msgbook.cli.usage_errors import CommandError
from msgbook_format.errors import FileChangedError
from msgbook_format.files import read_regular, replace_bytes

_CONNECT = 15
"""Seconds in which the scheduler has to answer."""


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
        probe.write_text(token)
        with client, _interrupted_by_signals():
            return _Run(client, token, probe.absolute(), progress).do(jobs)
    finally:
        probe.unlink(missing_ok=True)


@contextmanager
def _interrupted_by_signals() -> Iterator[None]:
    """Take it as Ctrl+C if the terminal closes or a supervisor ends the process (POSIX)."""
    before = {
        number: signal.signal(number, signal.default_int_handler) for number in ending_signals()
    }
    try:
        yield
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

    def do(self, jobs: Sequence[Job]) -> list[FileResult]:
        from distributed import as_completed

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
            parcel = Parcel(
                replace(job, path=job.path.absolute()), content, self._token, self._probe
            )
            future = self._client.submit(answer_parcel, parcel, pure=False)
            sent[future] = (number, content)
        arrived = as_completed(sent)
        while True:
            try:
                for future in arrived:
                    number, content = sent[future]
                    results[number] = receive(future, jobs[number], content)
                    self._progress.turns_ended(len(results[number].turns))
                    self._progress.file_ended(results[number])
                return list(results.values())
            except KeyboardInterrupt:
                if self._stop.is_set():
                    raise
                # The workers end their turns and send what they have; the others begin nothing.
                self._stop.set()


def receive(future: Any, job: Job, before: bytes) -> FileResult:
    """Return the result of a job, and write the file that came back."""
    result: FileResult
    try:
        result, content = future.result()
    except Exception as error:  # of its worker, or of the connection to the scheduler
        words = f"no worker did it: {type(error).__name__}: {str(error)[:300]}"
        return FileResult(job.path, "failed", notices=[(str(job.path), words)])
    result.rename(job.path)
    if content is not None and content != before:
        try:
            replace_bytes(job.path, content, expected=sha256(before).digest())
        except (FileChangedError, OSError) as problem:
            result.status = "unsaved"
            words = describe_unsaved(job.path, problem, keep_content(job.path, content))
            result.notices.append((str(job.path), words))
    return result
