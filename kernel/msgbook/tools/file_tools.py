"""The file tools as the model sees them: names, arguments, descriptions. Child processes run them."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import weakref
from collections.abc import Iterable, Sequence
from copy import copy
from pathlib import Path
from typing import IO, Annotated, Any

from pydantic import Field

from msgbook.approval import ApprovalRequest, ApprovalRequiredError
from msgbook.errors import ToolError
from msgbook.tools.base import CallContext, Content, Tool, ToolFunction
from msgbook.tools.cell_tools import CellTool, cell_tools
from msgbook.tools.files.documents import import_paths
from msgbook.tools.results import Results

# Child processes that run the file tools, so that no file and no pattern stalls the kernel.


WORKERS = 4
"""Most calls that run at the same time, each in a process of its own."""
TIME_LIMIT = 30.0
"""Seconds that one call may take: a hostile pattern or a slow network drive would take any."""

_SERVE = (
    "import json, sys; sys.path += json.loads(sys.argv[1]); "
    "from msgbook.tools.files.serve import main; main(json.loads(sys.argv[2]))"
)
_ENVIRONMENT = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "PATH", "SYSTEMROOT", "USERPROFILE")
"""Variables that a worker needs; none holds a key."""


class WorkerPool:
    """Starts workers when they are needed and keeps them.

    A thread waits for each worker: it needs no event loop, and killing the worker ends the wait at
    once.

    Args:
        settings: Settings of `msgbook.tools.files.serve.main`, without the time limit.
        time_limit: Seconds that one call may take.
    """

    def __init__(self, settings: dict[str, Any], time_limit: float = TIME_LIMIT) -> None:
        self._settings = {**settings, "time_limit": time_limit}
        self._time_limit = time_limit
        self._slots = asyncio.Semaphore(WORKERS)
        self._idle: list[_Worker] = []
        self._workers: set[_Worker] = set()
        self._end = weakref.finalize(self, _end_all, self._workers)

    async def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the reply to one request. Cancelling it kills the worker.

        Raises:
            ToolError: It took too long, or the worker died or could not be started.
        """
        async with self._slots:
            worker = self._idle_worker()
            try:
                async with asyncio.timeout(self._time_limit):
                    reply = await asyncio.to_thread(worker.ask, request)
            except BaseException as error:
                worker.kill()
                self._workers.discard(worker)
                # The thread that asks it may not have begun, and then nobody waits for its end.
                asyncio.get_running_loop().run_in_executor(None, worker.end)
                if isinstance(error, TimeoutError):
                    raise ToolError(
                        f"{request['tool']} took longer than {self._time_limit:g} s: it was "
                        "stopped. Try a simpler pattern, or fewer files."
                    ) from None
                raise
            self._idle.append(worker)
            return reply

    def close(self) -> None:
        """End the workers; the next request starts a new one."""
        self._idle.clear()
        _end_all(self._workers)

    def _idle_worker(self) -> _Worker:
        while self._idle:
            worker = self._idle.pop()
            if worker.is_alive:
                return worker
            worker.end()
            self._workers.discard(worker)
        worker = _Worker(self._settings)
        self._workers.add(worker)
        return worker


