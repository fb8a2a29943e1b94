"""A client of one real msgbook kernel, for tests that look at single messages."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Sequence
from typing import IO, Any

from jupyter_client.manager import KernelManager

from msgbook.display.turn_view import apply
from msgbook_format.turn import TURN_MIME

Message = dict[str, Any]


class KernelClient:
    """Starts a kernel and talks to it; use as a context manager.

    Args:
        settings: Environment variables of the kernel beside the test's own.
        cwd: The notebook's folder.
        stderr: Where the kernel's standard error goes; by default that of the test.
        name: Of the kernelspec.
    """

    def __init__(
        self,
        settings: dict[str, str],
        cwd: str,
        stderr: IO[bytes] | None = None,
        *,
        name: str = "msgbook",
    ) -> None:
        self.manager = KernelManager(kernel_name=name)
        self._settings, self._cwd, self._stderr = settings, cwd, stderr
        self._used: set[str] = set()

    def __enter__(self) -> KernelClient:
        env = {**os.environ, **self._settings}
        self.manager.start_kernel(env=env, cwd=self._cwd, stderr=self._stderr)
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=300)
        return self

    def __exit__(self, *_: object) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)
        self.manager.cleanup_resources()

    def forget(self) -> None:
        """Delete all cells, so that the kernel remembers no turn of an earlier test."""
        request = self.client.session.msg(
            "execute_request",
            {"code": "%help", "silent": False, "store_history": False},
            metadata={"cellId": "the last", "deletedCells": [*self._used]},
        )
        self.client.shell_channel.send(request)
        self.finish(request["header"]["msg_id"])
        self._used = {"the last"}

    def start(
        self,
        code: str,
        cell_id: str | None = None,
        deleted: Sequence[str] = (),
        metadata: dict[str, Any] | None = None,
        **content: Any,
    ) -> str:
        """Send an `execute_request` as JupyterLab does, and return its id.

        Args:
            metadata: Of the cell.
        """
        fields = {"code": code, "silent": False, "store_history": True, "user_expressions": {}}
        fields |= {"allow_stdin": False, "stop_on_error": True, **content}
        metadata = dict(metadata or {})
        metadata |= {"cellId": cell_id, "deletedCells": [*deleted]} if cell_id else {}
        self._used.update([cell_id] if cell_id else [])
        message = self.client.session.msg("execute_request", fields, metadata=metadata)
        self.client.shell_channel.send(message)
        request: str = message["header"]["msg_id"]
        return request

    def finish(
        self, request: str, on_message: Callable[[Message], None] = lambda _: None
    ) -> tuple[Message, list[Message]]:
        """The reply to a request and what it put on iopub, up to `idle`.

        Args:
            on_message: Called with each message on iopub as it comes.
        """
        seen = []
        while True:
            message = self.client.get_iopub_msg(timeout=300)
            on_message(message)
            if message["parent_header"].get("msg_id") != request:
                continue
            seen.append(message)
            if message["content"].get("execution_state") == "idle":
                break
        while True:
            reply = self.client.get_shell_msg(timeout=300)
            if reply["parent_header"].get("msg_id") == request:
                return reply["content"], seen

    def run(
        self, code: str, cell_id: str | None = None, **content: Any
    ) -> tuple[Message, list[Message]]:
        return self.finish(self.start(code, cell_id, **content))


def until_shown(kernel: KernelClient, words: str) -> None:
    """Wait until a turn on iopub holds the words; what the server sent has then arrived."""
    while True:
        data = kernel.client.get_iopub_msg(timeout=300)["content"].get("data", {})
        if TURN_MIME in data and _holds(data[TURN_MIME], words):
            return


def _holds(turn: dict[str, Any], words: str) -> bool:
    return words in "".join(
        block.get("text", "") + block.get("arguments", "") for block in turn["blocks"]
    )


class FakePage:
    """The page's side of the comm: it shows the cells that a test gives it and follows turns.

    Hand it each message on iopub (`take`); what it says itself goes out by `say`.
    """

    def __init__(self, kernel: KernelClient, cells: list[dict[str, Any]]) -> None:
        self.cells = cells
        self.metadata: dict[str, Any] = {}
        """The notebook's."""
        self.asked: list[Message] = []
        """The `cells.get` that it was sent."""
        self.received: list[Message] = []
        """All else."""
        self.turns: dict[str, Any] = {}
        """The turns as it knows them, by display id."""
        self.decide: Callable[[Message], Message | None] = lambda question: None
        """Gives the keys of the answer to an `approval.ask`; None leaves it open."""
        self.change: Callable[[Message], str] = self._apply_change
        """Gives the problem of a `cells.change`; empty where the change is made."""
        self._kernel = kernel
        self._seqs: dict[str, int] = {}
        self.comm_id = uuid.uuid4().hex
        self._send("comm_open", {"target_name": "msgbook", "data": {}})

    def close(self) -> None:
        """Leave, as a tab does that is closed: the kernel has nobody to ask then."""
        self._send("comm_close", {"data": {}})

    def say(self, **data: Any) -> None:
        """Send a message to the kernel."""
        self._send("comm_msg", {"data": data})

    def take(self, message: Message) -> None:
        """Do what a page does with a message on its comm; other messages are not for it."""
        content = message["content"]
        if message["msg_type"] != "comm_msg" or content["comm_id"] != self.comm_id:
            return
        data = content["data"]
        if data["type"] == "cells.get":
            self._show_cells(data)
            return
        self.received.append(data)
        if data["type"] == "turn" and data["turn"] is not None:
            self.turns[data["display_id"]] = data["turn"]
            self._seqs[data["display_id"]] = data["seq"]
        elif data["type"] == "turn.delta" and data["display_id"] in self.turns:
            self._apply(data)
        elif data["type"] == "cells.change":
            problem = self.change(data["change"])
            self.say(type="cells.changed", request_id=data["request_id"], problem=problem)
        elif data["type"] == "approval.ask":
            answer = self.decide(data)
            if answer is not None:
                self.say(type="approval.answer", request_id=data["request_id"], **answer)

    def got(self, kind: str) -> list[Message]:
        """The messages of a type that it was sent."""
        return [data for data in self.received if data["type"] == kind]

    def wait_for(self, kind: str) -> Message:
        """Take messages until one of that type has come, and return it."""
        before = len(self.got(kind))
        while len(self.got(kind)) == before:
            self.take(self._kernel.client.get_iopub_msg(timeout=300))
        return self.got(kind)[-1]

    def until_shown(self, words: str) -> None:
        """Take messages until one of its turns holds the words."""
        while not any(_holds(turn, words) for turn in self.turns.values()):
            self.take(self._kernel.client.get_iopub_msg(timeout=300))

    def _apply_change(self, change: Message) -> str:
        """Change the cells as a page does."""
        places = {cell["id"]: place for place, cell in enumerate(self.cells)}
        if change["kind"] == "insert":
            place = 0 if change["after"] is None else places[change["after"]] + 1
            self.cells.insert(place, {**change["cell"], "metadata": {}, "outputs": []})
            return ""
        cell = self.cells[places[change["cell_id"]]]
        if cell["source"] != change["before"]:
            return "changed"
        if change["kind"] == "edit":
            cell["source"] = change["after"]
        else:
            cell |= {key: change[key] for key in ("outputs", "execution_count")}
        return ""

    def _apply(self, data: Message) -> None:
        display_id = data["display_id"]
        assert data["seq"] == self._seqs[display_id] + 1
        self.turns[display_id] = apply(self.turns[display_id], data["ops"])
        self._seqs[display_id] = data["seq"]

    def _show_cells(self, data: Message) -> None:
        self.asked.append(data)
        ids = [cell["id"] for cell in self.cells]
        found = self.cells if data["cell_id"] is None else None
        if data["cell_id"] in ids:
            found = self.cells[: ids.index(data["cell_id"]) + 1]
        answer = {"request_id": data["request_id"], "cells": found, "metadata": self.metadata}
        self.say(type="cells", **answer)

    def _send(self, msg_type: str, content: dict[str, Any]) -> None:
        session = self._kernel.client.session
        message = session.msg(msg_type, {"comm_id": self.comm_id, **content})
        self._kernel.client.shell_channel.send(message)
