"""A shell command under the supervisor, so that none of its processes outlives the call or the kernel."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from socket import SHUT_WR, socket, socketpair
from typing import IO, cast

import psutil

SUPERVISOR = Path(__file__).with_name("supervise.py")

_CHUNK = 65_536
"""Bytes that one read takes: as many as a pipe of Linux holds."""

_LAST_READS = 64
"""Pieces that are read after the command has ended; a process that escaped may print forever."""

_LAST_WAIT = 0.2
"""Seconds to wait until killed processes are gone."""

_GIVE_UP = 5.0
"""Seconds after which processes that cannot be killed are left running."""

MARK = "MSGBOOK_CALL"
"""Environment variable that marks the processes of one command."""

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|^JPY_", re.IGNORECASE)

_FOR_PEOPLE = {"FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "MPLBACKEND"}
"""Variables that IPython sets for its own output."""


def child_environment(environ: Mapping[str, str], hidden: Iterable[str] = ()) -> dict[str, str]:
    """Return the environment of a command: without keys, and set for output that is not a terminal.

    Args:
        hidden: Secrets. A variable that contains one is left out, whatever its name.
    """
    hidden = [secret for secret in hidden if secret]
    kept = {
        name: value
        for name, value in environ.items()
        if not _SECRET_NAME.search(name)
        and name not in _FOR_PEOPLE
        and not any(secret in value for secret in hidden)
    }
    return {**kept, "TERM": "dumb", "NO_COLOR": "1", "PAGER": "cat", "GIT_PAGER": "cat"}


class Supervised:
    """A running command. Use it in the event loop's thread.

    Args:
        on_output: Called with each piece of output.

    Attributes:
        gone: Set once no process of the command is left.
        ending: The supervisor's report, `exit N` or `signal N`; empty if the supervisor was killed.

    Raises:
        OSError: The command cannot be started.
    """

    def __init__(
        self,
        command: str,
        folder: Path,
        environment: Mapping[str, str],
        on_output: Callable[[bytes], None],
    ) -> None:
        self.gone = asyncio.Event()
        self.ending = ""
        self._mark = secrets.token_hex(16)
        self._on_output = on_output
        self._loop = asyncio.get_running_loop()
        self._lifeline, self._process = _start(command, folder, {**environment, MARK: self._mark})
        self._output = cast("IO[bytes]", self._process.stderr)
        self._report = b""
        self._watch(self._lifeline, self._read_report)
        self._watch(self._output, self._read_output)

    def stop(self) -> None:
        """Tell the supervisor to kill all processes; `gone` is set when they are gone."""
        with contextlib.suppress(OSError):  # its other end is closed
            self._lifeline.shutdown(SHUT_WR)

    def abandon(self) -> None:
        """Tell the supervisor to kill all processes, and ignore further output."""
        self.stop()
        self._on_output = lambda _: None

    def _watch(self, stream: IO[bytes] | socket, read: Callable[[], None]) -> None:
        os.set_blocking(stream.fileno(), False)
        self._loop.add_reader(stream, read)

    def _unwatch(self, stream: IO[bytes] | socket) -> None:
        self._loop.remove_reader(stream)
        stream.close()

    def _read_output(self) -> None:
        data = _read(self._output)
        if data:
            self._on_output(data)
        elif data is not None:
            self._loop.remove_reader(self._output)

    def _read_report(self) -> None:
        data = _read(self._lifeline)
        if data:
            self._report += data
        elif data is not None:
            self._unwatch(self._lifeline)
            self._ended = self._loop.create_task(self._clean_up())

    async def _clean_up(self) -> None:
        """Kill the processes that the supervisor left, and read the rest of the output."""
        self.ending = self._report.decode().strip()
        if not self.ending or sys.platform != "linux":
            # Before the wait: until then no other process gets its number.
            await asyncio.to_thread(kill_marked, self._mark, self._process.pid)
        # Its end of the socket is closed, so it has ended. A thread may not be had any more: an event loop that
        # closes gives none.
        self._process.wait()
        for _ in range(_LAST_READS):
            data = _read(self._output)
            if not data:
                break
            self._on_output(data)
        self._unwatch(self._output)
        self.gone.set()


def _start(
    command: str, folder: Path, environment: Mapping[str, str]
) -> tuple[socket, subprocess.Popen[bytes]]:
    """Start a supervisor; return the lifeline, over which the report comes, and its process."""
    # A command could open a pipe of its supervisor by its name in /proc, to write a report or to keep the
    # lifeline open. A socket has no name.
    inner, lifeline = socketpair()
    with inner:
        try:
            return lifeline, subprocess.Popen(  # noqa: S603 - the command has been approved
                [sys.executable, "-I", "-S", str(SUPERVISOR), "shell", command],
                stdin=inner.fileno(),
                stdout=inner.fileno(),
                stderr=subprocess.PIPE,
                cwd=folder,
                env=environment,
                start_new_session=True,
            )
        except BaseException:
            lifeline.close()
            raise


def _read(stream: IO[bytes] | socket) -> bytes | None:
    """Return a piece from a pipe or socket: empty at its end, None if nothing has arrived."""
    try:
        return os.read(stream.fileno(), _CHUNK)
    except BlockingIOError:
        return None


def kill_marked(mark: str, session: int) -> None:
    """Kill the processes that have a command's mark or its supervisor's session."""
    ends = time.monotonic() + _GIVE_UP
    while time.monotonic() < ends:
        found = [process for process in psutil.process_iter() if _is_of(process, mark, session)]
        if not found:
            return
        for process in found:
            with contextlib.suppress(psutil.Error):  # gone, or not ours to end
                process.kill()
        # A process that started meanwhile has a parent among these: look again.
        psutil.wait_procs(found, timeout=_LAST_WAIT)


def _is_of(process: psutil.Process, mark: str, session: int) -> bool:
    try:
        if process.status() == psutil.STATUS_ZOMBIE:
            return False
        return mark in process.environ().get(MARK, "") or os.getsid(process.pid) == session
    except (psutil.Error, OSError):
        return False
