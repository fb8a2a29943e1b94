"""One daemon thread with an event loop of its own, in which all connections to MCP servers live.

A server that does not read holds up whoever writes to it. The kernel's loop never does: it waits for a
future, and can leave it at any time.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")

_JOIN = 0.5
"""Seconds that closing waits for the thread."""


class ClientThread:
    """Runs coroutines in its own thread, which starts with the first of them.

    Args:
        prepare: Called in the thread before its loop runs; imports what takes long.
    """

    def __init__(self, prepare: Callable[[], object]) -> None:
        self._prepare = prepare
        self._thread: threading.Thread | None = None
        self._loop: Future[asyncio.AbstractEventLoop] = Future()

    @property
    def is_running(self) -> bool:
        """True once anything was to run, unless the thread could not be prepared."""
        has_failed = self._loop.done() and self._loop.exception() is not None
        return self._thread is not None and not has_failed

    async def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run a coroutine in the thread and return its result.

        If the caller is cancelled, the coroutine is cancelled as well, and the caller does not wait for it.
        An exception of `prepare` is raised each time.
        """
        if self._thread is None:
            self._thread = threading.Thread(target=self._main, name="mcp", daemon=True)
            self._thread.start()
        # Shielded: a caller that is cancelled must not cancel the start for those that follow.
        loop = await asyncio.shield(asyncio.wrap_future(self._loop))
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work(), loop))

    async def stop(self) -> None:
        """End the thread; whatever still runs in it is left."""
        if self._thread is None or not self._loop.done() or not self.is_running:
            return
        loop = self._loop.result()
        loop.call_soon_threadsafe(loop.stop)
        await asyncio.to_thread(self._thread.join, _JOIN)

    def _main(self) -> None:
        try:
            self._prepare()
            loop = asyncio.new_event_loop()
        except BaseException as error:
            self._loop.set_exception(error)
            return
        loop.call_soon(self._loop.set_result, loop)
        try:
            loop.run_forever()
        finally:
            _cancel_all(loop)
            loop.close()


def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel what still runs, and give it one round of the loop."""
    for task in asyncio.all_tasks(loop):
        task.cancel()
    loop.run_until_complete(asyncio.sleep(0))
