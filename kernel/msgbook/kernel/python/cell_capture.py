"""Output of a cell that a tool runs, collected for the model and, as a notebook saves it, for the cell."""

from __future__ import annotations

import base64
import json
from codecs import getincrementaldecoder
from collections.abc import Callable
from typing import Any

from msgbook.kernel.python.capture import Capture
from msgbook.text import counted, repair_surrogates
from msgbook_format.jsontext import finite

OUTPUTS_LIMIT = 2_000_000
"""Characters of the outputs as JSON that reach a page: gateways close a connection on a message of several megabytes."""

_LEFT_OUT = "[{} of output more: run the cell yourself to see all of it]\n"


class CellCapture(Capture):
    """Also keeps the outputs as in nbformat, with a limit on memory."""

    is_cell = True

    def __init__(self, show: Callable[[str], None]) -> None:
        super().__init__(show)
        self._outputs: list[dict[str, Any]] = []
        self._named: dict[str, dict[str, Any]] = {}
        self._size = 0
        self._dropped = 0
        self._clears = False
        self._decoder = getincrementaldecoder("utf-8")("replace")

    def write(self, text: str | bytes, name: str = "stdout") -> None:
        """Add printed text to the stream of that name."""
        with self._lock:
            super().write(text, name)
            words = self._decoder.decode(text) if isinstance(text, bytes) else text
            last = self._outputs[-1] if self._outputs and not self._clears else {}
            if last.get("name") == name and self._takes(len(words)):
                last["text"] += words
            elif words and last.get("name") != name:
                self._add({"output_type": "stream", "name": name, "text": words})

    def display(
        self,
        data: dict[str, Any],
        transient: dict[str, Any] | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> None:
        """Add a MIME bundle, or replace the one with its display id."""
        with self._lock:
            super().display(data, transient, metadata)
            name = str((transient or {}).get("display_id") or "")
            bundle = {"data": _cleaned(data), "metadata": _cleaned(metadata or {})}
            shown = None if self._clears else self._named.get(name)
            if shown is None:
                self._add_display(bundle, name)
            elif self._takes(_size(bundle)):
                shown.update(bundle)

    def result(self, data: dict[str, Any], metadata: dict[str, Any]) -> None:
        """Add the value of the last expression."""
        with self._lock:
            super().display(data, None, metadata)
            bundle = {"data": _cleaned(data), "metadata": _cleaned(metadata)}
            self._add({"output_type": "execute_result", **bundle})

    def fail(self, kind: type[BaseException], value: BaseException, lines: list[str]) -> None:
        """Add an error, given the lines of its traceback."""
        with self._lock:
            super().write("\n".join(lines) + "\n")
            named = {"ename": kind.__name__, "evalue": str(value), "traceback": lines}
            self._add({"output_type": "error", **_cleaned(named)})

    def clear(self, *, wait: bool) -> None:
        """Remove the outputs of the cell, now or with the next one. The model keeps them."""
        with self._lock:
            self._clears = wait
            if not wait:
                self._outputs, self._named = [], {}
                self._size = self._dropped = 0

    def outputs(self, count: int) -> list[dict[str, Any]]:
        """Return the outputs of the cell.

        Args:
            count: Its execution count.
        """
        with self._lock:
            found = [
                {**output, "execution_count": count}
                if output["output_type"] == "execute_result"
                else output
                for output in self._outputs
            ]
        if self._dropped:
            note = _LEFT_OUT.format(counted(self._dropped, "character"))
            found.append({"output_type": "stream", "name": "stderr", "text": note})
        return found

    def _add_display(self, bundle: dict[str, Any], name: str) -> None:
        output = {"output_type": "display_data", **bundle}
        if self._add(output) and name:
            self._named[name] = output

    def _add(self, output: dict[str, Any]) -> bool:
        """Add an output, and return whether there was room for it."""
        if self._clears:
            self.clear(wait=False)
        fits = self._takes(_size(output))
        if fits:
            self._outputs.append(output)
        return fits

    def _takes(self, size: int) -> bool:
        """Return whether there is room for so many characters."""
        if self._size + size > OUTPUTS_LIMIT:
            self._dropped += size
            return False
        self._size += size
        return True


def _cleaned(value: dict[str, Any]) -> dict[str, Any]:
    """Return a value of any code as JSON."""
    text = json.dumps(value, ensure_ascii=False, default=_spelled, skipkeys=True)
    found: dict[str, Any] = finite(json.loads(repair_surrogates(text)))
    return found


def _spelled(value: Any) -> str:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else repr(value)


def _size(output: dict[str, Any]) -> int:
    return len(json.dumps(output, ensure_ascii=False))
