"""Notebooks as a page sends them: their problems, their formats and what a signature covers."""

from __future__ import annotations

from typing import Any

import nbformat
from nbformat import NotebookNode

from msgbook_format import jsontext
from msgbook_format.jupytext_plugin import FORMAT_NAME
from msgbook_format.turn import without_derived

_MAX_FORMATS_LENGTH = 1000
_OWN_FORMAT = ".msg.md:msg"
_OTHER_SPELLINGS = ("md", "md:msg", ".msg.md", ".msg.auto:msg", "auto:msg")


def find_problem(content: Any) -> str | None:
    """Return why a notebook cannot be saved, as `expected ..., found ...`; None if it can.

    Cells with unusual content can: they are kept unchanged.
    """
    problem = (
        _expect(content, dict, "`content`, a notebook")
        or _expect(content.get("nbformat"), int, "`nbformat`, the number 4")
        or _expect(content.get("nbformat_minor", 0), int, "`nbformat_minor`, a number")
        or _expect(content.get("metadata"), dict, "`metadata`, an object")
        or _expect(content.get("cells"), list, "`cells`, a list")
    )
    if problem is None and content["nbformat"] != 4:
        return f"expected a notebook of nbformat 4, found nbformat {content['nbformat']}"
    return problem or _find_in_metadata(content["metadata"]) or _find_in_cells(content["cells"])


def is_untitled(content: Any) -> bool:
    """Return whether this is the notebook that Jupytext makes for a new file."""
    if not isinstance(content, dict) or content.get("cells") != []:
        return False
    metadata = content.get("metadata")
    return isinstance(metadata, dict) and metadata.keys() == {"jupytext"}


def find_formats(content: Any) -> Any:
    """Return a notebook's `metadata.jupytext.formats`; None without it."""
    node = content
    for key in ("metadata", "jupytext"):
        node = node.get(key) if isinstance(node, dict) else None
    return node.get("formats") if isinstance(node, dict) else None


def spell_own_format(content: dict[str, Any]) -> dict[str, Any]:
    """Return the notebook of a `.msg.md` file with `.msg.md:msg` in its formats; not in place.

    Jupytext's menu looks at the extension alone. It writes `md`, which would be another file.
    """
    jupytext = dict(content["metadata"].get("jupytext", {}))
    formats = jupytext.pop("formats", None)
    if formats:
        names = [name.strip() for name in formats.split(",")]
        names = [_OWN_FORMAT if name in _OTHER_SPELLINGS else name for name in names]
        jupytext["formats"] = ",".join(dict.fromkeys(names))
    return {**content, "metadata": {**content["metadata"], "jupytext": jupytext}}


def with_representation(content: dict[str, Any]) -> dict[str, Any]:
    """Return the notebook of a text with a name of its format for Jupytext; not in place."""
    metadata = dict(content["metadata"])
    jupytext = dict(metadata.get("jupytext", {}))
    jupytext["text_representation"] = {"extension": ".md", "format_name": FORMAT_NAME}
    return {**content, "metadata": {**metadata, "jupytext": jupytext}}


def find_formats_problem(content: Any) -> str | None:
    """Return why the formats of any notebook cannot be saved, likewise; None if they can."""
    formats = find_formats(content)
    what = "`metadata.jupytext.formats`, a text"
    problem = _expect("" if formats is None else formats, str, what)
    if problem is None and formats and len(formats) > _MAX_FORMATS_LENGTH:
        return f"expected {what} of at most {_MAX_FORMATS_LENGTH} characters, found {len(formats)}"
    return problem


def _find_in_metadata(metadata: dict[str, Any]) -> str | None:
    return (
        _expect(metadata.get("msgbook", {}), dict, "`metadata.msgbook`, an object")
        or _expect(metadata.get("jupytext", {}), dict, "`metadata.jupytext`, an object")
        or find_formats_problem({"metadata": metadata})
    )


def _find_in_cells(cells: list[Any]) -> str | None:
    for index, cell in enumerate(cells):
        name = f"cells[{index}]"
        problem = (
            _expect(cell, dict, f"`{name}`, an object")
            or _expect(cell.get("cell_type"), str, f"`{name}.cell_type`, a text")
            or _expect(cell.get("metadata"), dict, f"`{name}.metadata`, an object")
            or _expect(
                cell["metadata"].get("msgbook", {}), dict, f"`{name}.metadata.msgbook`, an object"
            )
        )
        if problem:
            return problem
    return None


def _expect(value: Any, kind: type, what: str) -> str | None:
    if isinstance(value, kind):
        return None
    return f"expected {what}, found {'nothing' if value is None else type(value).__name__}"


def has_known_outputs(nb: dict[str, Any]) -> bool:
    """Return whether all outputs have a type, so that trust in them can be checked."""
    return all(
        isinstance(cell.get("outputs"), list)
        and all(isinstance(out, dict) and "output_type" in out for out in cell["outputs"])
        for cell in nb["cells"]
        if cell["cell_type"] == "code"
    )


def extract_signed_content(nb: dict[str, Any]) -> NotebookNode:
    """Return the notebook that a signature covers: the cells as any text of them is read again.

    It lacks what a text does not hold, and `metadata.msgbook`, on which no output depends.
    """
    cells = [_signed_cell(cell) for cell in nb["cells"]]
    if cells and not cells[-1].get("source") and not cells[-1].get("outputs"):
        del cells[-1]
    signed: NotebookNode = nbformat.from_dict(
        {"nbformat": 4, "nbformat_minor": 5, "cells": [], "metadata": {}}
    )
    # As one text: the notary cannot hash a lone surrogate.
    signed.metadata["cells"] = jsontext.dumps(cells)
    return signed


def _signed_cell(cell: dict[str, Any]) -> dict[str, Any]:
    hidden = ("trusted", "msgbook")
    metadata = {key: value for key, value in cell["metadata"].items() if key not in hidden}
    signed = {**cell, "metadata": metadata}
    if isinstance(cell.get("outputs"), list):
        signed["outputs"] = without_derived(cell["outputs"])
    return signed
