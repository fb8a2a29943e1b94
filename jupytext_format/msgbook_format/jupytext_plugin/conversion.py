"""Conversion between texts of our format and notebooks with metadata for Jupytext.

A message file may come from anybody, and Jupytext writes the files that a notebook's metadata
names. So of a file's metadata for Jupytext only a pair with its own `.ipynb` reaches the notebook;
the rest stays in the text. What Jupytext adds in memory does not reach the text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import nbformat
from nbformat import NotebookNode

from msgbook_format import jsontext, reads
from msgbook_format.document import (
    is_stripped,
    lacks_metadata_of,
    restore_metadata,
    restore_metadata_of_cells,
)
from msgbook_format.files import SUFFIX, encode, has_section
from msgbook_format.jupytext_plugin.message_format import FORMAT_NAME
from msgbook_format.jupytext_plugin.surrogates import replace_surrogates, restore_surrogates
from msgbook_format.jupytext_plugin.unwritable import replace_unwritable, restore_unwritable
from msgbook_format.metadata import as_dict

_from_dict: Callable[[Any], NotebookNode] = nbformat.from_dict
_SECTION_KEY = "message_section: true\n"
_KEYS = (
    "jupytext",
    # Jupytext moves these into `jupytext`.
    "jupytext_formats",
    "jupytext_format_version",
    "nbrmd_formats",
    "nbrmd_format_version",
    "main_language",
    "encoding",
    "executable",
)
"""Keys of a notebook's metadata that Jupytext obeys."""

_VERBATIM_KEY = "jupytext"
"""Key of `metadata.msgbook.text` that keeps a file's values of `_KEYS`, as JSON."""


def read_text(text: str, *, whole_file: bool, writable: bool) -> NotebookNode:
    """Return the notebook in a text of our format, with the metadata for Jupytext that it may have.

    With `writable`, nbformat can write it: see the modules `unwritable` and `surrogates`.
    """
    nb = reads(text)
    given = {key: nb.metadata.pop(key) for key in _KEYS if key in nb.metadata}
    accepted = _accepted(given, whole_file)
    if given != accepted:
        bits = nb.metadata.setdefault("msgbook", {}).setdefault("text", {})
        bits[_VERBATIM_KEY] = jsontext.dumps(given)
    metadata = {**nb.metadata, **accepted}
    cells = replace_unwritable(nb.cells) if writable else nb.cells
    found = {**nb, "metadata": metadata, "cells": cells}
    return _from_dict(replace_surrogates(found) if writable else found)


def write_text(
    nb: dict[str, Any], metadata: dict[str, Any], defaults: dict[str, Any], *, whole_file: bool
) -> str:
    """Return the text of a notebook with Jupytext's `metadata` instead of its own; not in place.

    Args:
        defaults: Options that Jupytext's configuration adds to every notebook.
        whole_file: Whether the file is all messages; otherwise it has a message section.
    """
    nb = restore_surrogates({**nb, "metadata": metadata})
    metadata = dict(nb["metadata"])
    options = _options(metadata, defaults)
    metadata = {key: value for key, value in metadata.items() if key not in _KEYS}
    metadata.update(_for_file(options, _find_verbatim(metadata), whole_file))
    if not whole_file:
        metadata["msgbook"] = _with_section(metadata.get("msgbook"))
    cells = restore_unwritable(nb["cells"])
    return encode({**nb, "metadata": metadata, "cells": cells}).decode("utf-8")


def keep_parts_of_text(
    nb: dict[str, Any], text: str, *, whole_file: bool, cells: bool
) -> dict[str, Any]:
    """Return a notebook with what only the `text` holds that it will replace; not in place.

    With `cells`, the cells of a notebook whose metadata were stripped get theirs back, too.
    """
    stripped = cells and is_stripped(nb)
    if not (stripped or lacks_metadata_of(nb, text)) or not (whole_file or has_section(text)):
        return nb
    present = read_text(text, whole_file=whole_file, writable=True)
    if stripped:
        nb = restore_metadata_of_cells(nb, present)
    return restore_metadata(nb, present)


def _accepted(given: dict[str, Any], whole_file: bool) -> dict[str, Any]:
    """Return the metadata that a file may set: a pair with the `.ipynb` beside it."""
    own = f"{SUFFIX}:{FORMAT_NAME}" if whole_file else f"md:{FORMAT_NAME}"
    jupytext = given.get("jupytext")
    formats = jupytext.get("formats") if isinstance(jupytext, dict) else None
    names = [name.strip() for name in formats.split(",")] if isinstance(formats, str) else []
    allowed = [name for name in dict.fromkeys(names) if name in ("ipynb", own)]
    return {"jupytext": {"formats": ",".join(allowed)}} if own in allowed else {}


def _options(metadata: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """Return the notebook's metadata for Jupytext, without what Jupytext added."""
    return {
        key: value
        for key, value in as_dict(metadata.get("jupytext")).items()
        if key != "text_representation" and not (key in defaults and defaults[key] == value)
    }


def _find_verbatim(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return the file's metadata for Jupytext that was kept from the notebook."""
    node: Any = metadata
    for key in ("msgbook", "text"):
        node = node.get(key)
        if not isinstance(node, dict):
            return {}
    text = node.get(_VERBATIM_KEY)
    given = jsontext.load_object(text) if isinstance(text, str) else None
    return {key: value for key, value in (given or {}).items() if key in _KEYS}


def _for_file(options: dict[str, Any], given: dict[str, Any], whole_file: bool) -> dict[str, Any]:
    """Return the metadata to write: the file's own with what was changed since."""
    read = _accepted(given, whole_file).get("jupytext", {})
    if options == read:
        return given
    kept = as_dict(given.get("jupytext"))
    jupytext = {key: value for key, value in kept.items() if key not in read} | options
    rest = {key: value for key, value in given.items() if key != "jupytext"}
    return {**rest, "jupytext": jupytext} if jupytext else rest


def _with_section(msgbook: Any) -> dict[str, Any]:
    ours = dict(as_dict(msgbook))
    user = ours.get("frontmatter")
    user = user if isinstance(user, str) else ""
    if not has_section(f"---\n{user}---\n"):
        ours["frontmatter"] = user + _SECTION_KEY
    return ours
