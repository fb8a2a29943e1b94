"""Processes that a test starts and has to end."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def until_listening(process: subprocess.Popen[Any], port: int) -> None:
    """Wait until a process listens on a port.

    Raises:
        RuntimeError: It ended before.
    """
    while process.poll() is None:
        connections = psutil.Process(process.pid).net_connections()
        if any(c.status == psutil.CONN_LISTEN and c.laddr.port == port for c in connections):
            return
    raise RuntimeError("the server did not start")


def stop_jupyter(process: subprocess.Popen[Any]) -> None:
    """End a Jupyter server and its kernels.

    It can hang at its very end, for ever: a thread of AnyIO ends with the task that began it, and a
    task that is there when the loop stops never ends. jupyter-server-nbmodel leaves its own. So a
    server whose kernels have ended is not waited for as long as one that still works.

    Raises:
        RuntimeError: It does not shut its kernels down.
    """
    if process.poll() is not None:
        return
    kernels = psutil.Process(process.pid).children()
    process.terminate()
    _, left = psutil.wait_procs(kernels, timeout=300)
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(300)
    if left:
        raise RuntimeError(f"the Jupyter server did not shut down its kernels: {left}")


def stop(process: subprocess.Popen[Any]) -> None:
    """End a server."""
    process.terminate()
    try:
        process.wait(300)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(300)


def processes_in(folder: Path) -> list[psutil.Process]:
    """What runs in a folder."""
    found = []
    for process in psutil.process_iter():
        try:
            if Path(process.cwd()) == folder.resolve() and process.status() != "zombie":
                found.append(process)
        except psutil.Error:
            continue
    return found


async def until(fact: Callable[[], bool]) -> None:
    """Wait until something holds; the test's time limit ends what never does."""
    while not fact():  # noqa: ASYNC110 - processes send no events
        await asyncio.sleep(0.01)


_NAMED = """
import sys
with open("/proc/self/comm", "wb") as name:
    name.write(bytes.fromhex(sys.argv[1]))
print("named", flush=True)
sys.stdin.read()
"""


@contextmanager
def process_named(name: bytes) -> Iterator[None]:
    """Run a process with a name while the context is open (Linux, which cuts it at 15 bytes)."""
    command = [sys.executable, "-c", _NAMED, name.hex()]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"named\n"
        yield
