"""The kernel: an IPython kernel whose cells are messages, unless they begin with a magic or `!`.

Nothing that takes long to import is imported here: the engine comes in a thread, once the kernel
is up (docs/architecture.md, "Start").
"""

from __future__ import annotations

import asyncio
import importlib
import threading
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgbook import __version__
from msgbook.cells import OWN_MAGICS, is_own_magic, is_prompt
from msgbook.config import Settings, load_settings, redact
from msgbook.errors import ConfigError, MsgbookError
from msgbook.kernel.interrupt import InterruptibleKernel
from msgbook.kernel.page import COMM_TARGET, PageComms
from msgbook.transcript import SessionMemory, Transcript, read_transcript

if TYPE_CHECKING:
    from msgbook.engine import Engine
    from msgbook.output.record import TurnRecord

_PYTHON_MAGIC = "%%python"

_WARM_UP_DELAY = 0.3
"""Seconds after the start until the engine is imported, so that the first requests do not wait."""


class MsgKernel(InterruptibleKernel):
    """Routes cells: prompts to the engine, all else to IPython."""

    implementation = "msgbook"
    implementation_version = __version__
    banner = f"msgbook {__version__}: a cell is a message to a language model; %help tells more."
    # No codemirror_mode: JupyterLab then finds its Markdown mode by the MIME type. The file
    # extension is not .md, or Jupytext's menu would take our files for its own.
    language_info = {  # noqa: RUF012 - the base class declares it as an instance attribute
        "name": "msgbook",
        "version": __version__,
        "mimetype": "text/x-markdown",
        "file_extension": ".txt",
        "pygments_lexer": "markdown",
    }

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._folder = Path.cwd()
        self._settings, self._settings_error = _read_settings()
        self._engine: Engine | None = None
        self._memory = SessionMemory()
        self._page = PageComms()
        self.comm_manager.register_target(COMM_TARGET, self._page.opened)
        self.shell.input_transformers_cleanup.insert(0, _strip_python_magic)

    def start(self) -> None:
        super().start()
        self.io_loop.call_later(_WARM_UP_DELAY, _warm_up)

    @property
    def kernel_info(self) -> dict[str, Any]:
        info: dict[str, Any] = super().kernel_info
        info["supported_features"] = [f for f in info["supported_features"] if f != "debugger"]
        return info

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
        """Run a cell. Whatever happens, there is exactly one reply; `silent` asks no model."""
        if code.strip() and (is_own_magic(code) or is_prompt(code, self._is_magic)):
            if silent:
                return self._reply(self.shell.execution_count)
            self._memory.forget(_list(cell_meta, "deletedCells"))
            count = self._count(code, store_history)
            if is_own_magic(code):
                return await self._run_magic(code, count, cell_id)
            return await self._run_prompt(code, count, cell_id)
        with self.running_python():
            return await _awaited(
                super().do_execute(
                    code,
                    silent,
                    store_history,
                    user_expressions,
                    allow_stdin,
                    cell_meta=cell_meta,
                    cell_id=cell_id,
                )
            )

    async def do_complete(self, code: str, cursor_pos: int) -> dict[str, Any]:
        if is_prompt(code, self._is_magic):
            return {
                "status": "ok",
                "matches": [],
                "cursor_start": cursor_pos,
                "cursor_end": cursor_pos,
                "metadata": {},
            }
        return await _awaited(super().do_complete(code, cursor_pos))

    async def do_inspect(
        self, code: str, cursor_pos: int, detail_level: int = 0, omit_sections: Any = ()
    ) -> dict[str, Any]:
        if is_prompt(code, self._is_magic):
            return {"status": "ok", "found": False, "data": {}, "metadata": {}}
        return await _awaited(super().do_inspect(code, cursor_pos, detail_level, omit_sections))

    async def do_is_complete(self, code: str) -> dict[str, Any]:
        if is_prompt(code, self._is_magic):
            return {"status": "incomplete" if code.endswith("\\") else "complete", "indent": ""}
        return await _awaited(super().do_is_complete(code))

    async def do_shutdown(self, restart: bool) -> dict[str, Any]:
        if self._engine is not None:
            await self._engine.close()
        return await _awaited(super().do_shutdown(restart))

    async def _run_prompt(self, code: str, count: int, cell_id: str | None) -> dict[str, Any]:
        """Run a turn, show it as one display, remember it."""
        task = asyncio.ensure_future(self._turn(code, cell_id))
        with self.running_turn(task):
            try:
                return self._reply(count, await task)
            except asyncio.CancelledError:
                if not task.cancelled():
                    raise
                # Stopped before there was a turn to show.
                return self._reply(count, self._send_error(_INTERRUPTED))

    async def _turn(self, code: str, cell_id: str | None) -> tuple[str, str] | None:
        """Run a turn to its end and return the name and words of its error, if it has one."""
        try:
            engine = await self._ready_engine()
        except ConfigError as error:
            return self._send_error(("ConfigError", str(error)))
        from msgbook.events import TurnFinished
        from msgbook.output.publish import TurnDisplay
        from msgbook_format.turn import bundle

        record = engine.new_record()
        display = TurnDisplay(
            record, lambda: bundle(record.snapshot()), self._sender(), uuid.uuid4().hex
        )
        try:
            display.changed()
            transcript = await read_transcript(cell_id, code, self._page, self._memory)
            async for _ in engine.run(code, transcript, record, self._is_magic):
                display.changed()
        except asyncio.CancelledError:
            engine.finish(record, TurnFinished("interrupted"))
        except Exception as error:  # a fault of ours: the turn is kept, the log tells all
            self.log.exception("The turn failed")
            words = redact(f"{type(error).__name__}: {error}", self._settings.secrets)
            engine.finish(record, TurnFinished("error", None, "InternalError", words))
        display.finish()
        self._memory.remember(cell_id, code, record.snapshot())
        failure = _failure(record)
        return self._send_error(failure) if failure else None

    async def _run_magic(self, code: str, count: int, cell_id: str | None) -> dict[str, Any]:
        task = asyncio.ensure_future(self._magic(code, cell_id))
        with self.running_turn(task):
            try:
                text = await task
            except MsgbookError as error:
                name = getattr(error, "name", type(error).__name__)
                return self._reply(count, self._send_error((name, str(error))))
            except asyncio.CancelledError:
                return self._reply(count, self._send_error(_INTERRUPTED))
        self._sender()("stream", {"name": "stdout", "text": text + "\n"})
        return self._reply(count)

    async def _magic(self, code: str, cell_id: str | None) -> str:
        engine = await self._ready_engine()
        from msgbook.magics import run_magic

        transcript: Transcript = await read_transcript(cell_id, code, self._page, self._memory)
        text = await run_magic(code, transcript, engine)
        self._memory.remember(cell_id, code)
        return text

    async def _ready_engine(self) -> Engine:
        """The engine, made when it is first needed.

        Raises:
            ConfigError: The settings could not be read.
        """
        if self._settings_error is not None:
            raise self._settings_error
        if self._engine is None:
            module = await asyncio.to_thread(importlib.import_module, "msgbook.engine")
            self._engine = module.Engine(self._settings, self._folder, private=_jupyter_folders())
        return self._engine

    def _is_magic(self, name: str) -> bool:
        """Whether IPython, or msgbook, has a magic of that name (`%time`, `%%bash`)."""
        if name in OWN_MAGICS or name == _PYTHON_MAGIC:
            return True
        kind = "cell" if name.startswith("%%") else "line"
        return name.lstrip("%") in self.shell.magics_manager.magics[kind]

    def _count(self, code: str, store_history: bool) -> int:
        """The cell's number; the next cell gets the next one unless nothing is to be stored."""
        count: int = self.shell.execution_count
        if store_history:
            self.shell.history_manager.store_inputs(count, code)
            self.shell.execution_count += 1
        return count

    def _sender(self) -> Callable[[str, dict[str, Any]], None]:
        """Sends to iopub on behalf of the request that runs now, whenever it is called."""
        parent = self.get_parent("shell")

        def send(msg_type: str, content: dict[str, Any]) -> None:
            ident = self._topic(msg_type)
            self.session.send(self.iopub_socket, msg_type, content, parent=parent, ident=ident)

        return send

    def _send_error(self, failure: tuple[str, str]) -> tuple[str, str]:
        self._sender()("error", _error_content(failure))
        return failure

    def _reply(self, count: int, failure: tuple[str, str] | None = None) -> dict[str, Any]:
        reply: dict[str, Any] = {
            "status": "error" if failure else "ok",
            "execution_count": count,
            "payload": [],
            "user_expressions": {},
        }
        return reply | _error_content(failure) if failure else reply


