"""The kernel `Python + Chat` as it starts: IPython's, which becomes msgbook's with the first cell.

A notebook of Python opens as fast as in ipykernel, since nothing else is imported until a client wants more than
the kernel's info.
"""

from __future__ import annotations

import threading
from functools import partial
from typing import Any

from ipykernel.ipkernel import IPythonKernel

from msgbook.kernel.names import COMM_TARGET, KEYS_MESSAGE
from msgbook.kernel.notebook_kernel import NotebookKernel

_OF_CELLS = ("execute_request", "complete_request", "inspect_request", "is_complete_request")
"""Requests about cells, which may be messages."""


class PythonKernel(NotebookKernel):
    """IPython's kernel until it wakes. From then on its class is `TalkingKernel`."""

    language_info = IPythonKernel.language_info

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._waking = threading.Lock()
        """A page opens its comm on a thread of its own, perhaps while the first cell begins."""
        for name in _OF_CELLS:
            self.shell_handlers[name] = partial(self._answer_awake, self.shell_handlers, name)
        answer_keys = partial(self._answer_awake, self.control_handlers, KEYS_MESSAGE)
        self.control_handlers[KEYS_MESSAGE] = answer_keys
        self.comm_manager.register_target(COMM_TARGET, self._open_comm_awake)

    def wake(self) -> None:
        """Become a kernel that takes messages; the user's environment variables are read now."""
        with self._waking:
            if type(self) is PythonKernel:
                from msgbook.kernel.talking_kernel import TalkingKernel

                self.__class__ = TalkingKernel
                self.set_up()
                self.answer_pages()
                for name in _OF_CELLS:
                    self.shell_handlers[name] = getattr(self, name)

    async def _answer_awake(self, handlers: dict[str, Any], name: str, *message: Any) -> None:
        self.wake()
        await handlers[name](*message)

    def _open_comm_awake(self, comm: Any, message: Any) -> None:
        self.wake()
        self.comm_manager.targets[COMM_TARGET](comm, message)
