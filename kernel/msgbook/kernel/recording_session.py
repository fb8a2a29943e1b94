"""The kernel's Jupyter session, through which all goes that a client sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jupyter_client.session import Session

if TYPE_CHECKING:
    from msgbook.kernel.code_outputs import OutputRecorder


class RecordingSession(Session):
    """A Jupyter session that gives each message that it sends to a recorder, on the sending thread."""

    recorder: OutputRecorder | None = None

    def send(self, *arguments: Any, **named: Any) -> dict[str, Any] | None:
        sent: dict[str, Any] | None = super().send(*arguments, **named)
        if self.recorder is not None and sent is not None:
            self.recorder.record(sent)
        return sent
