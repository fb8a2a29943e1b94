"""Child processes that run the file tools, so that no file and no pattern stalls the kernel."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import weakref
from pathlib import Path
from typing import IO, Any

import msgbook
from msgbook.errors import ToolError

WORKERS = 4
"""Calls that run side by side."""
TIME_LIMIT = 30.0
"""Seconds of one call."""

_SERVE = (
    "import json, sys; sys.path.append(sys.argv[1]); "
    "from msgbook.tools.files.serve import main; main(json.loads(sys.argv[2]))"
)
_ENVIRONMENT = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "PATH", "SYSTEMROOT", "USERPROFILE")
"""What a worker needs of the environment; no key is among it."""


class WorkerPool:
    """Workers that are started when they are needed and kept.

    Waiting for a worker is done in a thread: it needs nothing of the event loop, and killing the
    worker ends it at once.

    Args:
        settings: Of `msgbook.tools.files.serve.main`, without the time limit.
        time_limit: Seconds of one call.
    """

    def __init__(self, settings: dict[str, Any], time_limit: float = TIME_LIMIT) -> None:
        self._settings = {**settings, "time_limit": time_limit}
        self._time_limit = time_limit
        self._slots = asyncio.Semaphore(WORKERS)
        self._idle: list[_Worker] = []
        self._workers: set[_Worker] = set()
        self._end = weakref.finalize(self, _end_all, self._workers)

    async def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """The reply to one request. When this is cancelled, what runs is killed.

        Raises:
            ToolError: It took too long, or the worker died or could not be started.
        """
        async with self._slots:
            worker = self._free_worker()
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
        """End the workers; the next request starts one anew."""
        self._idle.clear()
        _end_all(self._workers)

    def _free_worker(self) -> _Worker:
        while self._idle:
            worker = self._idle.pop()
            if worker.alive:
                return worker
            worker.end()
            self._workers.discard(worker)
        worker = _Worker(self._settings)
        self._workers.add(worker)
        return worker


class _Worker:
    """One child process; it answers one request at a time."""

    def __init__(self, settings: dict[str, Any]) -> None:
        package = str(Path(msgbook.__file__).parent.parent)
        code = ["-c", _SERVE, package, json.dumps(settings)]
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
    def alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request and wait for its reply.

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
        """Kill the process and what it started; it is not waited for."""
        if self._process.returncode is not None:
            return
        try:
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        except ProcessLookupError:
            return  # it ended by itself

    def end(self) -> None:
        """Kill the process, wait until it is gone, and close the pipes."""
        self.kill()
        self._process.wait()
        for pipe in _pipes(self._process):
            try:
                pipe.close()
            except BrokenPipeError:
                continue  # a request that nobody reads any more


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    assert process.stdin is not None  # noqa: S101 - both are asked for
    assert process.stdout is not None  # noqa: S101
    return process.stdin, process.stdout


def _end_all(workers: set[_Worker]) -> None:
    while workers:
        workers.pop().end()
