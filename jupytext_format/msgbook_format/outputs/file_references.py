"""Data of outputs that stand in files beside the text: what the text says of them.

An output with such data has `metadata.msgbook.files`, a reference for each MIME type:
`{"output_file": ..., "sha256": ..., "encoding": ...}`, the last two only if the text says them.
Once its file was read it has `loaded`, too, the digest of the data that it gave.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from hashlib import sha256
from typing import Any

from msgbook_format import jsontext
from msgbook_format.syntax.attributes import AttributeReader, Attributes
from msgbook_format.turn.model import TURN_MIME

Reference = dict[str, str]

_KEYS = ("output_file", "sha256", "encoding")
_Output = dict[str, Any]


def read_reference(attributes: AttributeReader) -> Reference | None:
    """The reference of a unit with an empty body; None without `output_file`."""
    found = {key: attributes.take(key) for key in _KEYS}
    reference = {key: value for key, value in found.items() if value is not None}
    if "output_file" in reference:
        return reference
    for key, value in reference.items():
        attributes.put_back(key, value)
    return None


def write_reference(reference: Reference) -> Attributes:
    """The attributes that say a reference; the inverse of `read_reference`."""
    return [(key, reference[key]) for key in ("encoding", *_KEYS[:2]) if key in reference]


def add_reference(metadata: dict[str, Any], mime: str, reference: Reference) -> None:
    """Put a reference into the metadata of an output, in place, unless it says one already."""
    ours = metadata.get("msgbook", {})
    files = ours.get("files", {}) if isinstance(ours, dict) else None
    if isinstance(files, dict):
        metadata["msgbook"] = {**ours, "files": {mime: reference, **files}}


def split_references(output: _Output) -> tuple[dict[str, Reference], dict[str, Any]]:
    """References that attributes can say, and the metadata of the output without them."""
    metadata = output["metadata"]
    said = {
        mime: reference
        for mime, reference in _references(output)
        if reference.keys() <= set(_KEYS) and output["data"][mime] == ""
    }
    if not said:
        return {}, metadata
    files = {mime: ref for mime, ref in metadata["msgbook"]["files"].items() if mime not in said}
    ours = {**metadata["msgbook"], "files": files}
    if not files:
        del ours["files"]
    rest = {**metadata, "msgbook": ours}
    if not ours:
        del rest["msgbook"]
    return said, rest


def open_references(notebook: dict[str, Any]) -> Iterator[tuple[_Output, str, Reference]]:
    """Each output whose data stand in a file and are not there yet, with MIME type and reference.

    They may be changed meanwhile.
    """
    for cell in notebook["cells"]:
        for output in outputs_of(cell):
            for mime, reference in _references(output):
                if "loaded" not in reference and output["data"][mime] == "":
                    yield output, mime, reference


def fill(output: _Output, mime: str, data: Any) -> None:
    """Give an output the data of its file, in place."""
    output["data"][mime] = data
    output["metadata"]["msgbook"]["files"][mime]["loaded"] = digest(data)


def drop_loaded(output: Any) -> None:
    """Forget, in place, that a file gave the data of an output which comes from a text.

    Only who reads files can know. The data would be written as a reference, and lost.
    """
    for mime, reference in _references(output):
        if _is_loaded(output["data"][mime], reference):
            del reference["loaded"]


def without_loaded(notebook: dict[str, Any]) -> dict[str, Any]:
    """A notebook with references in place of what their files gave; not in place.

    Data that changed since stay, reference and all.
    """
    return _map_loaded(notebook, _unload)


def without_lost(
    notebook: dict[str, Any], gives: Callable[[str, Reference], str | None]
) -> dict[str, Any]:
    """A notebook in which data are its own that no file would give back; not in place.

    Args:
        gives: says the digest of the data that a file gives for a MIME type and a reference, None
            if it gives none.
    """

    def keep_data(output: _Output, mime: str, reference: Reference) -> None:
        if gives(mime, reference) != reference["loaded"]:
            del output["metadata"]["msgbook"]["files"][mime]

    return _map_loaded(notebook, keep_data)


def _unload(output: _Output, mime: str, reference: Reference) -> None:
    output["data"][mime] = ""
    del reference["loaded"]


def _map_loaded(
    notebook: dict[str, Any], change: Callable[[_Output, str, Reference], None]
) -> dict[str, Any]:
    """A notebook in which each output with loaded data was changed; not in place."""
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
    """Whether data are what a file gave, unchanged."""
    return "loaded" in reference and digest(data) == reference["loaded"]


def digest(data: Any) -> str:
    """SHA-256 of data in an output, in hexadecimal."""
    return sha256(jsontext.dumps(data).encode()).hexdigest()


def _references(output: Any) -> Iterator[tuple[str, Reference]]:
    node = output
    for key in ("metadata", "msgbook", "files"):
        node = node.get(key) if isinstance(node, dict) else None
    data = output.get("data") if isinstance(node, dict) else None
    if not isinstance(node, dict) or not isinstance(data, dict):
        return
    for mime, reference in list(node.items()):
        texts = isinstance(reference, dict) and all(isinstance(v, str) for v in reference.values())
        if texts and "output_file" in reference and mime in data and mime != TURN_MIME:
            yield mime, reference


def outputs_of(cell: Any) -> list[Any]:
    """The outputs of a cell that may be anything; none where there is no list of them."""
    outputs = cell.get("outputs")
    return outputs if isinstance(outputs, list) else []
