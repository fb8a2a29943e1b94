"""The outputs of code cells, recorded as a notebook saves them.

They are sent to models where neither a page nor a file shows them.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any
from weakref import WeakValueDictionary

from msgbook.images import OUTPUT_IMAGE_TYPES
from msgbook.notebook import HTML, SENT_TEXTS, is_bare
from msgbook_format.typed import as_dict, as_list

CELL_CHARACTERS = 20_000_000
"""Limit for one cell, with images in base64. A larger display keeps only its MIME types."""

STREAM_CHARACTERS = 2_000_000
"""Limit for one stream or error, of which head and tail are kept. A model gets a fraction of it."""

OUTPUTS = 5_000
"""Limit for one cell: a loop that displays may make any number."""

_JSON = "application/json"


class OutputRecorder:
    """Records the outputs of running code cells. Safe to use from any thread.

    It holds a cell's outputs by a weak reference: they live as long as the caller of `start` keeps
    them.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._cells: WeakValueDictionary[str, CellOutputs] = WeakValueDictionary()

    def start(self, request_id: str) -> CellOutputs:
        """Return a record of the outputs of a request's cell from now on.

        Args:
            request_id: Id of the `execute_request`.
        """
        cell = CellOutputs(self._lock)
        with self._lock:
            self._cells[request_id] = cell
        return cell

    def record(self, message: Mapping[str, Any]) -> None:
        """Record a message if it is an output of one of the cells."""
        kind, content = message["header"]["msg_type"], message["content"]
        if kind not in _OUTPUTS or not isinstance(content, dict):
            return
        display = str(as_dict(content.get("transient")).get("display_id", ""))
        with self._lock:
            if display:
                # Any cell may show a display, even several times; all of them are updated.
                for shown in list(self._cells.values()):
                    shown.update(display, content)
            cell = self._cells.get(message["parent_header"].get("msg_id"))
            if cell is not None and kind != "update_display_data":
                cell.add(kind, content, display)


_OUTPUTS = {
    "stream",
    "display_data",
    "update_display_data",
    "execute_result",
    "error",
    "clear_output",
}


class CellOutputs:
    """Outputs of one cell. Of a MIME bundle, what could be sent to a model is kept."""

    def __init__(self, lock: threading.RLock) -> None:
        self._lock = lock
        self._outputs: list[dict[str, Any]] = []
        self._pieces: list[str] = []
        """Text to append to the last output, a stream."""
        self._displays: dict[str, list[dict[str, Any]]] = {}
        self._pending = 0
        """Number of characters in the pieces."""
        self._clears = False
        self._is_full = False
        self.size = 0
        """Number of characters that are kept."""

    @property
    def outputs(self) -> list[dict[str, Any]]:
        """The outputs, as in nbformat."""
        with self._lock:
            self._join()
            return [dict(output) for output in self._outputs]

    def add(self, kind: str, content: Mapping[str, Any], display: str = "") -> None:
        """Add an output, or clear the outputs.

        Args:
            display: Its display id; empty for none.
        """
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
        output = self._output(kind, content)
        self._outputs.append(output)
        self.size += _size(output)
        if display:
            self._displays.setdefault(display, []).append(output)

    def update(self, display: str, content: Mapping[str, Any]) -> None:
        """Replace the outputs with a display id."""
        for output in self._displays.get(display, ()):
            self.size -= _size(output)
            made = self._output(output["output_type"], content)
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
        """End the last output, and return whether another one can be kept."""
        self._join()
        too_much = len(self._outputs) >= OUTPUTS or self.size > CELL_CHARACTERS
        if too_much and not self._is_full:
            note = {"output_type": "stream", "name": "", "text": "[What follows is not kept.]\n"}
            self._outputs.append(note)
            self._is_full = True
        return not self._is_full

    def _join(self) -> None:
        """Join the last stream, and leave out its middle if it is too long."""
        if self._pieces:
            stream = self._outputs[-1]
            text = "".join([stream["text"], *self._pieces])
            self._pieces, self._pending = [], 0
            stream["text"] = shorter = _head_and_tail(text)
            self.size -= len(text) - len(shorter)

    def _output(self, kind: str, content: Mapping[str, Any]) -> dict[str, Any]:
        if kind == "error":
            words = {key: _head_and_tail(str(content.get(key, ""))) for key in ("ename", "evalue")}
            text = "\n".join(map(str, as_list(content.get("traceback"))))
            traceback = _head_and_tail(text).split("\n") if text else []
            return {"output_type": kind, **words, "traceback": traceback}
        data, metadata = content.get("data"), content.get("metadata")
        ours = as_dict(metadata).get("msgbook")
        return {
            "output_type": kind,
            "data": self._kept_data(as_dict(data)),
            "metadata": {"msgbook": ours} if isinstance(ours, dict) else {},
        }

    def _kept_data(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return a bundle with its first text, or HTML that says more, its images and its JSON; of all else only the type."""
        kept: dict[str, Any] = dict.fromkeys(map(str, data), "")
        text = next((mime for mime in SENT_TEXTS if data.get(mime)), "")
        html = [HTML] if is_bare(str(data.get(text, ""))) else []
        for mime in (text, *html, *OUTPUT_IMAGE_TYPES, _JSON):
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
