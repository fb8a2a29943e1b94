"""Interrupts that reach a waiting kernel at once.

The base class turns an interrupt into an exception on the event loop, which ends the kernel while
a turn waits, or into a callback that an idle loop does not wake up for. Here a turn, like an
awaited Python cell, is a future, and an interrupt cancels it from whatever thread it comes. Python
that a turn runs on the loop's thread has to be stopped by an exception besides: nothing else
happens there until it returns.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar

from ipykernel.ipkernel import IPythonKernel

T = TypeVar("T")

_SWITCH_INTERVAL = 0.001
"""Seconds after which code makes way for the control thread, which an interrupt passes several times;
the usual 5 ms would make a good part of what an interrupt may take."""


class InterruptibleKernel(IPythonKernel):  # type: ignore[misc]  # a base class without types
    """An IPython kernel in which turns and awaited cells can be interrupted while they wait.

    Attributes:
        interrupted: Whether the running turn has been interrupted; its cancellation may be still
            to come.
    """

    def __init__(self, **kwargs: Any) -> None:
        self._turns: set[asyncio.Future[Any]] = set()
        self._awaited_cells: set[asyncio.Future[Any]] = set()
        self._python_cells = 0
        self._code_runs = False
        self.interrupted = False
        super().__init__(**kwargs)

    @contextmanager
    def running_turn(self, task: asyncio.Future[Any]) -> Iterator[None]:
        """While it is open, an interrupt cancels the turn that `task` runs."""
        self.interrupted = False
        with _member(self._turns, task):
            yield

    @contextmanager
    def running_python(self) -> Iterator[None]:
        """While it is open, an interrupt raises `KeyboardInterrupt` in code that does not wait."""
        self._python_cells += 1
        try:
            yield
        finally:
            self._python_cells -= 1

    def interruptible(self, code: Callable[[], T], *, begin: bool = True) -> T:
        """Call, in a turn, what runs Python of the user's or the model's; on the main thread.

        Args:
            begin: Do not call it when the turn has been interrupted already.

        Raises:
            KeyboardInterrupt: An interrupt came, and the code did not catch it.
        """
        usual = sys.getswitchinterval()
        sys.setswitchinterval(_SWITCH_INTERVAL)
        # No context manager: its calls would be places for the exception to leave the mark set.
        self._code_runs = True
        try:
            if begin and self.interrupted:
                raise KeyboardInterrupt
            return code()
        finally:
            self._code_runs = False
            sys.setswitchinterval(usual)

    def _cancel_on_sigint(self, future: asyncio.Future[Any]) -> AbstractContextManager[None]:
        return _member(self._awaited_cells, future)

    def _send_interrupt_children(self) -> None:
        """Handle an `interrupt_request`; runs in the control thread."""
        if self._turns:
            # Before the look at the mark: code that begins now sees it.
            self.interrupted = True
            _cancel(self._turns)
        if self._code_runs or not self._turns:
            super()._send_interrupt_children()

    def pre_handler_hook(self) -> None:
        if threading.current_thread() is threading.main_thread():
            self.saved_sigint_handler = signal.signal(signal.SIGINT, self._on_sigint)

    def post_handler_hook(self) -> None:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, self.saved_sigint_handler)

    def _on_sigint(self, signum: int, frame: Any) -> None:
        if self._turns or self._awaited_cells:
            if not (self._code_runs and self.interrupted):
                self.interrupted = True
                _cancel(self._turns | self._awaited_cells)
            if self._code_runs:
                signal.default_int_handler(signum, frame)
        elif self._python_cells:
            signal.default_int_handler(signum, frame)


@contextmanager
def _member(futures: set[asyncio.Future[Any]], future: asyncio.Future[Any]) -> Iterator[None]:
    futures.add(future)
    try:
        yield
    finally:
        futures.discard(future)


def _cancel(futures: set[asyncio.Future[Any]]) -> None:
    for future in list(futures):
        # Unlike `cancel` alone and tornado's `add_callback`, this wakes an idle loop.
        future.get_loop().call_soon_threadsafe(future.cancel)
