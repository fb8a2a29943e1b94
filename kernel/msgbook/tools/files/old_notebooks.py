"""Notebooks of format 3, as IPython wrote them until 2015, in the form of format 4. Pure; accepts malformed cells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_TYPES = {
    "text": "text/plain",
    "html": "text/html",
    "svg": "image/svg+xml",
    "png": "image/png",
    "jpeg": "image/jpeg",
    "latex": "text/latex",
    "json": "application/json",
    "javascript": "application/javascript",
}
"""MIME types by the keys of an output."""
_OUTPUTS = {"pyout": "execute_result", "pyerr": "error"}


def as_format_4(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return what is shown of a notebook; one without worksheets has no list of cells."""
    sheets = notebook.get("worksheets")
    if not isinstance(sheets, list):
        return notebook
    return {**notebook, "nbformat": 4, "cells": [*map(_cell, _cells(sheets))]}


def _cells(sheets: list[Any]) -> Iterator[dict[str, Any]]:
    for sheet in sheets:
        cells = sheet.get("cells") if isinstance(sheet, dict) else None
        yield from (
            (cell for cell in cells if isinstance(cell, dict)) if isinstance(cells, list) else ()
        )


def _cell(cell: dict[str, Any]) -> dict[str, Any]:
    source = cell.get("input", cell.get("source"))
    if cell.get("cell_type") == "heading":
        level = cell.get("level")
        marks = "#" * (level if type(level) is int and 0 < level < 7 else 1)
        text = "".join(map(str, source)) if isinstance(source, list) else str(source or "")
        return {"cell_type": "markdown", "source": f"{marks} {text}"}
    outputs = cell.get("outputs")
    found = [o for o in outputs if isinstance(o, dict)] if isinstance(outputs, list) else []
    changed = {
        "source": source,
        "outputs": [*map(_output, found)],
        "execution_count": cell.get("prompt_number"),
    }
    return {**cell, **changed}


def _output(output: dict[str, Any]) -> dict[str, Any]:
    kind = output.get("output_type")
    if kind == "stream":
        return {**output, "name": output.get("stream", "stdout")}
    data = {mime: output[key] for key, mime in _TYPES.items() if key in output}
    kind = _OUTPUTS.get(kind, kind) if isinstance(kind, str) else kind
    return {**output, "output_type": kind, "data": data}
