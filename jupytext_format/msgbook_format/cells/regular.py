"""Cells that have the fields of nbformat and no others, and so a text form."""

from __future__ import annotations

from typing import Any

from msgbook_format import jsontext

_FIELDS = {
    "code": {"id", "cell_type", "metadata", "source", "outputs", "execution_count"},
    "markdown": {"id", "cell_type", "metadata", "source", "attachments"},
    "raw": {"id", "cell_type", "metadata", "source", "attachments"},
}


def is_plain(cell: dict[str, Any]) -> bool:
    """Return whether a cell has a text form; any other is written as JSON."""
    return is_regular(cell) and not jsontext.needs_json(cell["source"])


def is_regular(cell: dict[str, Any]) -> bool:
    """Return whether a cell has the fields that nbformat gives its type, and no others."""
    fields = _FIELDS.get(cell.get("cell_type", ""))
    metadata = cell.get("metadata")
    if fields is None or not cell.keys() <= fields or not isinstance(metadata, dict):
        return False
    if not isinstance(cell.get("source"), str):
        return False
    if not isinstance(metadata.get("msgbook", {}), dict):
        return False
    if cell["cell_type"] == "code":
        count = cell.get("execution_count", False)
        outputs = cell.get("outputs")
        return (
            isinstance(outputs, list)
            and all(isinstance(output, dict) for output in outputs)
            and (count is None or (type(count) is int and 0 <= count < 10**15))
        )
    return _plain_attachments(cell.get("attachments", {}))


def _plain_attachments(attachments: Any) -> bool:
    return isinstance(attachments, dict) and all(
        isinstance(bundle, dict)
        and bundle
        and all(isinstance(data, str) for data in bundle.values())
        for bundle in attachments.values()
    )
