"""The kernel's status while a cell runs.

Messages of a page are handled on a subshell, whose `idle` follows each of them. Clients take that for the
kernel's: JupyterLab's status bar said "Idle" while a model answered.
"""

from __future__ import annotations

from threading import Lock
from typing import Any

from ipykernel.ipkernel import IPythonKernel


class BusyKernel(IPythonKernel):  # type: ignore[misc]  # a base class without types
    """An IPython kernel that is busy as long as a cell runs, whatever it answers meanwhile."""

    def __init__(self, **kwargs: Any) -> None:
        self._cells: set[str] = set()
        """The `execute_request`s between their `busy` and their `idle`; with subshells there may be several."""
        self._status_lock = Lock()
        """Held from the look at them to the message: `busy` never follows the last `idle`."""
        super().__init__(**kwargs)

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
            super()._publish_status(status, channel, parent)
            # The `idle` cannot be left out: the client waits for it before it forgets its message.
            if status == "idle" and self._cells:
                # Not the cell's: JupyterLab takes the time of its `busy` for the cell's start.
                super()._publish_status("busy", channel, parent)
