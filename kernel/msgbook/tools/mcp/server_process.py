"""The process of a server, behind the supervisor, so that nothing of it outlives the kernel."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import shutil
import subprocess
import sys
from asyncio.streams import FlowControlMixin
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from socket import SHUT_WR, socket, socketpair
from typing import IO, cast

from msgbook.config import McpServerSettings
from msgbook.tools.process import MARK, SUPERVISOR, kill_marked

LINE_LIMIT = 16_000_000
"""Bytes of one message, so that a line without end fills no memory. A result with pictures fits."""

STDERR_KEPT = 4096
"""Bytes of the end of standard error, for messages about a failure."""

_INHERITED = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER")

_LEAVE = 1.0
"""Seconds that a server has to end by itself after its input has closed."""
_GIVE_UP = 7.0
"""Seconds to wait for the supervisor, which gives up a little earlier."""
_POLL = 0.01
"""Seconds between looks whether a program has ended, which a person does not notice."""


class StartError(Exception):
    """A program cannot be started; the message says why."""


class LineTooLongError(Exception):
    """A server sent a line without end."""


_NOT_ON_PATH = " on PATH. Install it, or give the full path as `command`"


def server_environment(environ: Mapping[str, str], server: McpServerSettings) -> dict[str, str]:
    """Return the environment of a server: a few usual variables, and those that its table names.

    `python -m SERVER` would import modules of the folder that it starts in, but for `PYTHONSAFEPATH`.
    """
    usual = {name: environ[name] for name in _INHERITED if name in environ}
    return {**usual, "PYTHONSAFEPATH": "1", **server.env}


class ServerProcess:
    """A running program with lines in and out. Use it in one event loop.

    Args:
        on_end: Called when its output ends.
    """

    def __init__(self, process: subprocess.Popen[bytes], lifeline: socket, mark: str) -> None:
        self._process = process
        self._lifeline = lifeline
        self._mark = mark
        self._stderr = b""
        self._pipes = tuple(
            cast("IO[bytes]", pipe) for pipe in (process.stdin, process.stdout, process.stderr)
        )
        self._transports: list[asyncio.BaseTransport] = []
        self._writer: asyncio.StreamWriter | None = None
        self.on_end: Callable[[], None] = lambda: None

    @classmethod
    async def start(
        cls, server: McpServerSettings, environment: Mapping[str, str]
    ) -> ServerProcess:
        """Start the program.

        Raises:
            StartError: There is no such program, or it cannot be started.
        """
        if sys.platform == "win32":
            raise StartError(
                "a server with `command` needs Linux or another Unix; use one with `url`"
            )
        folder = server.cwd or environment.get("HOME") or "/"
        program = _find_program(server.command, folder, environment)
        started = cls(*_spawn([program, *server.args], folder, environment))
        try:
            await started._connect()
        except BaseException:  # also a cancellation: nobody else would end it
            await started.close()
            raise
        return started

    @property
    def exit_code(self) -> int | None:
        """Exit code, 128 + N for a signal N; None while it runs."""
        return self._process.poll()

    @property
    def stderr(self) -> str:
        """End of what it wrote to standard error."""
        return self._stderr.decode("utf-8", "replace").strip()

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield each line of its output, without the line's end.

        Raises:
            LineTooLongError: A line is longer than `LINE_LIMIT`.
        """
        try:
            while True:
                yield (await self._reader.readuntil(b"\n")).strip()
        except asyncio.IncompleteReadError:
            return
        except asyncio.LimitOverrunError:
            raise LineTooLongError(
                f"it sent a line of more than {LINE_LIMIT // 1_000_000} MB"
            ) from None
        finally:
            self.on_end()

    async def send(self, line: bytes) -> None:
        """Write a line, and wait until the program has read so much that it is nearly out.

        Raises:
            OSError: The program reads no more.
        """
        assert self._writer is not None  # noqa: S101 - `start` has connected it
        self._writer.write(line + b"\n")
        await self._writer.drain()

    def stop_input(self) -> None:
        """Close its input, and drop what has not been read."""
        if self._writer is None:
            self._pipes[0].close()
        elif not self._writer.transport.is_closing():
            self._writer.transport.abort()

    async def close(self) -> None:
        """End the program: first by the end of its input, then by force."""
        self.stop_input()
        await self._wait(_LEAVE)
        with contextlib.suppress(OSError):  # its other end is closed
            self._lifeline.shutdown(SHUT_WR)
        await self._wait(_GIVE_UP)
        if not self._has_report() or sys.platform != "linux":
            # However the supervisor has ended, the program may be left.
            await asyncio.to_thread(kill_marked, self._mark, self._process.pid)
        self._lifeline.close()
        for transport in self._transports:
            transport.close()
        if self._writer is None:
            for pipe in self._pipes:  # those that have no transport yet
                pipe.close()

    def _has_report(self) -> bool:
        """Return whether the supervisor has said that no process is left."""
        try:
            return bool(self._lifeline.recv(1))
        except OSError:
            return False

    async def _wait(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        ends = loop.time() + seconds
        while self.exit_code is None and loop.time() < ends:  # noqa: ASYNC110 - a process has no event
            await asyncio.sleep(_POLL)

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        stdin, stdout, stderr = self._pipes
        self._reader = asyncio.StreamReader(limit=LINE_LIMIT)
        output, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(self._reader), stdout
        )
        self._transports.append(output)
        errors, _ = await loop.connect_read_pipe(lambda: _Tail(self._add_stderr), stderr)
        self._transports.append(errors)
        transport, protocol = await loop.connect_write_pipe(FlowControlMixin, stdin)
        self._transports.append(transport)
        self._writer = asyncio.StreamWriter(transport, protocol, None, loop)

    def _add_stderr(self, data: bytes) -> None:
        self._stderr = (self._stderr + data)[-STDERR_KEPT:]


