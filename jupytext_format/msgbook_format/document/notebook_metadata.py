"""Metadata of a notebook as a frontmatter holds it, without defaults, and those that other tools have stripped."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgbook_format import jsontext
from msgbook_format.syntax.cell_rule import CHAT_CELLS, rule_of, rule_of_kernel
from msgbook_format.syntax.frontmatter import (
    NAMED_FIELDS,
    can_hold,
    parse_frontmatter,
    section_name,
    split_frontmatter,
)
from msgbook_format.syntax.kernels import KERNELSPEC, LANGUAGE, LANGUAGE_INFO
from msgbook_format.syntax.split import BOM
from msgbook_format.typed import as_dict, msgbook_metadata

NBFORMAT_MINOR = 5
"""Version of nbformat that is written: 4.5 gave cells their ids."""


def read_metadata(
    user: str | None, ours: dict[str, Any] | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return metadata and other fields of the notebook for the two parts of a frontmatter.

    A part is None if it is missing. `nbformat_minor` is always among the fields.
    """
    fields = {"nbformat_minor": NBFORMAT_MINOR, **(ours or {})}
    metadata = dict(fields.pop("metadata", {}))
    if metadata.get("kernelspec", KERNELSPEC) is None:
        del metadata["kernelspec"]
    else:
        metadata.setdefault("kernelspec", dict(KERNELSPEC))
        if _is_ours(metadata["kernelspec"]):
            metadata.setdefault("language_info", dict(LANGUAGE_INFO))
    _drop_text_representation(metadata)
    # Verbatim bits and the text above the section come from the text alone, never from metadata.
    ours_alone = ("text", "document") if user and section_name(user) else ("text",)
    msgbook = metadata.pop("msgbook", None)
    if isinstance(msgbook, dict) and not msgbook.keys() <= set(ours_alone):
        metadata["msgbook"] = {k: v for k, v in msgbook.items() if k not in ours_alone}
    if user is not None and (user or ours is None):
        metadata["msgbook"] = {**metadata.get("msgbook", {}), "frontmatter": user}
    return metadata, fields


def write_metadata(notebook: dict[str, Any]) -> tuple[str | None, str | None, dict[str, Any]]:
    """Return the user's frontmatter, the text above a message section, and our frontmatter fields.

    This is the inverse of `read_metadata`. The user's lines are None if there are none.
    """
    metadata = notebook["metadata"]
    fields = {key: value for key, value in notebook.items() if key not in NAMED_FIELDS}
    if minor_of(notebook) != NBFORMAT_MINOR:
        fields["nbformat_minor"] = minor_of(notebook)
    ours = dict(metadata)
    kernelspec = ours.get("kernelspec")
    if kernelspec is None:
        ours.pop("kernelspec", None)
    if jsontext.is_same(kernelspec, KERNELSPEC):
        del ours["kernelspec"]
    # JupyterLab drops the kernelspec of a notebook whose kernel is switched off.
    if rule_of(metadata) is CHAT_CELLS and _language(metadata) == LANGUAGE:
        del ours["language_info"]
    elif kernelspec is None:
        ours["kernelspec"] = None
    _drop_text_representation(ours)
    user, document = None, None
    given = ours.pop("msgbook", None)
    given = as_dict(given)
    msgbook = {key: value for key, value in given.items() if key != "text"}
    if isinstance(msgbook.get("frontmatter"), str) and can_hold(msgbook["frontmatter"]):
        user = msgbook.pop("frontmatter")
    if isinstance(msgbook.get("document"), str):
        document = msgbook.pop("document")
    if user == "" and (ours or msgbook or fields):
        # A frontmatter that holds only our key does not mean that the user had an empty one.
        user, msgbook["frontmatter"] = None, ""
    if msgbook:
        ours["msgbook"] = msgbook
    if ours:
        fields["metadata"] = ours
    return user, document, fields


def minor_of(notebook: dict[str, Any]) -> int:
    """Return the minor version of a notebook's format."""
    minor = notebook.get("nbformat_minor")
    return minor if type(minor) is int else NBFORMAT_MINOR


def _is_ours(kernelspec: Any) -> bool:
    return rule_of_kernel(as_dict(kernelspec).get("name")) is CHAT_CELLS


def _language(metadata: dict[str, Any]) -> Any:
    language_info = metadata.get("language_info")
    return as_dict(language_info).get("name")


def _drop_text_representation(metadata: dict[str, Any]) -> None:
    """Remove Jupytext's description of a message file, in place; it follows from the file."""
    jupytext = metadata.get("jupytext")
    if not isinstance(jupytext, dict):
        return
    representation = jupytext.get("text_representation")
    if as_dict(representation).get("format_name") == "msg":
        jupytext = {key: value for key, value in jupytext.items() if key != "text_representation"}
        metadata["jupytext"] = jupytext
        if not jupytext:
            del metadata["jupytext"]


# Notebooks whose metadata were stripped, and the metadata that their text still has.
#
# Tools that strip metadata remove `metadata.msgbook` from an `.ipynb`. If such a notebook were written
# over its text, the user's frontmatter and the text above the messages would be lost.


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
    # Those that a notebook with these `metadata.msgbook` gets back.
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
