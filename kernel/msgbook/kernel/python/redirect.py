"""Output of the Python that a tool runs, redirected from the cell into a capture.

The code runs in the kernel's own process and on IPython's own shell, because it has to see the
notebook's names. Both write to global objects, and neither takes an argument for another target:
`print` writes to `sys.stdout`, `display` to `shell.display_pub`, a traceback to
`shell._showtraceback`. So `capture_output` replaces these objects and puts them back afterwards.
`_replacements` lists them all. While code waits for something, its event loop goes on, and answers
page queries, for example. So nothing that runs there may print or display. The kernel's log has a
descriptor of its own (`msgbook.kernel.__main__`).
"""

from __future__ import annotations

import builtins
import getpass
import io
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Literal, NoReturn, TypeVar

from IPython.core.display_trap import DisplayTrap
from IPython.core.displaypub import DisplayPublisher
from IPython.core.error import StdinNotImplementedError

from msgbook.kernel.python.capture import Capture

C = TypeVar("C", bound=Capture)

_LAST_OUTPUT_WAIT = 0.03
"""Seconds to wait for the last output of processes that the code has started: it comes by a pipe, whose end is
unknown while a background process holds it."""


@contextmanager
def capture_output(shell: Any, capture: C, is_interrupted: Callable[[], bool]) -> Iterator[C]:
    """Capture what runs in the shell: its output, its displays and its tracebacks.

    Nothing reaches the front end. Code that asks for input, or wants to end the kernel, gets an
    exception.

    Args:
        capture: Gets all of it.
        is_interrupted: Returns whether the code is being stopped. No traceback is made then:
            IPython takes long for it.
    """
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
    show_traceback = shell.showtraceback

    def show_traceback_unless_interrupted(*arguments: Any, **named: Any) -> None:
        if not is_interrupted():
            show_traceback(*arguments, **named)

    return [
        # What `print`, a warning and a library write.
        (sys, "stdout", CaptureStream(capture)),
        (sys, "stderr", CaptureStream(capture, "stderr")),
        # What `display` and the value of the last line show; neither counts as a cell's output.
        (shell, "display_pub", CapturePublisher(capture)),
        (shell.display_trap, "hook", CaptureDisplayHook(shell, capture)),
        (shell.history_manager, "outputs", EmptyOutputs()),
        # Tracebacks: whether one is made, and where its lines go.
        (shell, "showtraceback", show_traceback_unless_interrupted),
        (shell, "_showtraceback", capture.fail),
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


# Objects that take the place of Python's and IPython's own while a tool's code runs.


class CaptureStream(io.TextIOBase):
    """In place of standard output and standard error."""

    encoding = "utf-8"

    def __init__(self, capture: Capture, name: Literal["stdout", "stderr"] = "stdout") -> None:
        self._capture = capture
        self._name = name

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._capture.write(text, self._name)
        return len(text)


class CapturePublisher(DisplayPublisher):
    """In place of IPython's publisher, to which `display` gives its MIME bundles."""

    def __init__(self, capture: Capture) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._capture = capture

    def publish(self, data: Any, metadata: Any = None, source: Any = None, **rest: Any) -> None:
        self._capture.display(data, rest.get("transient"), metadata)

    def clear_output(self, wait: bool = False) -> None:
        self._capture.clear(wait=wait)


class CaptureDisplayHook:
    """In place of `sys.displayhook`, which gets the value of a last line."""

    def __init__(self, shell: Any, capture: Capture) -> None:
        self._shell = shell
        self._capture = capture

    def __call__(self, value: Any) -> None:
        if value is None:
            return
        hook = self._shell.displayhook
        if self._capture.is_cell:
            hook.update_user_ns(value)
        if not (self._capture.is_cell and hook.quiet()):
            data, metadata = self._shell.display_formatter.format(value)
            self._capture.result(data, metadata)


class EmptyOutputs(dict[int, list[Any]]):
    """In place of the outputs that IPython keeps for each cell: a tool's code is not a cell."""

    def __missing__(self, number: int) -> list[Any]:
        return []


def refuse_input(prompt: object = "", *_: Any, **__: Any) -> NoReturn:
    """Raise in place of asking the user."""
    __tracebackhide__ = True  # IPython leaves this function out of the traceback
    raise StdinNotImplementedError(f"Nobody can be asked {str(prompt)!r} while a tool runs.")


def refuse_exit() -> NoReturn:
    """Raise in place of ending the kernel."""
    __tracebackhide__ = True
    raise RuntimeError("This would end the notebook's kernel; only its user may.")
