"""A command under our supervisor, so that no process of it outlives its call, or the kernel."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import IO, cast

import psutil

_SUPERVISOR = Path(__file__).with_name("supervise.py")

_CHUNK = 65_536

_LAST_READS = 64
"""Pieces that are read once the command has ended; a process that got away may print for ever."""

_LAST_WAIT = 0.2
"""Seconds to wait until what has been killed is gone."""

_MARK = "MSGBOOK_CALL"
"""Environment variable by which the processes of one command are found."""

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|^JPY_", re.IGNORECASE)

_FOR_PEOPLE = {"FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "MPLBACKEND"}
"""What IPython sets for its own output."""


def child_environment(environ: Mapping[str, str], hidden: Iterable[str] = ()) -> dict[str, str]:
    """The environment of a command: without keys, and for no terminal.

    Args:
        hidden: Secrets; a variable that holds one is left out, whatever its name.
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
    """A running command. Belongs to the event loop's thread.

    Args:
        on_output: Given each piece of what the command prints.

    Attributes:
        gone: Set once no process of the command is left.
        ending: How it ended, as the supervisor says: `exit N` or `signal N`; empty when the
            supervisor was killed.

    Raises:
        OSError: It cannot be started.
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
        self._group = 0
        self._mark = secrets.token_hex(16)
        self._on_output = on_output
        self._loop = asyncio.get_running_loop()
        self._process = subprocess.Popen(  # noqa: S603 - the command has been approved
            [sys.executable, "-I", "-S", str(_SUPERVISOR), command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env={**environment, _MARK: self._mark},
            start_new_session=True,
        )
        self._lifeline = cast("IO[bytes]", self._process.stdin)
        self._reports = cast("IO[bytes]", self._process.stdout)
        self._output = cast("IO[bytes]", self._process.stderr)
        self._report = b""
        self._watch(self._reports, self._read_report)
        self._watch(self._output, self._read_output)

    def stop(self) -> None:
        """Have all processes killed; `gone` tells when it is done."""
        self._lifeline.close()

    def abandon(self) -> None:
        """Have all processes killed, and hear no more of it."""
        self.stop()
        self._on_output = lambda _: None

    def _watch(self, stream: IO[bytes], read: Callable[[], None]) -> None:
        os.set_blocking(stream.fileno(), False)
        self._loop.add_reader(stream, read)

    def _unwatch(self, stream: IO[bytes]) -> None:
        self._loop.remove_reader(stream)
        stream.close()

    def _read_output(self) -> None:
        data = _read(self._output)
        if data:
            self._on_output(data)
        elif data is not None:
            self._loop.remove_reader(self._output)

    def _read_report(self) -> None:
        data = _read(self._reports)
        if data:
            self._report += data
        elif data is not None:
            self._unwatch(self._reports)
            self._ended = self._loop.create_task(self._clean_up())

    async def _clean_up(self) -> None:
        """The supervisor has ended: look after what it could not."""
        await asyncio.to_thread(self._process.wait)
        self._lifeline.close()
        begin, *ending = self._report.decode().splitlines() or [""]
        self.ending = ending[-1] if ending else ""
        if not self.ending or sys.platform != "linux":
            group = int(begin.removeprefix("pid ")) if begin else None
            await asyncio.to_thread(_kill_marked, self._mark, group)
        for _ in range(_LAST_READS):
            data = _read(self._output)
            if not data:
                break
            self._on_output(data)
        self._unwatch(self._output)
        self.gone.set()


def _read(stream: IO[bytes]) -> bytes | None:
    """A piece from a pipe: empty at its end, None when there is none now."""
    try:
        return os.read(stream.fileno(), _CHUNK)
    except BlockingIOError:
        return None


def _kill_marked(mark: str, group: int | None) -> None:
    """Kill the processes of a command by its mark and its process group.

    Args:
        group: None where the supervisor did not come to tell it. Not 0: that is the group of what
            was started outside of a container, the Jupyter server perhaps.
    """
    killed = []
    for process in psutil.process_iter():
        try:
            if mark in process.environ().get(_MARK, "") or os.getpgid(process.pid) == group:
                process.kill()
                killed.append(process)
        except (psutil.Error, OSError):
            continue  # gone, or not ours
    psutil.wait_procs(killed, timeout=_LAST_WAIT)
