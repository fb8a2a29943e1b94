"""Errors as output cells, and back."""

from __future__ import annotations

from typing import Any

from msgbook_format import jsontext
from msgbook_format.syntax.attribute_reader import AttributeReader
from msgbook_format.syntax.attributes import Attributes
from msgbook_format.syntax.text_cell import TextCell

_ERROR_FIELDS = {"output_type", "ename", "evalue", "traceback"}


def write_error(output: dict[str, Any], lang: str) -> list[TextCell] | None:
    """Return the output cell of an error; None for any other output."""
    traceback = output.get("traceback")
    if output.get("output_type") != "error" or output.keys() != _ERROR_FIELDS:
        return None
    if not isinstance(traceback, list) or not all(isinstance(entry, str) for entry in traceback):
        return None
    if not isinstance(output["ename"], str) or not isinstance(output["evalue"], str):
        return None
    body = "\n".join(traceback)
    if jsontext.needs_json(body):
        return None
    attributes: Attributes = [("output", "error"), ("status", "error")]
    attributes += [("ename", output["ename"]), ("evalue", output["evalue"])]
    if _split_traceback(body, None) != traceback:
        counts = ",".join(str(entry.count("\n") + 1) for entry in traceback)
        attributes.append(("tb", counts or "0"))
    return [TextCell(type="error" if lang == "code" else lang, attributes=attributes, body=body)]


def read_error(output_cell: TextCell, attributes: AttributeReader) -> dict[str, Any]:
    """Return the error in an output cell."""
    return {
        "output_type": "error",
        "ename": attributes.take("ename") or "",
        "evalue": attributes.take("evalue") or "",
        "traceback": _split_traceback(output_cell.body, attributes.take("tb")),
    }


def _split_traceback(body: str, counts: str | None) -> list[str]:
    """Return the entries of a traceback; `counts` are their numbers of lines, None for one entry."""
    if counts is None:
        return [body] if body else []
    lines = body.split("\n")
    entries = []
    position = 0
    for count in counts.split(","):
        size = read_number(count, 0) or 0
        if size > 0 and position < len(lines):
            entries.append("\n".join(lines[position : position + size]))
            position += size
    if position < len(lines) and body:
        entries.append("\n".join(lines[position:]))
    return entries


def read_number(text: str | None, default: int | None) -> int | None:
    """Return the whole number in `text`; `default` without one."""
    if text is None:
        return default
    try:
        value = jsontext.loads(text)
    except ValueError:
        return default
    return value if type(value) is int or value is None else default
