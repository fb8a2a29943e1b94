"""Objects that take the place of Python's and IPython's own while a tool's code runs."""

from __future__ import annotations

import io
from typing import Any, NoReturn

from IPython.core.displaypub import DisplayPublisher
from IPython.core.error import StdinNotImplementedError

from msgbook.kernel.python.capture import Capture


class CaptureStream(io.TextIOBase):
    """In place of standard output and standard error."""

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

    def write_lines(self, lines: list[str]) -> None:
        """Write the lines of a traceback."""
        self.write("\n".join(lines) + "\n")


class CapturePublisher(DisplayPublisher):
    """In place of IPython's publisher, to which `display` gives its MIME bundles."""

    def __init__(self, capture: Capture) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._capture = capture

    def publish(self, data: Any, metadata: Any = None, source: Any = None, **rest: Any) -> None:
        self._capture.display(data, rest.get("transient"))

    def clear_output(self, wait: bool = False) -> None:
        """Keep everything: what the code showed is part of the result."""


class CaptureDisplayHook:
    """In place of `sys.displayhook`, which gets the value of a last line."""

    def __init__(self, shell: Any, capture: Capture) -> None:
        self._shell = shell
        self._capture = capture

    def __call__(self, value: Any) -> None:
        if value is not None:
            data, _metadata = self._shell.display_formatter.format(value)
            self._capture.display(data)


class EmptyOutputs(dict[int, list[Any]]):
    """In place of the outputs that IPython keeps for each cell: a tool's code is no cell."""

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
