"""Child processes that run the file tools, so that no file and no pattern stalls the kernel."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import weakref
from typing import IO, Any

from msgbook.errors import ToolError
from msgbook.tools.files.isolated import import_paths

WORKERS = 4
"""Most calls that run at the same time."""
TIME_LIMIT = 30.0
"""Seconds that one call may take."""

_SERVE = (
    "import json, sys; sys.path += json.loads(sys.argv[1]); "
    "from msgbook.tools.files.serve import main; main(json.loads(sys.argv[2]))"
)
_ENVIRONMENT = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "PATH", "SYSTEMROOT", "USERPROFILE")
"""Variables that a worker needs; none holds a key."""


class WorkerPool:
    """Starts workers when they are needed and keeps them.

    A thread waits for each worker: it needs no event loop, and killing the worker ends the wait at
    once.

    Args:
        settings: Settings of `msgbook.tools.files.serve.main`, without the time limit.
        time_limit: Seconds that one call may take.
    """

    def __init__(self, settings: dict[str, Any], time_limit: float = TIME_LIMIT) -> None:
        self._settings = {**settings, "time_limit": time_limit}
        self._time_limit = time_limit
        self._slots = asyncio.Semaphore(WORKERS)
        self._idle: list[_Worker] = []
        self._workers: set[_Worker] = set()
        self._end = weakref.finalize(self, _end_all, self._workers)

    async def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the reply to one request. Cancelling it kills the worker.

        Raises:
            ToolError: It took too long, or the worker died or could not be started.
        """
        async with self._slots:
            worker = self._idle_worker()
            try:
                async with asyncio.timeout(self._time_limit):
                    reply = await asyncio.to_thread(worker.ask, request)
            except BaseException as error:
                worker.kill()
                self._workers.discard(worker)
                if isinstance(error, TimeoutError):
                    raise ToolError(
                        f"{request['tool']} took longer than {self._time_limit:g} s: it was "
                        "stopped. Try a simpler pattern, or fewer files."
                    ) from None
                raise
            self._idle.append(worker)
            return reply

    def close(self) -> None:
        """End the workers; the next request starts a new one."""
        self._idle.clear()
        _end_all(self._workers)

    def _idle_worker(self) -> _Worker:
        while self._idle:
            worker = self._idle.pop()
            if worker.is_alive:
                return worker
            worker.end()
            self._workers.discard(worker)
        worker = _Worker(self._settings)
        self._workers.add(worker)
        return worker


class _Worker:
    """A child process that answers one request at a time."""

    def __init__(self, settings: dict[str, Any]) -> None:
        code = ["-c", _SERVE, json.dumps(import_paths()), json.dumps(settings)]
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and code
                [sys.executable, "-I", "-S", "-X", "utf8", *code],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=os.sep,
                env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
                start_new_session=True,
            )
        except OSError as error:
            raise ToolError(f"The file tools could not be started: {error.strerror}.") from None

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return its reply.

        Raises:
            ToolError: The worker died.
        """
        requests, replies = _pipes(self._process)
        data = json.dumps(request).encode()
        try:
            requests.write(len(data).to_bytes(4) + data)
            requests.flush()
            size = replies.read(4)
            reply = replies.read(int.from_bytes(size))
        except (OSError, ValueError):  # ValueError: closed meanwhile
            size = reply = b""
        if len(size) < 4 or len(reply) < int.from_bytes(size):
            self.end()
            raise ToolError(f"The process that ran {request['tool']} died. Nothing was returned.")
        answer: dict[str, Any] = json.loads(reply)
        return answer

    def kill(self) -> None:
        """Kill the process and its children, without waiting for them."""
        if self._process.returncode is not None:
            return
        try:
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        except ProcessLookupError:
            return  # it has ended already

    def end(self) -> None:
        """Kill the process, wait until it is gone, and close the pipes."""
        self.kill()
        self._process.wait()
        for pipe in _pipes(self._process):
            try:
                pipe.close()
            except BrokenPipeError:
                continue  # the request was never read


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    assert process.stdin is not None  # noqa: S101 - both are asked for
    assert process.stdout is not None  # noqa: S101
    return process.stdin, process.stdout


def _end_all(workers: set[_Worker]) -> None:
    while workers:
        workers.pop().end()
