"""The kernels as they start: IPython's, which become msgbook's with the first cell or the first page.

A notebook opens as fast as in ipykernel, since nothing else is imported until a client wants more than
the kernel's info.
"""

from __future__ import annotations

import asyncio
import threading
import traceback
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ipykernel.ipkernel import IPythonKernel

from msgbook import __version__
from msgbook.kernel.interrupt import InterruptibleKernel
from msgbook.kernel.names import COMM_TARGET, KEYS_MESSAGE, KEYS_REPLY
from msgbook_format.syntax import LANGUAGE_INFO

if TYPE_CHECKING:
    from msgbook.kernel.msg_kernel import MsgKernel


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


_EXECUTE = "execute_request"
_OF_CELLS = (_EXECUTE, "complete_request", "inspect_request", "is_complete_request")
"""Requests about cells, which may be messages. Both channels take them."""

_GREETING = "kernel_info_request"
"""What every client sends first."""

_WARM_UP_DELAY = 0.3
"""Seconds from the answer to a first client to the import of the engine: its next requests come before it."""


class WakingKernel(NotebookKernel):
    """IPython's kernel until it wakes. From then on its class is the one that `awake_class` names.

    A wake that fails leaves it asleep: the cell fails, and the next request tries again.
    """

    awake_class: tuple[str, str]
    """Module and name."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._waking = threading.Lock()
        """A page opens its comm on a thread of its own, perhaps while the first cell begins."""
        self._is_awake = False
        self._keys_aside: dict[str, str] = dict(getattr(self.parent, "keys_aside", {}))
        """Variables that were removed from the environment."""
        self._key_buffers: list[Any] = []
        """Messages with keys that came, until a kernel that is awake reads them."""
        self._refusal: dict[str, Any] | None = None
        """Content of the error with which the cell ends that is about to run."""
        for name in _OF_CELLS:
            for handlers in (self.shell_handlers, self.control_handlers):
                handlers[name] = partial(self._answer_awake, name)
        self.control_handlers[KEYS_MESSAGE] = self._keep_keys
        self.comm_manager.register_target(COMM_TARGET, self._open_comm_awake)

    def wake(self) -> MsgKernel:
        """Become a kernel that takes messages; the user's environment variables are read now."""
        with self._waking:
            kernel: MsgKernel = self
            if not self._is_awake:
                asleep = self.__class__
                module, name = self.awake_class
                try:
                    self.__class__ = getattr(import_module(module), name)
                    kernel.set_up()
                except BaseException:
                    self.__class__ = asleep
                    raise
                for name in _OF_CELLS:
                    for handlers in (self.shell_handlers, self.control_handlers):
                        handlers[name] = getattr(self, name)
                self._is_awake = True
                kernel.take_keys()
        return kernel

    async def do_execute(self, code: str, silent: bool, *options: Any, **named: Any) -> Any:
        """Run a cell of Python, but not one that could not wake the kernel or was interrupted meanwhile."""
        refusal, self._refusal = self._refusal, None
        if refusal is None:
            running = super().do_execute(code, silent, *options, **named)
            return await running if hasattr(running, "__await__") else running
        if not silent:
            topic = self._topic("error")
            self.session.send(self.iopub_socket, "error", refusal, self.get_parent(), topic)
        return {"status": "error", "execution_count": self.shell.execution_count, **refusal}

    def do_shutdown(self, restart: bool) -> Any:
        # A cell that is waking the kernel in the main thread does not run any more.
        self.interrupted = True
        return super().do_shutdown(restart)

    async def _answer_awake(self, name: str, *message: Any) -> None:
        refusal = None
        try:
            if name == _EXECUTE:
                with self.running_turn(asyncio.get_running_loop().create_future()):
                    self.wake()
                if self.interrupted:
                    words = "The cell was interrupted before it began."
                    refusal = _error_content("KeyboardInterrupt", words)
            else:
                self.wake()
        except Exception as error:  # every request gets a reply
            refusal = self._report(error)
        if name == _EXECUTE:
            self._refusal = refusal
        await getattr(self, name)(*message)

    def _report(self, error: Exception) -> dict[str, Any]:
        """Log why the kernel cannot wake, and return it as an error. Keys appear in neither."""
        # Without the engine's own redaction, which may be what cannot be imported.
        log = self._without_keys("".join(traceback.format_exception(error)))
        self.log.error("msgbook: the kernel could not start its engine\n%s", log)
        words = self._without_keys(" ".join(str(error).split()))
        return _error_content(
            type(error).__name__,
            f"msgbook could not start its engine: {words}. Restart the kernel. "
            "If that does not help, install msgbook again.",
        )

    def _without_keys(self, text: str) -> str:
        for key in filter(None, self._keys_aside.values()):
            text = text.replace(key, "[key]")
        return text

    async def _keep_keys(self, stream: Any, ident: Any, parent: dict[str, Any]) -> None:
        """Handle the message of the Jupyter server with the keys of its session; in the control thread."""
        self._key_buffers.append(parent.get("buffers"))
        # Looked at after they are kept: a wake that ends meanwhile takes them.
        if self._is_awake:
            self.wake().take_keys()
        self.session.send(stream, KEYS_REPLY, {"status": "ok"}, parent, ident)

    def _open_comm_awake(self, comm: Any, message: Any) -> None:
        self.wake()
        self.comm_manager.targets[COMM_TARGET](comm, message)


def _error_content(name: str, message: str) -> dict[str, Any]:
    return {"ename": name, "evalue": message, "traceback": [f"{name}: {message}"]}


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
        self.io_loop.call_later(_WARM_UP_DELAY, self._wake_and_warm_up)

    def _wake_and_warm_up(self) -> None:
        try:
            with self.running_turn(self.io_loop.asyncio_loop.create_future()):
                kernel = self.wake()
            if self.interrupted:
                # It was meant for the cells that wait meanwhile.
                self._abort_queues()
            kernel.warm_up()
        except Exception as error:
            self._report(error)  # the first cell says it on the page
