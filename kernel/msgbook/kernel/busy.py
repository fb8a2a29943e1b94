"""The kernel's status while a cell runs.

Messages of a page are handled on a subshell, whose `idle` follows each of them. Clients take that for the
kernel's: JupyterLab's status bar said "Idle" while a model answered.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from ipykernel.ipkernel import IPythonKernel


class BusyKernel(IPythonKernel):  # type: ignore[misc]  # a base class without types
    """An IPython kernel that is busy as long as a cell runs, whatever it answers meanwhile."""

    def __init__(self, **kwargs: Any) -> None:
        self._cells = 0
        """How many cells run; with subshells there may be several."""
        self._status_lock = Lock()
        """Held from the look at them to the message: `busy` never follows the last `idle`."""
        super().__init__(**kwargs)

    @contextmanager
    def staying_busy(self) -> Iterator[None]:
        """Be busy with a cell while the context is open."""
        with self._status_lock:
            self._cells += 1
        try:
            yield
        finally:
            with self._status_lock:
                self._cells -= 1

    def _publish_status(
        self, status: str, channel: str, parent: dict[str, Any] | None = None
    ) -> None:
        with self._status_lock:
            super()._publish_status(status, channel, parent)
            # The `idle` cannot be left out: the client waits for it before it forgets its message.
            if status == "idle" and self._cells:
                # Not the cell's: JupyterLab takes the time of its `busy` for the cell's start.
                super()._publish_status("busy", channel, parent)
