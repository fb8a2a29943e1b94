"""The kernel: an IPython kernel whose cells are messages, unless they begin with a magic or `!`.

Kernels start as `waking_kernel` has it. Nothing is imported here that takes long: a thread imports the engine once
the kernel has started (docs/architecture.md, "Start and interrupts").
"""

from __future__ import annotations

import asyncio
import importlib
import os
import threading
from collections.abc import Coroutine, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from msgbook.approval import ReadLine
from msgbook.config import Settings
from msgbook.display.failure import INTERRUPTED, Failure, error_content
from msgbook.kernel.assist.assistant import Assistant, ModelNames, answer_assist
from msgbook.kernel.assist.prompt_scope import is_unfinished
from msgbook.kernel.execute_request import (
    HOW_TO_RUN,
    NOT_SENT,
    Routing,
    StdinLine,
    awaited_reply,
    execute_reply,
    requested_cell,
    strip_python_magic,
)
from msgbook.kernel.gateway import kernel_private_paths
from msgbook.kernel.names import COMM_TARGET
from msgbook.kernel.python.import_path import import_from_folder
from msgbook.kernel.recording_session import RecordingSession
from msgbook.kernel.session import Send, Session
from msgbook.kernel.session_keys import read_keys
from msgbook.kernel.waking_kernel import ChatKernel, WakingKernel
from msgbook.messages import ApiName
from msgbook.notebook import RequestedCell, is_own_magic, working_folder
from msgbook.notebook.magics_table import PYTHON_MAGIC
from msgbook.text import repair_surrogates
from msgbook_format.typed import as_list

if TYPE_CHECKING:
    from msgbook.tools import Namespace


T = TypeVar("T")


