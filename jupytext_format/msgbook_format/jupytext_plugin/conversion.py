"""Conversion between texts of our format and notebooks with metadata for Jupytext.

A message file may come from anybody, and Jupytext writes the files that a notebook's metadata
names. So of a file's metadata for Jupytext only a pair with its own `.ipynb` reaches the notebook;
the rest stays in the text. What Jupytext adds in memory does not reach the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
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
from msgbook_format.typed import (
    as_dict,
    as_items,
    as_text,
    change_texts,
    has,
    has_attachments,
    is_texts,
)

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

    With `writable`, nbformat can write it: see `replace_unwritable` and `replace_surrogates`.
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
    formats = as_dict(jupytext).get("formats")
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
    given = jsontext.load_object(as_text(text))
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
    user = as_text(user)
    if not has_section(f"---\n{user}---\n"):
        ours["frontmatter"] = user + _SECTION_KEY
    return ours


# Lone surrogates in a notebook while Jupytext works: nbformat can neither write nor sign them.
#
# A text holds them as escapes (`\ud800`) in JSON or YAML. In the notebook a replacement character stands
# for each, and `metadata.msgbook.as_written` keeps what stood there, as JSON, so that the text gets it back.


_LONE = re.compile("[\ud800-\udfff]")
_KEPT = "as_written"

_Json = dict[str, Any]


def replace_surrogates(nb: _Json) -> _Json:
    """Return a notebook without lone surrogates; not in place."""
    if not _has_any(nb):
        return nb
    cells = [_without_surrogates(cell) for cell in nb["cells"]]
    return _without_surrogates({**nb, "cells": cells}, besides=("cells",))


def restore_surrogates(nb: _Json) -> _Json:
    """Return a notebook with what `replace_surrogates` replaced, where it was not changed since."""
    cells = [_with_surrogates(cell) for cell in nb["cells"]]
    return _with_surrogates({**nb, "cells": cells}, besides=("cells",))


def _without_surrogates(node: _Json, besides: tuple[str, ...] = ("id",)) -> _Json:
    """Return a cell, or a notebook without its cells, with what keeps the original in its metadata."""
    own = {key: value for key, value in node.items() if key not in besides}
    rest = {key: node[key] for key in besides if key in node}
    if not _has_any(own):
        return node
    clean = _repaired(own)
    metadata = as_dict(clean.get("metadata"))
    kept = {**as_dict(metadata.get("msgbook")), _KEPT: jsontext.dumps(own)}
    return {**clean, **rest, "metadata": {**metadata, "msgbook": kept}}


def _with_surrogates(node: _Json, besides: tuple[str, ...] = ("id",)) -> _Json:
    metadata = as_dict(node.get("metadata"))
    ours = as_dict(metadata.get("msgbook"))
    text = ours.get(_KEPT)
    if not isinstance(text, str):
        return node
    rest = {key: node[key] for key in besides if key in node}
    own = {key: value for key, value in node.items() if key not in besides}
    left = {key: value for key, value in ours.items() if key != _KEPT}
    others = {key: value for key, value in metadata.items() if key != "msgbook"}
    own["metadata"] = {**others, "msgbook": left} if left else others
    original = jsontext.load_object(text)
    unchanged = original is not None and jsontext.is_same(_repaired(original), own)
    return {**(original if unchanged and original is not None else own), **rest}


def _repaired(value: Any) -> Any:
    repair = partial(_LONE.sub, "\ufffd")
    return change_texts(value, repair, repair)


def _has_any(value: Any) -> bool:
    match value:
        case str():
            return not value.isascii() and _LONE.search(value) is not None
        case dict():
            return any(_has_any(key) or _has_any(item) for key, item in value.items())
        case list() | tuple():
            return any(map(_has_any, value))
    return False


# Cells and outputs that nbformat cannot write, and stand-ins for them while Jupytext works.
#
# A text may hold them, as `[nb]`. A stand-in shows their JSON and keeps them in
# `metadata.msgbook.whole`, so that the text gets them back.


_WHOLE = "whole"
_DISPLAYS = ("display_data", "execute_result")


def replace_unwritable(cells: list[_Json]) -> list[_Json]:
    """Return the cells with stand-ins for all that nbformat cannot write; not in place."""
    return [_replaced(cell) for cell in cells]


def restore_unwritable(cells: list[_Json]) -> list[_Json]:
    """Return the cells without the stand-ins of `replace_unwritable` that were not changed."""
    return [_restored(cell) for cell in cells]


def _replaced(cell: _Json) -> _Json:
    if not _fits_cell(cell):
        whole = {key: value for key, value in cell.items() if key not in ("id", "metadata")}
        shown = {"cell_type": "raw", "source": jsontext.dumps_indented(whole)}
        named = {"id": cell["id"]} if "id" in cell else {}
        return {**named, **shown, "metadata": _with_whole(cell["metadata"], whole)}
    return _map_outputs(cell, lambda output: output if _fits_output(output) else _stand_in(output))


def _restored(cell: _Json) -> _Json:
    found = _find_whole(cell.get("metadata"))
    if found is not None and cell.get("source") == jsontext.dumps_indented(found[1]):
        rest, whole = found
        named = {"id": cell["id"]} if "id" in cell else {}
        if isinstance(whole, dict) and not _fits_cell({**whole, "metadata": rest}):
            return {**named, **whole, "metadata": rest}
    return _map_outputs(cell, _restored_output)


def _map_outputs(cell: _Json, change: Callable[[Any], Any]) -> _Json:
    if not has(cell, outputs=list):
        return cell
    return {**cell, "outputs": list(map(change, cell["outputs"]))}


def _stand_in(output: Any) -> _Json:
    data = {"text/plain": jsontext.dumps_indented(output)}
    return {"output_type": "display_data", "data": data, "metadata": _with_whole({}, output)}


def _restored_output(output: Any) -> Any:
    found = _find_whole(as_dict(output).get("metadata"))
    if found is None:
        return output
    whole = found[1]
    return (
        whole if not _fits_output(whole) and jsontext.is_same(output, _stand_in(whole)) else output
    )


def _with_whole(metadata: _Json, whole: Any) -> _Json:
    return {**metadata, "msgbook": {**metadata.get("msgbook", {}), _WHOLE: whole}}


def _find_whole(metadata: Any) -> tuple[_Json, Any] | None:
    """Return metadata without `whole`, and its value; None without it."""
    ours = as_dict(metadata).get("msgbook")
    if not isinstance(ours, dict) or _WHOLE not in ours:
        return None
    rest = {key: value for key, value in ours.items() if key != _WHOLE}
    others = {key: value for key, value in metadata.items() if key != "msgbook"}
    return ({**others, "msgbook": rest} if rest else others), ours[_WHOLE]


def _fits_cell(cell: _Json) -> bool:
    return (
        has(cell, source=str)
        and has_attachments(cell)
        and (cell.get("cell_type") != "code" or isinstance(cell.get("outputs"), list))
    )


def _fits_output(output: Any) -> bool:
    if not has(output, output_type=str):
        return False
    if output["output_type"] in _DISPLAYS:
        return isinstance(output.get("data"), dict)
    text = output.get("text", None if output["output_type"] == "stream" else "")
    return is_texts(as_items(text))
