"""The kernel while a cell runs: its status, and interrupts that stop a turn at once, also while it waits.

ipykernel raises `KeyboardInterrupt` on the event loop, which ends the kernel while a turn waits, or
adds a callback, for which an idle loop does not wake up. Here a turn is a future, like an awaited
Python cell, and an interrupt cancels it from any thread. Python that a turn runs on the loop's own
thread blocks the loop; an exception stops it as well.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Lock
from typing import Any, TypeVar

from ipykernel.ipkernel import IPythonKernel

# The kernel's status while a cell runs.
#
# Messages of a page are handled on a subshell, whose `idle` follows each of them. Clients take that for the
# kernel's: JupyterLab's status bar said "Idle" while a model answered.


class BusyKernel(IPythonKernel):  # type: ignore[misc]  # a base class without types
    """An IPython kernel that is busy as long as a cell runs, whatever it answers meanwhile."""

    def __init__(self, **kwargs: Any) -> None:
        self._cells: set[str] = set()
        """The `execute_request`s between their `busy` and their `idle`; with subshells there may be several."""
        self._ended: deque[str] = deque(maxlen=1_000)
        """The last messages that have had their `idle`: more than come while a page's message is handled."""
        self._status_lock = Lock()
        """Held from the look at them to the message: `busy` never follows the last `idle`."""
        super().__init__(**kwargs)

    def set_parent(self, ident: Any, parent: dict[str, Any], channel: str = "shell") -> None:
        # ipykernel handles a page's message beside a cell, and afterwards gives the channel the parent of before.
        # If that cell has ended and the next one has begun, what this one shows and its `idle` would be said to be
        # the other's, and clients would wait for it forever.
        if channel == "shell":
            with self._status_lock:
                running = _message_id(self.get_parent("shell"))
                if _message_id(parent) in self._ended and running not in self._ended:
                    return
        super().set_parent(ident, parent, channel)

    def _publish_status(
        self, status: str, channel: str, parent: dict[str, Any] | None = None
    ) -> None:
        header = (parent or self.get_parent(channel)).get("header", {})
        is_cell = header.get("msg_type") == "execute_request"
        with self._status_lock:
            if is_cell and status == "busy":
                self._cells.add(header["msg_id"])
            elif is_cell and status == "idle":
                self._cells.discard(header["msg_id"])
            if status == "idle" and channel == "shell":
                self._ended.append(header.get("msg_id", ""))
            super()._publish_status(status, channel, parent)
            # The `idle` cannot be left out: the client waits for it before it forgets its message.
            if status == "idle" and self._cells:
                # Not the cell's: JupyterLab takes the time of its `busy` for the cell's start.
                super()._publish_status("busy", channel, parent)


def _message_id(message: dict[str, Any]) -> str:
    message_id: str = message.get("header", {}).get("msg_id", "")
    return message_id


T = TypeVar("T")

_SWITCH_INTERVAL = 0.001
"""Seconds after which a turn yields to other threads. An interrupt needs the control thread several times, and
a server that sends at full speed leaves no pause; Python's default of 5 ms would use up much of the time that an
interrupt may take."""


class InterruptibleKernel(BusyKernel):
    """An IPython kernel in which turns and awaited cells can be interrupted while they wait.

    Attributes:
        interrupted: True once the running turn is interrupted; its cancellation may still follow.
        times_raised: How often an interrupt of a turn was raised in code that ran.
    """

    def __init__(self, **kwargs: Any) -> None:
        self._turns: set[asyncio.Future[Any]] = set()
        self._turns_lock = Lock()
        self._usual_interval = sys.getswitchinterval()
        self._awaited_cells: set[asyncio.Future[Any]] = set()
        self._is_code_running = False
        self._is_signal_own = False
        self.interrupted = False
        self.times_raised = 0
        super().__init__(**kwargs)

    @contextmanager
    def running_turn(self, task: asyncio.Future[Any]) -> Iterator[None]:
        """Let an interrupt cancel the turn that `task` runs, while the context is open."""
        self.interrupted = False
        with self._turns_lock:
            if not self._turns:
                self._usual_interval = sys.getswitchinterval()
                sys.setswitchinterval(_SWITCH_INTERVAL)
            self._turns.add(task)
        try:
            yield
        finally:
            # Turns overlap where clients use subshells: the last one gives the usual time back.
            with self._turns_lock:
                self._turns.discard(task)
                if not self._turns:
                    sys.setswitchinterval(self._usual_interval)

    def running_python(self) -> AbstractContextManager[None]:
        """Let an interrupt raise `KeyboardInterrupt` in code that does not wait, while it is open.

        Python's own handler does: unlike ours, it is not a frame of the traceback.
        """
        return _handler_of_interrupts(signal.default_int_handler)

    def call_interruptibly(self, code: Callable[[], T], *, even_if_interrupted: bool = False) -> T:
        """Call code of the user's or the model's in a turn, on the main thread.

        Args:
            even_if_interrupted: Call it even when the turn has been interrupted already.

        Raises:
            KeyboardInterrupt: An interrupt came, and the code did not catch it.
        """
        # Not a context manager: the exception could be raised in its own calls, before the reset.
        self._is_code_running = True
        try:
            if self.interrupted and not even_if_interrupted:
                raise KeyboardInterrupt
            return code()
        finally:
            self._is_code_running = False

    @contextmanager
    def _cancel_on_sigint(self, future: asyncio.Future[Any]) -> Iterator[None]:
        with _handler_of_interrupts(self._on_sigint), _member(self._awaited_cells, future):
            yield

    def _send_interrupt_children(self) -> None:
        """Handle an `interrupt_request`; runs in the control thread."""
        if self._turns:
            # Before `_is_code_running` is read: code that starts now sees it.
            self.interrupted = True
            _cancel(self._turns)
        if self._is_code_running or not self._turns:
            # When the signal is handled, the code may wait already: a second cancellation would
            # stop it while it cleans up, and an empty set would let the signal hit the next cell.
            self._is_signal_own = bool(self._turns)
            super()._send_interrupt_children()

    def pre_handler_hook(self) -> None:
        if threading.current_thread() is threading.main_thread():
            self._is_signal_own = False
            self.saved_sigint_handler = signal.signal(signal.SIGINT, self._on_sigint)

    def post_handler_hook(self) -> None:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, self.saved_sigint_handler)

    def _on_sigint(self, signum: int, frame: Any) -> None:
        is_own, self._is_signal_own = self._is_signal_own, False
        if is_own:
            self._raise_in_code(signum, frame)
        elif self._turns or self._awaited_cells:
            if not (self._is_code_running and self.interrupted):
                self.interrupted = True
                _cancel(self._turns | self._awaited_cells)
            self._raise_in_code(signum, frame)

    def _raise_in_code(self, signum: int, frame: Any) -> None:
        if self._is_code_running:
            self.times_raised += 1
            signal.default_int_handler(signum, frame)


@contextmanager
def _handler_of_interrupts(handler: Callable[[int, Any], Any]) -> Iterator[None]:
    # The handler is one of the process, and belongs to the main thread.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _member(futures: set[asyncio.Future[Any]], future: asyncio.Future[Any]) -> Iterator[None]:
    futures.add(future)
    try:
        yield
    finally:
        futures.discard(future)


def _cancel(futures: set[asyncio.Future[Any]]) -> None:
    for future in list(futures):
        # Neither `cancel` alone nor tornado's `add_callback` wakes an idle loop.
        future.get_loop().call_soon_threadsafe(future.cancel)