_INTERRUPTED = ("KeyboardInterrupt", "The turn was interrupted.")


def _failure(record: TurnRecord) -> tuple[str, str] | None:
    """Name and words of the error that a turn ended with; None when it ended well."""
    if record.status == "interrupted":
        return _INTERRUPTED
    last = record.snapshot()["blocks"][-1:]
    if last and last[0]["type"] == "error":
        return last[0].get("name", "Error"), last[0].get("message", "")
    return None


def _error_content(failure: tuple[str, str]) -> dict[str, Any]:
    name, words = failure
    return {"ename": name, "evalue": words, "traceback": [f"{name}: {words}"]}


def _strip_python_magic(lines: list[str]) -> list[str]:
    """Make `%%python` mean this kernel's namespace; IPython's own starts another process."""
    for number, line in enumerate(lines):
        if line.strip() == _PYTHON_MAGIC:
            return lines[number + 1 :]
        if line.strip():
            break
    return lines


def _read_settings() -> tuple[Settings, ConfigError | None]:
    try:
        return load_settings(), None
    except ConfigError as error:
        return Settings(), error


def _jupyter_folders() -> tuple[Path, ...]:
    from jupyter_core import paths

    folders = (paths.jupyter_config_dir(), paths.jupyter_data_dir(), paths.jupyter_runtime_dir())
    return tuple(Path(folder) for folder in folders)


def _warm_up() -> None:
    """Import what the first turn needs while the user is still writing it."""

    def load() -> None:
        for name in ("msgbook.engine", "msgbook.magics", "openai"):
            importlib.import_module(name)

    threading.Thread(target=load, name="msgbook-warm-up", daemon=True).start()


def _list(mapping: Mapping[str, Any] | None, key: str) -> list[Any]:
    value = (mapping or {}).get(key)
    return value if isinstance(value, list) else []


async def _awaited(value: Any) -> dict[str, Any]:
    """IPython's handlers return a reply or something that yields one, by version."""
    reply: dict[str, Any] = await value if hasattr(value, "__await__") else value
    return reply
