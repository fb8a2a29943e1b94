"""Outputs of a cell that are safe in a page: nothing in them runs, loads or imitates the page."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from msgbook_format.exporters.sanitize import sanitize_html
from msgbook_format.exporters.untyped_values import RASTER, as_base64, as_text
from msgbook_format.metadata import as_dict
from msgbook_format.turn import model_words, safe_image, safe_markdown, to_markdown, turn_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from msgbook_format.turn import Turn

Json = dict[str, Any]
Write = Callable[[str], str]

ANSWER = "msgbook_answer"
"""Key of a turn's output metadata: agent, model and duration, as one text."""

_TEMPLATE_SHOWS = ("image/svg+xml", "text/plain")
_TAG = re.compile(r"<[^<>]*+>")
_MAX_DURATION = 366 * 86400
"""Seconds; a longer duration is not shown."""


def build_harmless_outputs(outputs: Any, write: Write = safe_markdown) -> Iterator[Json]:
    """Yield the outputs of a cell, made harmless, without errors that the turn above them shows.

    `write` returns what stands for a text of Markdown.
    """
    turn_above: Turn | None = None
    for output in outputs if isinstance(outputs, list) else []:
        if not isinstance(output, dict):
            continue
        turn = turn_of(output)
        kind = output.get("output_type")
        if turn is not None:
            turn_above = turn
            yield _turn(turn, write)
        elif kind == "stream":
            name = "stderr" if output.get("name") == "stderr" else "stdout"
            yield {"output_type": "stream", "name": name, "text": as_text(output.get("text"))}
        elif kind == "error":
            if not (turn_above and _repeats_turn(turn_above, output)):
                yield _error(output)
        else:
            yield _display(output, write)


def _turn(turn: Turn, write: Write) -> Json:
    # A saved `running` means that the kernel died during the turn.
    settled: Turn = {**turn, "status": "interrupted"} if turn["status"] == "running" else turn
    words = [as_text(turn.get("agent")), model_words(turn)]
    words.append(_seconds(turn.get("duration")))
    answer = " · ".join(word for word in words if word)[:200]
    return _display_data(
        {"text/markdown": to_markdown(settled, None if write is safe_markdown else write)},
        {ANSWER: answer},
    )


def _seconds(duration: Any) -> str:
    """Return a duration for reading; empty for anything else and for more than a turn can take."""
    known = isinstance(duration, int | float) and 0 <= duration < _MAX_DURATION
    return f"{duration:.1f} s" if known else ""


def _repeats_turn(turn: Turn, error: Mapping[str, Any]) -> bool:
    """Return whether the turn already shows the error output beside it."""
    name, message = error.get("ename"), error.get("evalue")
    if name == "KeyboardInterrupt":
        return turn["status"] == "interrupted"
    return any(
        block["type"] == "error" and (block.get("name"), block.get("message")) == (name, message)
        for block in turn["blocks"]
    )


def _error(output: Mapping[str, Any]) -> Json:
    name, message = as_text(output.get("ename")), as_text(output.get("evalue"))
    traceback = output.get("traceback")
    lines = [as_text(line) for line in traceback] if isinstance(traceback, list) else []
    shown = {"ename": name, "evalue": message, "traceback": lines or [f"{name}: {message}"]}
    return {"output_type": "error", **shown}


def _display(output: Mapping[str, Any], write: Write) -> Json:
    found = as_dict(output.get("data"))
    data: dict[str, str] = {}
    for mime, value in found.items():
        if mime == "text/html":
            # What a script would draw leaves empty elements.
            if (html := sanitize_html(as_text(value))) and _TAG.sub("", html).strip():
                data[mime] = html
        elif mime == "text/markdown" or (mime == "text/latex" and "text/markdown" not in found):
            data["text/markdown"] = write(as_text(value))
        elif mime in RASTER and (picture := as_base64(value)):
            data["text/markdown"] = safe_image("output", f"data:{mime};base64,{picture}")
        elif mime in _TEMPLATE_SHOWS:
            data[mime] = as_text(value)
    lost = sorted(str(mime) for mime in found if mime not in data and mime not in RASTER)
    if not data or (lost and data.keys() == {"text/plain"}):
        words = f"(an output of {', '.join(lost) or 'no type'} is not shown here)"
        data["text/plain"] = f"{data.get('text/plain', '')}\n{words}".strip()
    return _display_data(data, {})


def _display_data(data: Json, metadata: Json) -> Json:
    return {"output_type": "display_data", "data": data, "metadata": metadata}
