"""Reading of a line that the user types on the terminal while turns run."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from contextlib import suppress

from msgbook.cli.terminal import write

_MOST = 4096
"""Bytes of a line; terminals deliver no longer lines at once."""


def can_ask() -> bool:
    """Return whether the user can see a question and answer it."""
    return sys.stdin.isatty() and sys.stderr.isatty()


async def read_line(prompt: str) -> str:
    """Show a prompt and return the line that is typed; empty at the end of the input.

    The event loop keeps running, so that an interrupt ends the wait. Text that was typed before the
    prompt appeared is dropped.
    """
    loop = asyncio.get_running_loop()
    typed: asyncio.Future[bytes] = loop.create_future()

    def settle(line: bytes) -> None:
        if not typed.done():
            typed.set_result(line)

    def wait() -> None:
        # Not `sys.stdin`: Python would wait for its lock when it ends.
        try:
            line = os.read(descriptor, _MOST)
        except OSError:
            line = b""
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle, line)

    descriptor = sys.stdin.fileno()
    _drop_typed(descriptor)
    write(prompt, sys.stderr)
    sys.stderr.flush()
    threading.Thread(target=wait, name="msgbook-line", daemon=True).start()
    return (await typed).decode("utf-8", "replace")


def _drop_typed(descriptor: int) -> None:
    try:
        import termios
    except ImportError:  # Windows
        return
    with suppress(termios.error):
        termios.tcflush(descriptor, termios.TCIFLUSH)
