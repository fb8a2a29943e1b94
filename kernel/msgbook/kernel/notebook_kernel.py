"""What msgbook's two kernels are before a cell has run. It imports nothing that takes long."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgbook import __version__
from msgbook.kernel.interrupt import InterruptibleKernel


class NotebookKernel(InterruptibleKernel):
    """An IPython kernel without a debugger that answers requests for subshells from its first moment on."""

    implementation = "msgbook"
    implementation_version = __version__

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        # Stored at once, because Python in a cell may change the working directory.
        self._folder = Path.cwd()

    def start(self) -> None:
        if self.shell_channel_thread:
            # ipykernel does this last: a page that asks for a subshell earlier gets no answer.
            self.shell_channel_thread.manager.set_on_recv_callback(self.shell_main)
        super().start()

    @property
    def kernel_info(self) -> dict[str, Any]:
        info: dict[str, Any] = super().kernel_info
        info["supported_features"] = [f for f in info["supported_features"] if f != "debugger"]
        return info