class MsgKernel(WakingKernel):
    """Routes cells: prompts and msgbook's magics to the session, all else to IPython."""

    banner = ChatKernel.banner
    language_info = ChatKernel.language_info
    is_code_first = False
    """Whether a cell is Python unless it begins with `%%msg`."""

    def set_up(self) -> None:
        """Make what cells need: the session, and help while they are written."""
        # A second try finds them, after a first one that failed later on.
        self._keys_aside = {**self._keys_aside, **os.environ}
        self._routing = Routing(self.shell.magics_manager, is_code_first=self.is_code_first)
        self._session = Session(
            working_folder(self._folder), self._namespace, self._routing.cells, self._keys_aside
        )
        self._models = ModelNames(lambda: self._in_main_loop(self._session.offered_models()))
        self._assistant = Assistant(
            self._folder,
            kernel_private_paths(os.environ, self._folder),
            live=self._session.page,
            memory=self._session.memory,
            tools=lambda: self._session.tools,
            magics=self._routing.magic_names,
            cell_rule=self._routing.cells,
            namespace=self.shell.user_ns,
            hidden=self.shell.user_ns_hidden,
            models=self._models,
            describe=self._describe,
            settings=lambda: self._session.settings,
        )
        queries = self._session.answer_queries(self.io_loop.asyncio_loop)
        answer_assist(queries, self._assistant, self._routing)
        # Last, when nothing can fail any more: these may not happen twice.
        if isinstance(self.session, RecordingSession):
            self.session.recorder = self._session.outputs
        if not self.is_code_first:
            self.shell.input_transformers_cleanup.insert(0, strip_python_magic)
        # Not "pre_execute", which each message of a page triggers, too.
        self.shell.events.register("pre_run_cell", self._import_from_folder)
        self.comm_manager.register_target(COMM_TARGET, self._session.page.comm_opened)

    def take_keys(self) -> None:
        """Let the session take the keys of the Jupyter server that came so far; from any thread."""
        self.io_loop.asyncio_loop.call_soon_threadsafe(self._take_keys)

    def _take_keys(self) -> None:
        while self._key_buffers:
            self._session.keys.take(read_keys(self._key_buffers.pop(0)))

    def warm_up(self) -> None:
        """Import what the first turn needs, in a thread: it takes about a second."""
        start_warm_up(self._session.settings)

    async def execute_request(self, stream: Any, ident: Any, parent: dict[str, Any]) -> None:
        # IPython echoes the code, and sends no reply if it holds a lone surrogate.
        if isinstance(code := parent["content"].get("code"), str):
            parent["content"]["code"] = repair_surrogates(code)
        await super().execute_request(stream, ident, parent)

    async def do_execute(
        self,
        code: str,
        silent: bool,
        store_history: bool = True,
        user_expressions: dict[str, Any] | None = None,
        allow_stdin: bool = False,
        *,
        cell_meta: Mapping[str, Any] | None = None,
        cell_id: str | None = None,
    ) -> dict[str, Any]:
        """Run a cell, and return exactly one reply whatever happens.

        No model is called for a `silent` request, or for one that names no cell and is not stored:
        clients run code of their own like this.
        """
        if self._refusal:
            return await awaited_reply(super().do_execute(code, silent))
        header = self.get_parent("shell").get("header", {})
        requested = requested_cell(
            code,
            cell_id,
            cell_meta,
            folder=self._folder,
            is_console=allow_stdin and cell_id is None,
            client_session=header.get("session"),
        )
        # JupyterLab lists deleted cells once, in the next request.
        deleted = (cell_meta or {}).get("deletedCells")
        self._session.forget(as_list(deleted))
        if self._routing.is_msgbook_cell(code):
            reply = execute_reply(self.shell.execution_count)
            if not silent:
                running = self._run_msgbook_cell(requested, store_history, allow_stdin)
                reply = await self._in_main_loop(running)
            return self._with_expressions(reply, user_expressions)
        is_stored = bool(code.strip()) and store_history and not silent
        request_id = header.get("msg_id", "") if is_stored else ""
        with self._session.remembering_code(requested, request_id), self.running_python():
            if failure := self._routing.refuse(code):
                return self._end(self._next_count(code, is_stored), failure, silent=silent)
            options = (silent, store_history, user_expressions, allow_stdin)
            running = super().do_execute(code, *options, cell_meta=cell_meta, cell_id=cell_id)
            return await awaited_reply(running)

    async def do_complete(self, code: str, cursor_pos: int) -> dict[str, Any]:
        if self._routing.is_completed_here(code, cursor_pos):
            return await self._assistant.complete(code, cursor_pos)
        return await awaited_reply(super().do_complete(code, cursor_pos))

    async def do_inspect(
        self, code: str, cursor_pos: int, detail_level: int = 0, omit_sections: Any = ()
    ) -> dict[str, Any]:
        if self._routing.is_msgbook_cell(code):
            return await self._assistant.inspect(code, cursor_pos)
        return await awaited_reply(
            super().do_inspect(code, cursor_pos, detail_level, omit_sections)
        )

    async def do_is_complete(self, code: str) -> dict[str, Any]:
        if self._routing.is_msgbook_cell(code):
            return {"status": "incomplete" if is_unfinished(code) else "complete", "indent": ""}
        if code.strip() == PYTHON_MAGIC and not self.is_code_first:
            # IPython fails on the empty text that is left without this line.
            return {"status": "incomplete", "indent": ""}
        return await awaited_reply(super().do_is_complete(code))

    async def do_shutdown(self, restart: bool) -> dict[str, Any]:
        reply = super().do_shutdown(restart)
        # In this order: a wake that ends meanwhile begins no cell.
        if self._is_awake:
            self._models.close()
            await self._session.close()
        return await awaited_reply(reply)

    def _import_from_folder(self, _info: object) -> None:
        if not getattr(self.parent, "ignore_cwd", False):
            import_from_folder()

    def _namespace(self) -> Namespace:
        from msgbook.kernel.python.namespace import KernelNamespace

        return KernelNamespace(self)

    async def _describe(self, name: str) -> str:
        return await self._in_main_loop(self._namespace().describe(name))

    async def _in_main_loop(self, running: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine on the kernel's main loop, to which connections and workers belong."""
        loop: asyncio.AbstractEventLoop = self.io_loop.asyncio_loop
        if asyncio.get_running_loop() is loop:
            return await running
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(running, loop))

    def _with_expressions(
        self, reply: dict[str, Any], user_expressions: dict[str, Any] | None
    ) -> dict[str, Any]:
        """Return the reply with the values that the client asks for, if the cell succeeded."""
        if reply["status"] == "ok" and user_expressions:
            reply["user_expressions"] = self.shell.user_expressions(user_expressions)
        return reply

    async def _run_msgbook_cell(
        self, requested: RequestedCell, store_history: bool, allow_stdin: bool
    ) -> dict[str, Any]:
        """Run a prompt or one of msgbook's magics as a task that an interrupt cancels."""
        count = self._next_count(requested.source, store_history)
        send = self._sender()
        if is_own_magic(requested.source):
            running = self._session.run_magic(requested, send, remember=store_history)
        elif requested.cell_id is None and not store_history:
            words = NOT_SENT.format("" if self.is_code_first else HOW_TO_RUN)
            send("stream", {"name": "stderr", "text": words})
            return execute_reply(count)
        else:
            read_line = self._line_reader() if allow_stdin else None
            running = self._session.run_prompt(requested, send, read_line, remember=store_history)
        task = asyncio.ensure_future(running)
        with self.running_turn(task):
            try:
                failure = await task
            except asyncio.CancelledError:
                if not task.cancelled():
                    raise
                failure = INTERRUPTED  # before the turn began
            except Exception as error:  # every request gets a reply
                failure = self._session.log_internal_error(error)
        return self._end(count, failure)

    def _end(self, count: int, failure: Failure | None, *, silent: bool = False) -> dict[str, Any]:
        """Return the reply for a cell that IPython does not run, and show its failure."""
        if failure and not silent:
            self._sender()("error", error_content(failure))
        return execute_reply(count, failure)

    def _next_count(self, code: str, store_history: bool) -> int:
        """Return the cell's execution count, and increment it if the cell is stored."""
        count: int = self.shell.execution_count
        if store_history:
            self._store_input(count, code)
            self.shell.execution_count += 1
        return count

    def _store_input(self, count: int, code: str) -> None:
        self.shell.history_manager.store_inputs(count, code)

    def _line_reader(self) -> ReadLine:
        """Return a function that asks the client of the running request for a line."""
        ident = self._get_shell_context_var(self._shell_parent_ident)
        return StdinLine(self.session, self.stdin_socket, self.get_parent("shell"), ident).read

    def _sender(self) -> Send:
        parent = self.get_parent("shell")

        def send(msg_type: str, content: dict[str, Any]) -> None:
            ident = self._topic(msg_type)
            self.session.send(self.iopub_socket, msg_type, content, parent=parent, ident=ident)

        return send


# Imports that a kernel makes after its start, so that the first turn does not wait for them.


def start_warm_up(settings: Settings) -> None:
    """Import what the first turns need, in a thread."""
    server = settings.provider
    api = server.api if server else "chat"
    threading.Thread(target=warm_up, args=(api,), name="msgbook-warm-up", daemon=True).start()


def warm_up(api: ApiName = "chat") -> None:
    """Import what the first turns need, before this returns.

    Args:
        api: Of the default server.
    """
    from msgbook.provider import import_network, import_sdk_of

    for name in (
        "msgbook.turn_run",
        "msgbook.request.above",
        "msgbook.magics",
        "msgbook.display.publish",
        "msgbook.display.console",
        "msgbook_format.turn.markdown.render",
    ):
        importlib.import_module(name)
    sdk = import_sdk_of(api)
    if sdk is not None:
        import_network(sdk)
