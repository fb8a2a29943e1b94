"""Output of a tool's Python, collected as the result that a model gets."""

from __future__ import annotations

import base64
import json
import threading
from codecs import getincrementaldecoder
from collections.abc import Callable
from typing import Any

from msgbook.images import MAX_IMAGES, OUTPUT_IMAGE_TYPES
from msgbook.messages import content_text
from msgbook.text import counted, repair_surrogates
from msgbook.tools import START_LIMIT, Content, Output, TerminalText, rich_data
from msgbook_format.jsontext import finite

MAX_IMAGE_SIZE = 10_000_000
"""Characters of an image in base64."""


class Capture:
    """Collects text and images in their order, with a limit on memory.

    `write` and `display` are safe from any thread; all else belongs to the event loop's thread.

    Args:
        show: Shows a further piece of text; only `flush` calls it.
    """

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._lock = threading.RLock()
        self._parts: list[Output | str | dict[str, Any]] = []
        self._displays: dict[str, int] = {}
        self._rich: dict[int, dict[str, Any]] = {}
        """What a page draws of a part, by its index."""
        self._left = START_LIMIT
        self._images = 0
        self._closed = False
        self._shown = 0
        """Number of parts that are shown and no longer change."""

    is_cell = False
    """Whether the code is that of a cell, whose values have a number."""

    def write(self, text: str | bytes, name: str = "stdout") -> None:
        """Add printed text.

        Args:
            name: Of the stream.
        """
        with self._lock:
            if self._closed:
                return  # written by a thread or a process that did not stop
            self._left -= len(text)
            if not self._parts or not isinstance(self._parts[-1], Output):
                self._parts.append(Output(self._show, max(self._left, 0)))
            self._parts[-1].feed(text)  # type: ignore[union-attr]  # made above

    def display(
        self,
        data: dict[str, Any],
        transient: dict[str, Any] | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> None:
        """Add a MIME bundle, or replace the one with its display id."""
        part, rich = self._part_of(data), rich_data(data)
        name = (transient or {}).get("display_id")
        with self._lock:
            self._left -= len(part)
            if self._left < 0:
                return
            if name in self._displays:
                self._parts[self._displays[name]] = part
                self._rich[self._displays[name]] = rich
                return
            if name is not None:
                self._displays[name] = len(self._parts)
            self._rich[len(self._parts)] = rich
            self._parts.append(part)

    def result(self, data: dict[str, Any], metadata: dict[str, Any]) -> None:
        """Add the value of the last expression."""
        self.display(data, None, metadata)

    def fail(self, kind: type[BaseException], value: BaseException, lines: list[str]) -> None:
        """Add an error, given the lines of its traceback."""
        self.write("\n".join(lines) + "\n")

    def clear(self, *, wait: bool) -> None:
        """Keep everything: what the code showed is part of the result."""

    def draw(self, data: dict[str, Any]) -> None:
        """Add a MIME bundle that a page draws, of a value whose text is not part of the output."""
        with self._lock:
            self._rich[len(self._parts)] = rich_data(data)

    def flush(self) -> None:
        """Show the text that has not been shown."""
        with self._lock:
            last = None
            for last in self._parts[self._shown :]:
                match last:
                    case Output():
                        last.flush()
                    case str():
                        self._show(f"{last}\n")
            self._shown = len(self._parts) - isinstance(last, Output)

    @property
    def has_images(self) -> bool:
        return self._images > 0

    def content(self) -> Content:
        """End the capture and return the result; empty text if there was no output."""
        with self._lock:
            self._closed = True
        found: list[dict[str, Any]] = []
        for part in self._parts:
            match part:
                case dict():
                    found.append(part)
                    continue
                case Output():
                    part.finish()
                    text = part.text()
                case str():
                    text = part
            if found and found[-1]["type"] == "text":
                found[-1]["text"] = found[-1]["text"].removesuffix("\n") + "\n" + text
            else:
                found.append({"type": "text", "text": text})
        if len(found) == 1 and found[0]["type"] == "text":
            return str(found[0]["text"])
        return found or ""

    def displays(self) -> list[dict[str, Any]]:
        """Return what a page draws of the output, in its order."""
        with self._lock:
            return [rich for _, rich in sorted(self._rich.items()) if rich]

    def text(self) -> str:
        """End the capture and return the text of the result."""
        return content_text(self.content())

    def _part_of(self, data: dict[str, Any]) -> str | dict[str, Any]:
        for mime in OUTPUT_IMAGE_TYPES:
            if mime in data:
                return self._image(mime, data[mime])
        plain = data.get("text/markdown") or data.get("text/plain")
        if plain is None:
            return f"({', '.join(data)})"
        terminal = TerminalText()
        return terminal.feed(str(plain)) + terminal.finish()

    def _image(self, mime: str, image: Any) -> str | dict[str, Any]:
        encoded = base64.b64encode(image).decode() if isinstance(image, bytes) else str(image)
        encoded = "".join(encoded.split())
        if len(encoded) > MAX_IMAGE_SIZE:
            return f"(an image of {len(encoded)} characters in base64 is too large)"
        self._images += 1
        if self._images > MAX_IMAGES:
            return f"(image {self._images} is not kept)"
        return {"type": "image_url", "image_url": {"url": f"data:{mime};base64,{encoded}"}}


# Output of a cell that a tool runs, collected for the model and, as a notebook saves it, for the cell.


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
