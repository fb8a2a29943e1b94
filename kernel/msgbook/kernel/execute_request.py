"""The cell that an `execute_request` asks to run, whose it is, and the reply.

Clients put different things about it into the message, and all of them may be forged.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from msgbook.display.failure import Failure, error_content
from msgbook.kernel.assist.prompt_scope import MAGIC_START
from msgbook.notebook import RequestedCell, find_notebook_file, is_own_magic
from msgbook.notebook.magics_table import (
    OWN_MAGICS,
    PYTHON_MAGIC,
)
from msgbook.text import one_line
from msgbook_format.links import real_path
from msgbook_format.syntax import (
    CODE_FIRST_CELLS,
    CONTINUE_MAGIC,
    MSG_MAGIC,
    CellRule,
    ChatCells,
)
from msgbook_format.typed import as_dict, as_text, text_or_none

_VSCODE = "vscode-notebook-cell"
_DRIVE = re.compile(r"/[A-Za-z]:/")
_HANDLE = re.compile(r"[WXYZa-f]+([0-6]+)s")
"""VS Code's number of a cell: base 7, after a letter for its length, so that numbers sort as text."""


def requested_cell(
    source: str,
    cell_id: Any,
    metadata: Mapping[str, Any] | None,
    *,
    folder: Path,
    is_console: bool,
    client_session: str | None = None,
) -> RequestedCell:
    """Return the cell that an `execute_request` is about.

    Args:
        metadata: The request's. JupyterLab and VS Code put the cell's metadata into it.
        folder: The kernel's. A notebook that the client names has to be below it.
        is_console: Whether the client takes questions and names no cell.
        client_session: Session in the request's header.
    """
    cell_id = text_or_none(cell_id)
    path, position = None, None
    if cell_id is not None and cell_id.startswith(f"{_VSCODE}:"):
        path, position = named_notebook(cell_id, folder), _position(cell_id)
    ours = (metadata or {}).get("msgbook")
    return RequestedCell(
        source,
        cell_id,
        as_dict(ours),
        path,
        position,
        is_console=is_console,
        client_session=client_session,
    )


def named_notebook(uri: str, folder: Path) -> Path | None:
    """Return the notebook's file from a cell's URI, as VS Code spells it.

    A notebook's metadata can forge the URI. So the file has to be an existing regular file below
    the kernel's folder, and is only used to find the cells above.

    Returns:
        None for a notebook that is not saved yet, or is on another machine.
    """
    found = find_notebook_file(path_of(uri))
    try:
        if found is not None and real_path(found).is_relative_to(folder.resolve()):
            return found
    except OSError:
        return None
    return None


def path_of(uri: str, *, windows: bool = os.name == "nt") -> str:
    """Return the path in a URI; empty if it is not a URI."""
    try:
        path = unquote(urlsplit(uri).path, errors="strict")
    except ValueError:
        return ""
    return path[1:] if windows and _DRIVE.match(path) else path


def _position(uri: str) -> int | None:
    """Return the index that the cell had when VS Code opened the notebook."""
    handle = _HANDLE.match(uri.partition("#")[2])
    return int(handle[1], 7) if handle and len(handle[1]) < 10 else None


# The content of an `execute_reply`.


def execute_reply(count: int, failure: Failure | None = None) -> dict[str, Any]:
    """Return the reply for a cell that is not IPython's.

    Args:
        count: The cell's execution count.
        failure: The error that the cell ended with; None if it succeeded.
    """
    reply: dict[str, Any] = {
        "status": "error" if failure else "ok",
        "execution_count": count,
        "payload": [],
        "user_expressions": {},
    }
    return reply | error_content(failure) if failure else reply


async def awaited_reply(reply: Any) -> dict[str, Any]:
    """Return the reply of an IPython handler, which is a coroutine or not, depending on the version."""
    content: dict[str, Any] = await reply if hasattr(reply, "__await__") else reply
    return content


# The decision which cells are msgbook's, and which are IPython's.


NOT_SENT = (
    "This was not sent to a model: the client sent it silently and without a cell, "
    "as clients do with code of their own.{}\n"
)
"""Shown for a request that is not sent to a model, with `HOW_TO_RUN` in a chat."""

HOW_TO_RUN = " To run Python, begin the code with %%python."

_SHOWN = 60
"""Characters of a magic's name that an error quotes."""


