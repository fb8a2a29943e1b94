"""Attachments of a note or raw cell as output cells of the type `attachment`."""

from __future__ import annotations

from typing import Any

from msgbook_format import jsontext
from msgbook_format.syntax.attribute_reader import AttributeReader
from msgbook_format.syntax.attributes import Attributes
from msgbook_format.syntax.lines import is_base64, unwrap, wrap
from msgbook_format.syntax.text_cell import TextCell

Attachments = dict[str, dict[str, str]]
"""File name -> MIME type -> data, as in nbformat."""


def write_attachments(attachments: Attachments, base: str) -> list[TextCell]:
    """Return an output cell for each MIME type of each attachment of the cell labelled `base`."""
    output_cells: list[TextCell] = []
    for name in sorted(attachments):
        for mime in sorted(attachments[name]):
            data = attachments[name][mime]
            attributes: Attributes = [("name", name), ("mime_type", mime)]
            body = data
            if jsontext.needs_json(data):
                attributes.append(("encoding", "json"))
                body = jsontext.dumps(data)
            elif is_base64(data):
                attributes.append(("encoding", "base64"))
                body = wrap(data)
            label = f"{base}.a{len(output_cells) + 1}"
            output_cells.append(
                TextCell(type="attachment", attributes=attributes, body=body, label=label)
            )
    return output_cells


def read_attachments(output_cells: list[TextCell]) -> Attachments | None:
    """Return the attachments in output cells; None if one of them is no attachment."""
    attachments: Attachments = {}
    for output_cell in output_cells:
        attributes = AttributeReader(output_cell.attributes)
        name, mime = attributes.take("name"), attributes.take("mime_type")
        data = _read_data(output_cell, attributes.take("encoding"))
        if output_cell.type != "attachment" or name is None or mime is None or data is None:
            return None
        bundle = attachments.setdefault(name, {})
        if mime in bundle:
            return None
        bundle[mime] = data
    return attachments


def _read_data(output_cell: TextCell, encoding: str | None) -> str | None:
    if encoding == "base64":
        return unwrap(output_cell.body)
    if encoding != "json":
        return output_cell.body
    try:
        data: Any = jsontext.loads(output_cell.body)
    except ValueError:
        return None
    return data if isinstance(data, str) else None
