"""References to files beside the text that hold the data of outputs.

An output with such data has `metadata.msgbook.files` with a reference for each MIME type:
`{"output_file": ..., "sha256": ..., "encoding": ...}`, the last two only if the text has them.
When the file has been read, `loaded` is added: the digest of its data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from hashlib import sha256
from typing import Any

from msgbook_format import jsontext
from msgbook_format.syntax.attributes import AttributeReader, Attributes
from msgbook_format.turn.model import TURN_MIME
from msgbook_format.typed import as_dict, as_list, is_table_of_texts

Reference = dict[str, str]

_KEYS = ("output_file", "sha256", "encoding")
_Output = dict[str, Any]


def read_reference(attributes: AttributeReader) -> Reference | None:
    """Return the reference of an output cell with an empty body; None without `output_file`."""
    found = {key: attributes.take(key) for key in _KEYS}
    reference = {key: value for key, value in found.items() if value is not None}
    if "output_file" in reference:
        return reference
    for key, value in reference.items():
        attributes.put_back(key, value)
    return None


def write_reference(reference: Reference) -> Attributes:
    """Return the attributes of a reference; the inverse of `read_reference`."""
    return [(key, reference[key]) for key in ("encoding", *_KEYS[:2]) if key in reference]


def add_reference(metadata: dict[str, Any], mime: str, reference: Reference) -> None:
    """Put a reference into the metadata of an output, in place, unless there is one already."""
    msgbook = metadata.get("msgbook", {})
    files = msgbook.get("files", {}) if isinstance(msgbook, dict) else None
    if isinstance(files, dict):
        metadata["msgbook"] = {**msgbook, "files": {mime: reference, **files}}


def split_references(output: _Output) -> tuple[dict[str, Reference], dict[str, Any]]:
    """Return the references that attributes can hold, and the output's metadata without them."""
    metadata = output["metadata"]
    written = {
        mime: reference
        for mime, reference in _references(output)
        if reference.keys() <= set(_KEYS) and output["data"][mime] == ""
    }
    if not written:
        return {}, metadata
    files = {mime: ref for mime, ref in metadata["msgbook"]["files"].items() if mime not in written}
    msgbook = {**metadata["msgbook"], "files": files}
    if not files:
        del msgbook["files"]
    rest = {**metadata, "msgbook": msgbook}
    if not msgbook:
        del rest["msgbook"]
    return written, rest


def open_references(notebook: dict[str, Any]) -> Iterator[tuple[_Output, str, Reference]]:
    """Yield each output whose file has not been read yet, with MIME type and reference.

    The caller may change the output.
    """
    for cell in notebook["cells"]:
        for output in outputs_of(cell):
            for mime, reference in _references(output):
                if "loaded" not in reference and output["data"][mime] == "":
                    yield output, mime, reference


def add_data(output: _Output, mime: str, data: Any) -> None:
    """Put the data of its file into an output, in place."""
    output["data"][mime] = data
    output["metadata"]["msgbook"]["files"][mime]["loaded"] = digest(data)


def drop_loaded(output: Any) -> None:
    """Remove, in place, the note `loaded` from an output that was read from a text.

    It is true only after a file was read. With it, data in the text would be written as a reference
    and lost.
    """
    for mime, reference in _references(output):
        if _is_loaded(output["data"][mime], reference):
            del reference["loaded"]


def without_loaded(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return a notebook with references in place of the data that files gave; a copy.

    Data that changed since then stay, and so does their reference.
    """
    return _map_loaded(notebook, _unload)


def without_lost(
    notebook: dict[str, Any], find_digest: Callable[[str, Reference], str | None]
) -> dict[str, Any]:
    """Return a notebook that keeps all data that no file would give back; a copy.

    Args:
        find_digest: Returns the digest of the data that a file gives for a MIME type and a
            reference; None if it gives none.
    """

    def keep_data(output: _Output, mime: str, reference: Reference) -> None:
        if find_digest(mime, reference) != reference["loaded"]:
            del output["metadata"]["msgbook"]["files"][mime]

    return _map_loaded(notebook, keep_data)


def _unload(output: _Output, mime: str, reference: Reference) -> None:
    output["data"][mime] = ""
    del reference["loaded"]


def _map_loaded(
    notebook: dict[str, Any], change: Callable[[_Output, str, Reference], None]
) -> dict[str, Any]:
    """Return a notebook in which each output with loaded data was changed; a copy."""
    cells = []
    for cell in notebook["cells"]:
        outputs = [_changed(output, change) for output in outputs_of(cell)]
        same = all(new is old for new, old in zip(outputs, outputs_of(cell), strict=True))
        cells.append(cell if same else {**cell, "outputs": outputs})
    return {**notebook, "cells": cells}


def _changed(output: Any, change: Callable[[_Output, str, Reference], None]) -> Any:
    loaded = [
        mime
        for mime, reference in _references(output)
        if _is_loaded(output["data"][mime], reference)
    ]
    if not loaded:
        return output
    copy = {**output, "data": dict(output["data"]), "metadata": deepcopy(output["metadata"])}
    for mime in loaded:
        change(copy, mime, copy["metadata"]["msgbook"]["files"][mime])
    return copy


def _is_loaded(data: Any, reference: Reference) -> bool:
    return "loaded" in reference and digest(data) == reference["loaded"]


def digest(data: Any) -> str:
    """Return the SHA-256 of data in an output, in hexadecimal."""
    return sha256(jsontext.dumps(data).encode()).hexdigest()


def _references(output: Any) -> Iterator[tuple[str, Reference]]:
    node = output
    for key in ("metadata", "msgbook", "files"):
        node = as_dict(node).get(key)
    data = as_dict(as_dict(output).get("data"))
    for mime, reference in list(as_dict(node).items()):
        if not is_table_of_texts(reference):
            continue
        if "output_file" in reference and mime in data and mime != TURN_MIME:
            yield mime, reference


def outputs_of(cell: Any) -> list[Any]:
    """Return the outputs of a cell that may hold anything; none if it has no list of them."""
    outputs = cell.get("outputs")
    return as_list(outputs)
