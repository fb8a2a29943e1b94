"""What Python prints and displays while a tool runs it, kept from the cell's outputs."""

from __future__ import annotations

import base64
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

from msgbook.tools.base import Content
from msgbook.tools.output import WHOLE_LIMIT, Output, TerminalText

IMAGES = ("image/png", "image/jpeg")

_LAST_OUTPUT = 0.03
"""Seconds to wait for the last output of processes that the code has started."""

MAX_IMAGES = 20
"""Images of one result; further ones are counted only."""

MAX_IMAGE_SIZE = 10_000_000
"""Characters of an image in base64."""


class Capture:
    """Text and images in the order in which they came, bounded in memory.

    Writing is safe from any thread; all else belongs to the event loop's.

    Args:
        show: Shows a further piece of text; called by `flush` alone.
    """

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._lock = threading.RLock()
        self._parts: list[Output | str | dict[str, Any]] = []
        self._displays: dict[str, int] = {}
        self._left = WHOLE_LIMIT
        self._images = 0
        self._closed = False
        self._shown = 0
        """How many parts have been shown for good."""

    def write(self, text: str | bytes) -> None:
        """Add printed text."""
        with self._lock:
            if self._closed:
                return  # a thread or a process that goes on
            self._left -= len(text)
            if not self._parts or not isinstance(self._parts[-1], Output):
                self._parts.append(Output(self._show, max(self._left, 0)))
            self._parts[-1].feed(text)  # type: ignore[union-attr]  # made above

    def display(self, data: dict[str, Any], transient: dict[str, Any] | None = None) -> None:
        """Add a MIME bundle, or replace the one with the same display id."""
        part = self._part_of(data)
        name = (transient or {}).get("display_id")
        with self._lock:
            self._left -= len(part)
            if self._left < 0:
                return
            if name in self._displays:
                self._parts[self._displays[name]] = part
                return
            if name is not None:
                self._displays[name] = len(self._parts)
            self._parts.append(part)

    def flush(self) -> None:
        """Show what has not been shown."""
        with self._lock:
            last = None
            for last in self._parts[self._shown :]:
                if isinstance(last, Output):
                    last.flush()
                elif isinstance(last, str):
                    self._show(f"{last}\n")
            self._shown = len(self._parts) - isinstance(last, Output)

    @property
    def has_images(self) -> bool:
        return self._images > 0

    def content(self) -> Content:
        """The result; ends the capture. Empty text when there was nothing."""
        with self._lock:
            self._closed = True
        found: list[dict[str, Any]] = []
        for part in self._parts:
            if isinstance(part, dict):
                found.append(part)
                continue
            if isinstance(part, Output):
                part.finish()
            text = part if isinstance(part, str) else part.text()
            if found and found[-1]["type"] == "text":
                found[-1]["text"] = found[-1]["text"].removesuffix("\n") + "\n" + text
            else:
                found.append({"type": "text", "text": text})
        if len(found) == 1 and found[0]["type"] == "text":
            return str(found[0]["text"])
        return found or ""

    def text(self) -> str:
        """The text of the result alone."""
        content = self.content()
        if isinstance(content, str):
            return content
        return "\n".join(part.get("text", "[image]") for part in content)

    def _part_of(self, data: dict[str, Any]) -> str | dict[str, Any]:
        for mime in IMAGES:
            if mime in data:
                return self._image(mime, data[mime])
        plain = data.get("text/markdown") or data.get("text/plain")
        if plain is None:
            return f"({', '.join(data)})"
        terminal = TerminalText()
        return terminal.feed(str(plain)) + terminal.finish()

    def _image(self, mime: str, image: Any) -> str | dict[str, Any]:
        encoded = base64.b64encode(image).decode() if isinstance(image, bytes) else str(image)
        encoded = "".join(encoded.split())
        if len(encoded) > MAX_IMAGE_SIZE:
            return f"(an image of {len(encoded)} characters in base64 is too large)"
        self._images += 1
        if self._images > MAX_IMAGES:
            return f"(image {self._images} is not kept)"
        return {"type": "image_url", "image_url": {"url": f"data:{mime};base64,{encoded}"}}


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
            (sys, "stderr", stream),
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
