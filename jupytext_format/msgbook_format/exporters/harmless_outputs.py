"""The outputs of a cell as a page may show them: nothing in them runs, loads or pretends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgbook_format.exporters.sanitize import sanitize_html
from msgbook_format.exporters.untyped_values import RASTER, base64_of, dict_of, text_of
from msgbook_format.turn import safe_image, safe_markdown, to_markdown, turn_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from msgbook_format.turn import Turn

Json = dict[str, Any]

ANSWER = "msgbook_answer"
"""Output metadata of a turn: who answered, with what and how long."""

_TEMPLATE_SHOWS = ("image/svg+xml", "text/latex", "text/plain")
_YEAR = 366 * 86400
"""In seconds."""


def presentable_outputs(outputs: Any) -> Iterator[Json]:
    """The outputs of a cell, harmless; an error that the answer before it tells is left out."""
    told: Turn | None = None
    for output in outputs if isinstance(outputs, list) else []:
        if not isinstance(output, dict):
            continue
        turn = turn_of(output)
        kind = output.get("output_type")
        if turn is not None:
            told = turn
            yield _turn(turn)
        elif kind == "stream":
            name = "stderr" if output.get("name") == "stderr" else "stdout"
            yield {"output_type": "stream", "name": name, "text": text_of(output.get("text"))}
        elif kind == "error":
            if not (told and _is_told(told, output)):
                yield _error(output)
        else:
            yield _display(output)


def _turn(turn: Turn) -> Json:
    # A saved `running` means that the kernel died while it answered.
    settled: Turn = {**turn, "status": "interrupted"} if turn["status"] == "running" else turn
    words = [text_of(turn.get("agent")), text_of(turn.get("model"))]
    words.append(_seconds(turn.get("duration")))
    answer = " · ".join(word for word in words if word)[:200]
    return _display_data({"text/markdown": to_markdown(settled)}, {ANSWER: answer})


def _seconds(duration: Any) -> str:
    """A duration in words; nothing for what is no duration, or longer than a turn can take."""
    known = isinstance(duration, int | float) and 0 <= duration < _YEAR
    return f"{duration:.1f} s" if known else ""


def _is_told(turn: Turn, error: Mapping[str, Any]) -> bool:
    """Whether the turn says already what an error output beside it says."""
    name, message = error.get("ename"), error.get("evalue")
    if name == "KeyboardInterrupt":
        return turn["status"] == "interrupted"
    return any(
        block["type"] == "error" and (block.get("name"), block.get("message")) == (name, message)
        for block in turn["blocks"]
    )


def _error(output: Mapping[str, Any]) -> Json:
    name, message = text_of(output.get("ename")), text_of(output.get("evalue"))
    traceback = output.get("traceback")
    lines = [text_of(line) for line in traceback] if isinstance(traceback, list) else []
    shown = {"ename": name, "evalue": message, "traceback": lines or [f"{name}: {message}"]}
    return {"output_type": "error", **shown}


def _display(output: Mapping[str, Any]) -> Json:
    found = dict_of(output.get("data"))
    data: dict[str, str] = {}
    for mime, value in found.items():
        if mime == "text/html" and (html := sanitize_html(text_of(value))):
            data[mime] = html
        elif mime == "text/markdown":
            data[mime] = safe_markdown(text_of(value))
        elif mime in RASTER and (picture := base64_of(value)):
            data["text/markdown"] = safe_image("output", f"data:{mime};base64,{picture}")
        elif mime in _TEMPLATE_SHOWS:
            data[mime] = text_of(value)
    if not data:
        kinds = ", ".join(sorted(map(str, found))) or "no type"
        data["text/plain"] = f"(an output of {kinds} is not shown here)"
    return _display_data(data, {})


def _display_data(data: Json, metadata: Json) -> Json:
    return {"output_type": "display_data", "data": data, "metadata": metadata}
