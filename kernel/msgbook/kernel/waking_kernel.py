"""The kernels as they start: IPython's, which become msgbook's with the first cell or the first page.

A notebook opens as fast as in ipykernel, since nothing else is imported until a client wants more than
the kernel's info.
"""

from __future__ import annotations

import threading
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ipykernel.ipkernel import IPythonKernel

from msgbook import __version__
from msgbook.kernel.names import COMM_TARGET, KEYS_MESSAGE
from msgbook.kernel.notebook_kernel import NotebookKernel
from msgbook_format.syntax import LANGUAGE_INFO

if TYPE_CHECKING:
    from msgbook.kernel.msg_kernel import MsgKernel

_OF_CELLS = ("execute_request", "complete_request", "inspect_request", "is_complete_request")
"""Requests about cells, which may be messages."""

_GREETING = "kernel_info_request"
"""What every client sends first."""

_WARM_UP_DELAY = 0.3
"""Seconds from the answer to a first client to the import of the engine: its next requests come before it."""


class WakingKernel(NotebookKernel):
    """IPython's kernel until it wakes. From then on its class is the one that `awake_class` names."""

    awake_class: tuple[str, str]
    """Module and name."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._waking = threading.Lock()
        """A page opens its comm on a thread of its own, perhaps while the first cell begins."""
        self._is_awake = False
        for name in _OF_CELLS:
            self.shell_handlers[name] = partial(self._answer_awake, self.shell_handlers, name)
        answer_keys = partial(self._answer_awake, self.control_handlers, KEYS_MESSAGE)
        self.control_handlers[KEYS_MESSAGE] = answer_keys
        self.comm_manager.register_target(COMM_TARGET, self._open_comm_awake)

    def wake(self) -> MsgKernel:
        """Become a kernel that takes messages; the user's environment variables are read now."""
        with self._waking:
            if not self._is_awake:
                module, name = self.awake_class
                self.__class__ = getattr(import_module(module), name)
                kernel: MsgKernel = self
                kernel.set_up()
                kernel.answer_pages()
                for name in _OF_CELLS:
                    self.shell_handlers[name] = getattr(self, name)
                self._is_awake = True
        return self

    async def _answer_awake(self, handlers: dict[str, Any], name: str, *message: Any) -> None:
        self.wake()
        await handlers[name](*message)

    def _open_comm_awake(self, comm: Any, message: Any) -> None:
        self.wake()
        self.comm_manager.targets[COMM_TARGET](comm, message)


class PythonKernel(WakingKernel):
    """`Python + Chat`: its engine waits for the first message."""

    language_info = IPythonKernel.language_info
    awake_class = ("msgbook.kernel.talking_kernel", "TalkingKernel")


class ChatKernel(WakingKernel):
    """`Chat`: it wakes by itself, soon after a client has greeted it."""

    banner = f"msgbook {__version__}: a cell is a message; see %help. In a terminal: %display text, Ctrl+D to exit"
    language_info = LANGUAGE_INFO
    awake_class = ("msgbook.kernel.msg_kernel", "MsgKernel")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        answer = self.shell_handlers[_GREETING]

        async def answer_and_wake_soon(*message: Any) -> None:
            self.shell_handlers[_GREETING] = answer
            await answer(*message)
            # From any thread: a page may greet on a subshell.
            self.io_loop.add_callback(self._wake_soon)

        self.shell_handlers[_GREETING] = answer_and_wake_soon

    def _wake_soon(self) -> None:
        self.io_loop.call_later(_WARM_UP_DELAY, lambda: self.wake().warm_up())
