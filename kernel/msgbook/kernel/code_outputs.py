"""What code cells put out, as a notebook would save it, for clients that do not show theirs."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any
from weakref import WeakValueDictionary

from jupyter_client.session import Session

from msgbook.images import OUTPUT_IMAGE_TYPES
from msgbook.notebook.cells import SENT_TEXTS

CELL_CHARACTERS = 20_000_000
"""Of one cell, its pictures in base64 too; of a display that is too much the types alone are kept."""

STREAM_CHARACTERS = 2_000_000
"""Of one stream, or one error: its head and its tail. A model is sent a fraction of it."""

OUTPUTS = 5_000
"""Of one cell."""

_JSON = "application/json"


class ListeningSession(Session):
    """A Jupyter session that tells what it sends to `heard`, on whatever thread it is sent."""

    outputs: CellsOutputs | None = None

    def send(self, *arguments: Any, **named: Any) -> dict[str, Any] | None:
        sent: dict[str, Any] | None = super().send(*arguments, **named)
        if self.outputs is not None and sent is not None:
            self.outputs.heard(sent)
        return sent


class CellsOutputs:
    """The outputs of the cells that are remembered: kept as long as somebody else holds them.

    Safe to use from any thread.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._cells: WeakValueDictionary[str, CellOutputs] = WeakValueDictionary()

    def begin(self, request: str) -> CellOutputs:
        """What the cell of a request puts out from now on.

        Args:
            request: The message's id.
        """
        cell = CellOutputs(self._lock)
        with self._lock:
            self._cells[request] = cell
        return cell

    def heard(self, message: Mapping[str, Any]) -> None:
        """Take in a message that was sent, if it is an output of such a cell."""
        kind, content = message["header"]["msg_type"], message["content"]
        if kind not in _OUTPUTS or not isinstance(content, dict):
            return
        transient = content.get("transient")
        display = str(transient.get("display_id", "")) if isinstance(transient, dict) else ""
        with self._lock:
            if display:
                # It may stand in any cell, several times; one that comes again updates them all.
                for shown in list(self._cells.values()):
                    shown.update(display, content)
            cell = self._cells.get(message["parent_header"].get("msg_id"))
            if cell is not None and kind != "update_display_data":
                cell.take(kind, content, display)


_OUTPUTS = {
    *("stream", "display_data", "update_display_data"),
    *("execute_result", "error", "clear_output"),
}


class CellOutputs:
    """What one cell has put out: of a bundle what a model could be sent of it."""

    def __init__(self, lock: threading.RLock) -> None:
        self._lock = lock
        self._outputs: list[dict[str, Any]] = []
        self._pieces: list[str] = []
        """What comes behind the text of the last output, a stream."""
        self._displays: dict[str, list[dict[str, Any]]] = {}
        self._pending = 0
        """Characters of the pieces."""
        self._clears = False
        self._is_full = False
        self.size = 0
        """Characters that are held."""

    @property
    def outputs(self) -> list[dict[str, Any]]:
        """As in nbformat."""
        with self._lock:
            self._join()
            return [dict(output) for output in self._outputs]

    def take(self, kind: str, content: Mapping[str, Any], display: str = "") -> None:
        """Take in an output."""
        if kind == "clear_output":
            self._clears = True
        if self._clears and not content.get("wait"):
            self._outputs, self._pieces, self._displays = [], [], {}
            self._pending, self.size, self._clears, self._is_full = 0, 0, False, False
        if kind == "clear_output":
            return
        if kind == "stream":
            self._write(str(content.get("name")), str(content.get("text", "")))
            return
        if not self._has_room():
            return
        output = self._made(kind, content)
        self._outputs.append(output)
        self.size += _size(output)
        if display:
            self._displays.setdefault(display, []).append(output)

    def update(self, display: str, content: Mapping[str, Any]) -> None:
        """Replace what is shown under a display id."""
        for output in self._displays.get(display, ()):
            self.size -= _size(output)
            made = self._made(output["output_type"], content)
            output.update(data=made["data"], metadata=made["metadata"])
            self.size += _size(output)

    def _write(self, name: str, text: str) -> None:
        last = self._outputs[-1] if self._outputs else {}
        if last.get("output_type") != "stream" or last["name"] != name:
            if not self._has_room():
                return
            self._outputs.append({"output_type": "stream", "name": name, "text": ""})
        self._pieces.append(text)
        self._pending += len(text)
        self.size += len(text)
        if self._pending > STREAM_CHARACTERS:
            self._join()

    def _has_room(self) -> bool:
        """Whether one more output can be kept; ends the one before."""
        self._join()
        too_much = len(self._outputs) >= OUTPUTS or self.size > CELL_CHARACTERS
        if too_much and not self._is_full:
            note = {"output_type": "stream", "name": "", "text": "[What follows is not kept.]\n"}
            self._outputs.append(note)
            self._is_full = True
        return not self._is_full

    def _join(self) -> None:
        """Put the last stream together, and leave out its middle where it is long."""
        if self._pieces:
            stream = self._outputs[-1]
            text = "".join([stream["text"], *self._pieces])
            self._pieces, self._pending = [], 0
            stream["text"] = shorter = _head_and_tail(text)
            self.size -= len(text) - len(shorter)

    def _made(self, kind: str, content: Mapping[str, Any]) -> dict[str, Any]:
        if kind == "error":
            words = {key: _head_and_tail(str(content.get(key, ""))) for key in ("ename", "evalue")}
            lines = content.get("traceback")
            text = "\n".join(map(str, lines)) if isinstance(lines, list) else ""
            traceback = _head_and_tail(text).split("\n") if text else []
            return {"output_type": kind, **words, "traceback": traceback}
        data, metadata = content.get("data"), content.get("metadata")
        ours = metadata.get("msgbook") if isinstance(metadata, dict) else None
        return {
            "output_type": kind,
            "data": self._kept(data if isinstance(data, dict) else {}),
            "metadata": {"msgbook": ours} if isinstance(ours, dict) else {},
        }

    def _kept(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """The first of the texts of a bundle, its pictures and its JSON; of all else the type."""
        kept: dict[str, Any] = dict.fromkeys(map(str, data), "")
        text = next((mime for mime in SENT_TEXTS if data.get(mime)), "")
        for mime in (text, *OUTPUT_IMAGE_TYPES, _JSON):
            value = data.get(mime)
            if mime in data and self.size + len(str(value)) <= CELL_CHARACTERS:
                kept[mime] = value
        return kept


def _head_and_tail(text: str) -> str:
    if len(text) <= STREAM_CHARACTERS:
        return text
    half = STREAM_CHARACTERS // 2
    return f"{text[:half]}\n[... the middle is not kept ...]\n{text[-half:]}"


def _size(output: Mapping[str, Any]) -> int:
    if output["output_type"] == "error":
        return sum(map(len, (output["ename"], output["evalue"], *output["traceback"])))
    return sum(len(str(value)) for value in output["data"].values())
