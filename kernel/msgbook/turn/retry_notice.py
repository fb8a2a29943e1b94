"""The notice about the waits of a model call. Pure."""

from __future__ import annotations

import math

from msgbook.events import RetryWait
from msgbook_format.turn import Block


class RetryNotice:
    """Shows all waits of a model call in one notice, which counts down and then remains.

    While the server is waited for, the notice has `retry_in`, the whole seconds that are left.
    """

    def __init__(self) -> None:
        self._block: Block | None = None

    def show(self, wait: RetryWait, blocks: list[Block]) -> None:
        """Show a wait, or its end, in the last block or in a new one."""
        last = blocks[-1] if blocks else None
        if last is None or last is not self._block:
            self.end()
            last = self._block = {"type": "notice", "level": "warning"}
            blocks.append(last)
        last["text"] = wait.text
        last["retry_in"] = math.ceil(wait.seconds)
        if not wait.seconds:
            self.end()

    def end(self) -> None:
        """Note that nobody waits any more."""
        if self._block is not None:
            self._block.pop("retry_in", None)
