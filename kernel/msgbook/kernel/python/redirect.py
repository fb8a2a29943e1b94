"""Python that a tool runs prints and displays into a capture, not into the cell's outputs."""

from __future__ import annotations

import builtins
import getpass
import io
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NoReturn

from IPython.core.displaypub import DisplayPublisher
from IPython.core.error import StdinNotImplementedError

from msgbook.kernel.python.capture import Capture

_LAST_OUTPUT = 0.03
"""Seconds to wait for the last output of processes that the code has started."""


@contextmanager
def capturing(
    shell: Any, show: Callable[[str], None], interrupted: Callable[[], bool]
) -> Iterator[Capture]:
    """While it is open, what runs in the shell prints, displays and fails into the capture.

    Nothing of it reaches the front end, nobody is asked for input, and the kernel is not ended.

    Args:
        interrupted: Whether the code is being stopped: then nobody waits for a traceback, which
            takes IPython longer than all else.
    """
    show_traceback = shell.showtraceback

    def failed(*arguments: Any, **named: Any) -> None:
        if not interrupted():
            show_traceback(*arguments, **named)

    capture = Capture(show)
    stream = _Stream(capture)
    with ExitStack() as stack:
        stack.callback(capture.flush)
        stack.callback(_take_pages, shell, capture)
        for owner, name, value in (
            (sys, "stdout", stream),
            (sys, "stderr", _Stream(capture)),
            (shell.history_manager, "outputs", _NoOutputs()),
            (shell, "display_pub", _Publisher(capture)),
            (shell.display_trap, "hook", _display_hook(shell, capture)),
            (shell, "_showtraceback", lambda _type, _value, lines: stream.print_lines(lines)),
            (shell, "showtraceback", failed),
            (shell, "ask_exit", _no_exit),
            (builtins, "input", _no_input),
            (getpass, "getpass", _no_input),
        ):
            stack.enter_context(_replaced(owner, name, value))
        stack.enter_context(_captured_descriptors(capture))
        yield capture


def _take_pages(shell: Any, capture: Capture) -> None:
    """Take what `name?` would open a pager with, and whatever else waits for the next reply."""
    for payload in shell.payload_manager.read_payload():
        if payload.get("source") == "page":
            capture.display(payload.get("data", {}))
    shell.payload_manager.clear_payload()


class _NoOutputs(dict[int, list[Any]]):
    """Stands for the outputs that IPython keeps of each cell: these are of none."""

    def __missing__(self, number: int) -> list[Any]:
        return []


class _Stream(io.TextIOBase):
    """Stands for standard output and standard error."""

    encoding = "utf-8"

    def __init__(self, capture: Capture) -> None:
        self._capture = capture

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._capture.write(text)
        return len(text)

    def print_lines(self, lines: list[str]) -> None:
        self.write("\n".join(lines) + "\n")


class _Publisher(DisplayPublisher):
    """Takes what `display` gives."""

    def __init__(self, capture: Capture) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._capture = capture

    def publish(self, data: Any, metadata: Any = None, source: Any = None, **rest: Any) -> None:
        self._capture.display(data, rest.get("transient"))

    def clear_output(self, wait: bool = False) -> None:
        pass  # what was there is part of what happened


def _display_hook(shell: Any, capture: Capture) -> Callable[[Any], None]:
    def hook(value: Any) -> None:
        if value is not None:
            data, _metadata = shell.display_formatter.format(value)
            capture.display(data)

    return hook


def _no_input(prompt: object = "", *_: Any, **__: Any) -> NoReturn:
    __tracebackhide__ = True  # of IPython's: no line of ours
    raise StdinNotImplementedError(f"Nobody can be asked {str(prompt)!r} while a tool runs.")


def _no_exit() -> NoReturn:
    __tracebackhide__ = True
    raise RuntimeError("This would end the notebook's kernel; only its user may.")


@contextmanager
def _replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


@contextmanager
def _captured_descriptors(capture: Capture) -> Iterator[None]:
    """Take what processes and C code write to the kernel's own standard output and error."""
    reading, writing = os.pipe()
    reader = threading.Thread(target=_pump, args=(reading, capture), daemon=True)
    reader.start()
    with ExitStack() as stack:
        # A process in the background may hold the pipe for long.
        stack.callback(reader.join, _LAST_OUTPUT)
        for number in (1, 2):
            kept = os.dup(number)
            stack.callback(os.close, kept)
            os.dup2(writing, number)
            stack.callback(os.dup2, kept, number)
        os.close(writing)
        yield


def _pump(reading: int, capture: Capture) -> None:
    with open(reading, "rb", buffering=0) as pipe:
        while data := pipe.read(65_536):
            capture.write(data)
