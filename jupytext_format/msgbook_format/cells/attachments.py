"""Attachments of a note or raw cell as `# %%% [attachment]` units below it."""

from __future__ import annotations

from typing import Any

from msgbook_format.syntax import jsontext
from msgbook_format.syntax.attributes import Attrs, Pairs
from msgbook_format.syntax.lines import is_base64, unwrap, wrap
from msgbook_format.syntax.text_cell import Unit

Attachments = dict[str, dict[str, str]]
"""File name -> MIME type -> data, as in nbformat."""


def write_attachments(attachments: Attachments, base: str) -> list[Unit]:
    """Units for the attachments of a cell with the label `base`, one for each MIME type."""
    units: list[Unit] = []
    for name in sorted(attachments):
        for mime in sorted(attachments[name]):
            data = attachments[name][mime]
            attrs: Pairs = [("name", name), ("mime_type", mime)]
            body = data
            if jsontext.needs_json(data):
                attrs.append(("encoding", "json"))
                body = jsontext.dumps(data)
            elif is_base64(data):
                attrs.append(("encoding", "base64"))
                body = wrap(data)
            label = f"{base}.a{len(units) + 1}"
            units.append(Unit(kind="attachment", attrs=attrs, body=body, label=label))
    return units


def read_attachments(units: list[Unit]) -> Attachments | None:
    """What the units below a note attach to it; None when one of them is no attachment."""
    attachments: Attachments = {}
    for unit in units:
        attrs = Attrs(unit.attrs)
        name, mime = attrs.take("name"), attrs.take("mime_type")
        data = _read_data(unit, attrs.take("encoding"))
        if unit.kind != "attachment" or name is None or mime is None or data is None:
            return None
        bundle = attachments.setdefault(name, {})
        if mime in bundle:
            return None
        bundle[mime] = data
    return attachments


def _read_data(unit: Unit, encoding: str | None) -> str | None:
    if encoding == "base64":
        return unwrap(unit.body)
    if encoding != "json":
        return unit.body
    try:
        data: Any = jsontext.loads(unit.body)
    except ValueError:
        return None
    return data if isinstance(data, str) else None