class _Worker:
    """A child process that answers one request at a time."""

    def __init__(self, settings: dict[str, Any]) -> None:
        code = ["-c", _SERVE, json.dumps(import_paths()), json.dumps(settings)]
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and code
                [sys.executable, "-I", "-S", "-X", "utf8", *code],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=os.sep,
                env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
                start_new_session=True,
            )
        except OSError as error:
            raise ToolError(f"The file tools could not be started: {error.strerror}.") from None

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return its reply.

        Raises:
            ToolError: The worker died.
        """
        requests, replies = _pipes(self._process)
        data = json.dumps(request).encode()
        try:
            requests.write(len(data).to_bytes(4) + data)
            requests.flush()
            size = replies.read(4)
            reply = replies.read(int.from_bytes(size))
        except (OSError, ValueError):  # ValueError: closed meanwhile
            size = reply = b""
        if len(size) < 4 or len(reply) < int.from_bytes(size):
            self.end()
            raise ToolError(f"The process that ran {request['tool']} died. Nothing was returned.")
        answer: dict[str, Any] = json.loads(reply)
        return answer

    def kill(self) -> None:
        """Kill the process and its children, without waiting for them."""
        if self._process.returncode is not None:
            return
        try:
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        except ProcessLookupError:
            return  # it has ended already

    def end(self) -> None:
        """Kill the process, wait until it is gone, and close the pipes."""
        self.kill()
        self._process.wait()
        for pipe in _pipes(self._process):
            try:
                pipe.close()
            except BrokenPipeError:
                continue  # the request was never read


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    assert process.stdin is not None  # noqa: S101 - both are asked for
    assert process.stdout is not None  # noqa: S101
    return process.stdin, process.stdout


def _end_all(workers: set[_Worker]) -> None:
    while workers:
        workers.pop().end()


_WRITING = ("write", "edit", "edit_cell", "insert_cell")
"""Tools that change a file: not one that has changed since it was seen."""

_Path = Annotated[str, Field(description="File or folder, relative to the notebook's folder.")]
_FilePath = Annotated[str, Field(description="File, relative to the notebook's folder.")]
_FolderPath = Annotated[str, Field(description="Folder, relative to the notebook's folder.")]
_FirstLine = Annotated[
    int | None, Field(ge=1, description="First line to read, from 1; of a PDF the page.")
]
_LastLine = Annotated[
    int | None, Field(ge=1, description="Last line to read, included; of a PDF the page.")
]
_OldText = Annotated[
    str, Field(description="The text as it stands there; it must stand there only once.")
]
_Glob = Annotated[str, Field(description="For example src/**/*.py or *.{md,txt}.")]
_FileGlob = Annotated[
    str | None, Field(description="Only files that match; *.py matches in every folder.")
]
_Expression = Annotated[str, Field(description="Regular expression that a line matches.")]
_Context = Annotated[int, Field(ge=0, le=20, description="Lines to show around a match.")]


class FileTools:
    """The tools `read`, `glob`, `grep`, `write`, `edit` and `mkdir` of one conversation, and those on cells.

    Args:
        folder: The notebook's folder.
        private: Folders in which reading always needs approval.
        ripgrep: Path of ripgrep; None to search in Python.
        time_limit: Seconds of one call.
    """

    def __init__(
        self,
        folder: Path,
        private: Iterable[Path] = (),
        *,
        ripgrep: str | None = None,
        time_limit: float = TIME_LIMIT,
    ) -> None:
        settings = {
            "folder": str(folder.resolve()),
            "private": [str(path) for path in private],
            "blobs": str(Results(folder).blobs),
            "ripgrep": ripgrep,
        }
        self._folder = folder
        self._workers = WorkerPool(settings, time_limit)
        self._seen: dict[str, str] = {}
        self.tools, self.cell_tools = self._make_tools(None)

    def narrow_to(self, allowed: Sequence[Path] | None) -> list[Tool]:
        """Return the tools for an agent that may read only some folders without approval.

        Args:
            allowed: Real paths, as in `Roots`; None for no further limit.
        """
        tools, on_cells = self._make_tools(allowed)
        return [*tools, *on_cells]

    def _make_tools(self, allowed: Sequence[Path] | None) -> tuple[list[Tool], list[CellTool]]:
        """Return the tools on files, and those on cells."""
        calls = _Calls(self._workers, self._seen, allowed)
        tools = [
            Tool("read", calls.read, read_only=True),
            Tool("glob", calls.glob, read_only=True),
            Tool("grep", calls.grep, read_only=True),
            Tool("write", calls.write),
            Tool("edit", calls.edit),
            Tool("mkdir", calls.mkdir),
        ]
        return tools, cell_tools(self._folder, calls.run)

    def for_another_conversation(self) -> FileTools:
        """Return the same tools for a conversation that has seen no file yet. They share workers."""
        other = copy(self)
        other._seen = {}
        other.tools, other.cell_tools = other._make_tools(None)
        return other

    async def close(self) -> None:
        """End the worker processes."""
        self._workers.close()


class _Calls:
    """Makes the functions of calls.

    Args:
        seen: Digest of each file as the conversation last saw it, by real path; shared.
        allowed: As in `FileTools.narrow_to`.
    """

    def __init__(
        self, workers: WorkerPool, seen: dict[str, str], allowed: Sequence[Path] | None
    ) -> None:
        self._workers = workers
        self._seen = seen
        self._within = None if allowed is None else [str(path) for path in allowed]

    async def run(self, tool: str, call: CallContext, arguments: dict[str, Any]) -> Content:
        """Run a call in a worker.

        Raises:
            ToolError: The call failed.
            ApprovalRequiredError: It needs another approval than the one it has.
        """
        request = {
            "tool": tool,
            "arguments": arguments,
            "approved": call.approved._asdict() if call.approved else None,
            "seen": self._seen if tool in _WRITING else {},
            "within": self._within,
        }
        reply = await self._workers.ask(request)
        self._seen.update(reply["seen"])
        if "approval_request" in reply:
            raise ApprovalRequiredError(ApprovalRequest(**reply["approval_request"]))
        if "error" in reply:
            raise ToolError(reply["error"])
        content: Content = reply["content"]
        return content

    def read(self, call: CallContext) -> ToolFunction:
        async def read(path: _Path, start: _FirstLine = None, end: _LastLine = None) -> Content:
            """Read a text file, a notebook (its cells as text) or a PDF, or some lines or pages; look at an image; list a folder."""
            return await self.run("read", call, {"path": path, "start": start, "end": end})

        return read

    def glob(self, call: CallContext) -> ToolFunction:
        async def glob(pattern: _Glob, path: _FolderPath = ".") -> Content:
            """Find files and folders by a pattern; `**` stands for any number of folders.

            Links are not followed; .git, .msgbook, node_modules and __pycache__ are left out.
            """
            return await self.run("glob", call, {"pattern": pattern, "path": path})

        return glob

    def grep(self, call: CallContext) -> ToolFunction:
        async def grep(
            pattern: _Expression,
            path: _Path = ".",
            glob: _FileGlob = None,
            ignore_case: bool = False,
            context: _Context = 0,
        ) -> Content:
            """Find lines in the files of a folder, shown as path:line:text.

            Binary files, files of more than 5 MB and files that may hold secrets are left out.
            """
            arguments = {"pattern": pattern, "path": path, "glob": glob}
            options = {"ignore_case": ignore_case, "context": context}
            return await self.run("grep", call, {**arguments, **options})

        return grep

    def write(self, call: CallContext) -> ToolFunction:
        async def write(path: _FilePath, content: str) -> Content:
            """Make a text file, or replace all that is in it. Its folder has to exist."""
            return await self.run("write", call, {"path": path, "content": content})

        return write

    def edit(self, call: CallContext) -> ToolFunction:
        async def edit(path: _FilePath, old: _OldText, new: str) -> Content:
            """Replace a text in a file. The result is a unified diff."""
            return await self.run("edit", call, {"path": path, "old": old, "new": new})

        return edit

    def mkdir(self, call: CallContext) -> ToolFunction:
        async def mkdir(path: _FolderPath) -> Content:
            """Make a folder, and the folders above it that are missing."""
            return await self.run("mkdir", call, {"path": path})

        return mkdir


def find_ripgrep() -> str | None:
    """Return the path of ripgrep; None for a relative one, since `PATH` may name the current folder."""
    found = shutil.which("rg")
    return found if found and Path(found).is_absolute() else None
