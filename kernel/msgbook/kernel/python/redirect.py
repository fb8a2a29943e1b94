"""Output of the Python that a tool runs, redirected from the cell into a capture.

The code runs in the kernel's own process and on IPython's own shell, because it has to see the
notebook's names. Both write to global objects, and neither takes an argument for another target:
`print` writes to `sys.stdout`, `display` to `shell.display_pub`, a traceback to
`shell._showtraceback`. So `capture_output` replaces these objects and puts them back afterwards.
`_replacements` lists them all. While code waits for something, its event loop goes on, and answers
page queries, for example. So nothing that runs there may print or display. The kernel's log has a
descriptor of its own (`msgbook.kernel.log`).
"""

from __future__ import annotations

import builtins
import getpass
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from IPython.core.display_trap import DisplayTrap

from msgbook.kernel.python.capture import Capture
from msgbook.kernel.python.stand_ins import (
    CaptureDisplayHook,
    CapturePublisher,
    CaptureStream,
    EmptyOutputs,
    refuse_exit,
    refuse_input,
)

_LAST_OUTPUT_WAIT = 0.03
"""Seconds to wait for the last output of processes that the code has started."""


@contextmanager
def capture_output(
    shell: Any, show: Callable[[str], None], is_interrupted: Callable[[], bool]
) -> Iterator[Capture]:
    """Capture what runs in the shell: its output, its displays and its tracebacks.

    Nothing reaches the front end. Code that asks for input, or wants to end the kernel, gets an
    exception.

    Args:
        show: Shows a piece of the output while the code runs.
        is_interrupted: Returns whether the code is being stopped. No traceback is made then:
            IPython takes long for it.
    """
    capture = Capture(show)
    with ExitStack() as stack:
        stack.callback(capture.flush)
        stack.callback(_take_payloads, shell, capture)
        if not shell.display_trap.is_active:
            stack.callback(_release_display_trap, shell)
        for owner, name, value in _replacements(shell, capture, is_interrupted):
            stack.callback(setattr, owner, name, getattr(owner, name))
            setattr(owner, name, value)
        stack.enter_context(_capture_descriptors(capture))
        yield capture


def _replacements(
    shell: Any, capture: Capture, is_interrupted: Callable[[], bool]
) -> list[tuple[Any, str, Any]]:
    """Return owner, name and new value of each attribute that is replaced."""
    stream = CaptureStream(capture)
    show_traceback = shell.showtraceback

    def show_traceback_unless_interrupted(*arguments: Any, **named: Any) -> None:
        if not is_interrupted():
            show_traceback(*arguments, **named)

    return [
        # What `print`, a warning and a library write.
        (sys, "stdout", stream),
        (sys, "stderr", CaptureStream(capture)),
        # What `display` and the value of the last line show; neither counts as a cell's output.
        (shell, "display_pub", CapturePublisher(capture)),
        (shell.display_trap, "hook", CaptureDisplayHook(shell, capture)),
        (shell.history_manager, "outputs", EmptyOutputs()),
        # Tracebacks: whether one is made, and where its lines go.
        (shell, "showtraceback", show_traceback_unless_interrupted),
        (shell, "_showtraceback", lambda _type, _value, lines: stream.write_lines(lines)),
        # Nobody can answer a question of the code, and only the user may end the kernel.
        (builtins, "input", refuse_input),
        (getpass, "getpass", refuse_input),
        (shell, "ask_exit", refuse_exit),
    ]


def _release_display_trap(shell: Any) -> None:
    """Let cells display again if IPython's trap is still set.

    Code that did not stop holds it, or an interrupt came while IPython released it.
    """
    if shell.display_trap.is_active:
        shell.display_trap.unset()
        shell.display_trap = DisplayTrap(shell.displayhook)  # type: ignore[no-untyped-call]


def _take_payloads(shell: Any, capture: Capture) -> None:
    """Capture what `name?` would show in a pager, and drop all other payloads of the next reply."""
    for payload in shell.payload_manager.read_payload():
        if payload.get("source") == "page":
            capture.display(payload.get("data", {}))
    shell.payload_manager.clear_payload()


@contextmanager
def _capture_descriptors(capture: Capture) -> Iterator[None]:
    """Capture what processes and C code write to the kernel's standard output and error."""
    reading, writing = os.pipe()
    reader = threading.Thread(target=_copy, args=(reading, capture), daemon=True)
    reader.start()
    with ExitStack() as stack:
        # Not without a limit: a process in the background may keep the pipe open.
        stack.callback(reader.join, _LAST_OUTPUT_WAIT)
        for number in (1, 2):
            kept = os.dup(number)
            stack.callback(os.close, kept)
            os.dup2(writing, number)
            stack.callback(os.dup2, kept, number)
        os.close(writing)
        yield


def _copy(reading: int, capture: Capture) -> None:
    with open(reading, "rb", buffering=0) as pipe:
        while data := pipe.read(65_536):
            capture.write(data)