class Routing:
    """Decides whether msgbook or IPython runs a cell.

    Args:
        magics_manager: IPython's; magics may be registered at any time.
        is_code_first: Whether a cell is Python unless it begins with `%%msg`.

    Attributes:
        cells: Tells the messages among the cells.
    """

    def __init__(self, magics_manager: Any, *, is_code_first: bool = False) -> None:
        self._manager = magics_manager
        self.cells: CellRule = CODE_FIRST_CELLS if is_code_first else ChatCells(self.is_magic)

    def is_msgbook_cell(self, code: str) -> bool:
        """Return whether a cell is a prompt or one of msgbook's magics."""
        return bool(code.strip()) and (is_own_magic(code) or self.cells.is_message(code))

    def is_completed_here(self, code: str, cursor: int) -> bool:
        """Return whether msgbook completes a cell: its own, or the unfinished name of a cell magic."""
        if self.is_msgbook_cell(code):
            return True
        is_in_name = MAGIC_START.fullmatch(code[:cursor]) is not None
        return is_in_name and self.cells.missing_magic(code) is not None

    def refuse(self, code: str) -> Failure | None:
        """Return why a cell cannot run: it begins with a cell magic that is not registered."""
        missing = self.cells.missing_magic(code)
        if missing is None:
            return None
        name = one_line(missing, _SHOWN)
        return Failure(
            "UnknownMagicError",
            f"There is no magic {name} that runs this code. Load the extension that has it "
            "(%load_ext NAME) and run the cell again. To send the cell as a message, write a "
            f"backslash in front of it: \\{name}",
        )

    def is_magic(self, name: str) -> bool:
        """Return whether IPython or msgbook has a magic of that name (`%time`, `%%bash`)."""
        if name in OWN_MAGICS or name == PYTHON_MAGIC:
            return True
        kind = "cell" if name.startswith("%%") else "line"
        return name.lstrip("%") in self._manager.magics[kind]

    def magic_names(self) -> list[str]:
        """Return the names of all magics, with their percent signs."""
        found = self._manager.magics
        lines, cells = ((f"%{name}" for name in found["line"]), (f"%%{n}" for n in found["cell"]))
        return [*{*OWN_MAGICS, CONTINUE_MAGIC, MSG_MAGIC, PYTHON_MAGIC, *lines, *cells}]


def strip_python_magic(lines: list[str]) -> list[str]:
    """Remove a leading `%%python`: it runs here, not in another process as IPython's own magic."""
    for number, line in enumerate(lines):
        if line.strip() == PYTHON_MAGIC:
            return lines[number + 1 :]
        if line.strip():
            break
    return lines


# A line of text from the client that sent a request, by an `input_request`.
#
# IPython's own `raw_input` blocks the event loop until the answer. This does not, so that an
# interrupt ends the wait at once.


class StdinLine:
    """Reads lines from the client that sent a request.

    Args:
        session: The kernel's Jupyter session, which signs and checks messages.
        socket: The kernel's stdin socket; nothing else may read from it meanwhile.
        parent: The request.
        ident: ZeroMQ identity of the client.
    """

    def __init__(self, session: Any, socket: Any, parent: dict[str, Any], ident: Any) -> None:
        self._session = session
        self._socket = socket
        self._parent = parent
        self._ident = ident

    async def read(self, prompt: str) -> str:
        """Show a prompt, wait for the reply and return it; a malformed reply is an empty line."""
        from zmq.asyncio import Poller

        self._drop_old_replies()
        content = {"prompt": prompt, "password": False}
        request = self._session.send(
            self._socket, "input_request", content, self._parent, ident=self._ident
        )
        request_ids = {
            request["header"]["msg_id"],
            self._parent.get("header", {}).get("msg_id"),
            None,
        }
        poller = Poller()
        poller.register(self._socket)
        while True:
            reply = self._receive()
            if reply is None:
                await poller.poll()
            elif reply["parent_header"].get("msg_id") in request_ids:
                value = as_text(reply["content"].get("value"))
                return "" if value == "\x04" else value

    def _receive(self) -> dict[str, Any] | None:
        """Return a reply that has arrived; None if there is none, or its signature is wrong."""
        try:
            reply: dict[str, Any] | None = self._session.recv(self._socket)[1]
        except ValueError:
            return None
        return reply

    def _drop_old_replies(self) -> None:
        """Drop replies to earlier questions, which an interrupt may have left."""
        import zmq

        while True:
            try:
                self._socket.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