class _Tail(asyncio.Protocol):
    """Hands on what arrives."""

    def __init__(self, add: Callable[[bytes], None]) -> None:
        self._add = add

    def data_received(self, data: bytes) -> None:
        self._add(data)


def _spawn(
    command: Sequence[str], folder: str, environment: Mapping[str, str]
) -> tuple[subprocess.Popen[bytes], socket, str]:
    """Start a program; return its supervisor, the lifeline and the mark of its processes.

    Raises:
        StartError: It cannot be started.
    """
    mark = secrets.token_hex(16)
    inner, lifeline = socketpair()
    lifeline.setblocking(False)
    try:
        process = subprocess.Popen(  # noqa: S603 - of the user's own configuration
            [sys.executable, "-I", "-S", str(SUPERVISOR), "server", str(inner.fileno()), *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env={**environment, MARK: mark},
            start_new_session=True,
            pass_fds=[inner.fileno()],
        )
    except (OSError, ValueError) as error:
        lifeline.close()
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise StartError(f"{command[0]} cannot be started in {folder}: {reason}") from None
    finally:
        inner.close()
    return process, lifeline, mark


def _find_program(command: str, folder: str, environment: Mapping[str, str]) -> str:
    """Return the absolute path of a program. A relative entry of `PATH` does not count.

    Raises:
        StartError: There is none.
    """
    if "/" in command:
        path = Path(command)
        with contextlib.suppress(RuntimeError):  # unknown user in ~name
            path = path.expanduser()
        where = "" if path.is_absolute() else f" in {folder}"
        found = shutil.which(str(Path(folder, path)))
    else:
        entries = environment.get("PATH", os.defpath).split(os.pathsep)
        absolute = os.pathsep.join(entry for entry in entries if Path(entry).is_absolute())
        found, where = shutil.which(command, path=absolute), _NOT_ON_PATH
    if found is None:
        raise StartError(f"there is no program {command}{where}")
    return found
