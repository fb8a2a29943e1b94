"""Notebooks whose metadata were stripped, and the metadata that their text still has.

Tools that strip metadata remove `metadata.msgbook` from an `.ipynb`. If such a notebook were written
over its text, the user's frontmatter and the text above the messages would be lost.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgbook_format.metadata import msgbook_metadata
from msgbook_format.syntax.frontmatter import parse_frontmatter, section_name, split_frontmatter
from msgbook_format.syntax.split import BOM

_Json = dict[str, Any]

_FILE_KEYS = ("frontmatter", "document", "text")


def lacks_metadata_of(notebook: _Json, text: str) -> bool:
    """Return whether `restore_metadata` could add something that only the top of `text` holds.

    This is cheap: only if it is true does the text have to be read.
    """
    text = text.removeprefix(BOM)
    end = split_frontmatter(text)
    if not end:
        return False
    user, jupyter = parse_frontmatter(text[:end])
    held = set(msgbook_metadata(jupyter or {}))
    held |= {"frontmatter"} if user else set()
    held |= {"document"} if section_name(user) is not None else set()
    return not _restorable(held, msgbook_metadata(notebook)) <= msgbook_metadata(notebook).keys()


def restore_metadata(notebook: _Json, present: _Json) -> _Json:
    """Return `notebook` with the parts of its file that it lacks and `present` has.

    `present` is the notebook in the text that will be replaced. Neither is modified. A notebook
    without `metadata.msgbook` gets all of it.
    """
    given, kept = msgbook_metadata(notebook), msgbook_metadata(present)
    kept = {key: kept[key] for key in _restorable(kept, given)}
    if kept.keys() <= given.keys():
        return notebook
    return {**notebook, "metadata": {**notebook["metadata"], "msgbook": {**kept, **given}}}


def _restorable(held: Iterable[str], given: _Json) -> set[str]:
    """Return those keys of a text that a notebook with these `metadata.msgbook` gets back."""
    return {key for key in held if not given or key in _FILE_KEYS}


def is_stripped(notebook: _Json) -> bool:
    """Return whether neither a notebook nor any of its cells has `metadata.msgbook`."""
    return not any(msgbook_metadata(node) for node in (notebook, *notebook["cells"]))


def restore_metadata_of_cells(notebook: _Json, present: _Json) -> _Json:
    """Return a stripped notebook whose cells have the `metadata.msgbook` of those in `present`.

    Neither is modified. Cells are the same if their type and id are.
    """
    kept_by_cell = {
        _key(cell): msgbook
        for cell in present["cells"]
        if "id" in cell and (msgbook := msgbook_metadata(cell))
    }
    cells = [
        {**cell, "metadata": {**cell["metadata"], "msgbook": kept_by_cell[_key(cell)]}}
        if _key(cell) in kept_by_cell
        else cell
        for cell in notebook["cells"]
    ]
    return {**notebook, "cells": cells}


def _key(cell: _Json) -> tuple[Any, Any]:
    return cell.get("id"), cell.get("cell_type")
