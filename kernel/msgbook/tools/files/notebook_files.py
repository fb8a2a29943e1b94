"""The tools `read_cell`, `edit_cell` and `insert_cell` on the file of another notebook, of which all else stays byte for byte."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgbook.errors import ToolError
from msgbook.tools.files.cells import (
    CellEdit,
    CellInsertion,
    NewKind,
    NotebookCells,
    with_source,
)
from msgbook.tools.files.opening import read_file
from msgbook.tools.files.reading import Call
from msgbook.tools.files.writing import FILE_LIMIT, Old, Plan, carry_out
from msgbook_format.errors import MessageFileError
from msgbook_format.syntax import rule_of

_IPYNB, _MARKDOWN, _MESSAGES = ".ipynb", ".md", ".msg.md"


def read_cell(call: Call, path: str, cell: str = "") -> str | list[dict[str, Any]]:
    """Return a cell with its outputs, or a line for each cell."""
    real = call.resolve_readable(path)
    data, status = read_file(call.roots, real, FILE_LIMIT)
    name = call.roots.format_path(real)
    if len(data) < status.st_size:
        raise ToolError(f"{name} has more than {FILE_LIMIT:,} bytes; read it with read.")
    cells = _Text.read(real, name, data).notebook_cells
    return cells.show(cells.find(cell)) if cell else cells.listing()


def edit_cell(call: Call, path: str, cell: str, old: str, new: str) -> str:
    """Replace a text that occurs in a cell once."""

    def plan(text: _Text) -> Plan:
        edit = text.notebook_cells.edit(cell, old, new)
        return Plan("it changes", edit.preview, text.with_edit(edit), edit.result)

    return carry_out(call, path, lambda name, found: plan(_existing(call, path, name, found)))


def insert_cell(call: Call, path: str, after: str, kind: NewKind, source: str) -> str:
    """Insert a cell below another one."""

    def plan(text: _Text) -> Plan:
        new = text.notebook_cells.insert(after, kind, source)
        cell_id = text.new_id()
        named = f" with the id {cell_id}" if cell_id else ""
        result = f"Inserted a cell {new.label}{named}."
        return Plan("it changes", new.preview, text.with_insertion(new, cell_id), result)

    return carry_out(call, path, lambda name, found: plan(_existing(call, path, name, found)))


def _existing(call: Call, path: str, name: str, found: Old | None) -> _Text:
    if found is None:
        raise ToolError(f"{name}: No such file.")
    return _Text.read(call.roots.resolve(path), name, found.data)


@dataclass(frozen=True, slots=True)
class _Text:
    """The text of a notebook's file."""

    text: str
    notebook: dict[str, Any]
    name: str
    is_json: bool

    @classmethod
    def read(cls, real: Path, name: str, data: bytes) -> _Text:
        """Read a file.

        Raises:
            ToolError: It is not a notebook, or none that tools change by cells.
        """
        # Imported here: a worker starts without the format.
        from msgbook_format.document import reads
        from msgbook_format.files import decode, has_section, parse_ipynb

        lower = real.name.lower()
        try:
            text = decode(data, name)
            if lower.endswith(_IPYNB):
                notebook = parse_ipynb(data, name)
                _require_format_4(text, name)
                return cls(text, notebook, name, is_json=True)
            if lower.endswith(_MESSAGES) or (lower.endswith(_MARKDOWN) and has_section(text)):
                return cls(text, reads(text), name, is_json=False)
        except MessageFileError as error:
            raise ToolError(str(error)) from None
        raise ToolError(
            f"{name} is not a notebook: expected an .ipynb or a message file (.msg.md)."
        )

    @property
    def notebook_cells(self) -> NotebookCells:
        return NotebookCells(self.notebook["cells"], rule_of(self.notebook["metadata"]), self.name)

    def new_id(self) -> str | None:
        """Return an id for a new cell; None if the cells of this file have none."""
        taken = {cell.get("id") for cell in self.notebook["cells"]}
        if self.is_json and None in taken:
            return None
        return next(name for name in iter(lambda: secrets.token_hex(4), None) if name not in taken)

    def with_edit(self, edit: CellEdit) -> bytes:
        """Return the bytes of the file with a change."""
        if self.is_json:
            from msgbook_format.files import with_cell_source

            return with_cell_source(self.text, edit.position, edit.after).encode()
        cells = list(self.notebook["cells"])
        cells[edit.position] = with_source(cells[edit.position], edit.after)
        return self._written(cells)

    def with_insertion(self, new: CellInsertion, cell_id: str | None) -> bytes:
        """Return the bytes of the file with a new cell."""
        if self.is_json:
            from msgbook_format.files import with_new_cell

            return with_new_cell(self.text, new.position, new.cell(cell_id)).encode()
        cells = list(self.notebook["cells"])
        made = type(self.notebook)({**new.cell(cell_id), "metadata": type(self.notebook)()})
        cells.insert(new.position, made)
        return self._written(cells)

    def _written(self, cells: list[dict[str, Any]]) -> bytes:
        from msgbook_format.files import encode

        return encode(type(self.notebook)({**self.notebook, "cells": cells}))


def _require_format_4(text: str, name: str) -> None:
    import json

    if json.loads(text).get("nbformat") != 4:
        raise ToolError(f"{name} is a notebook of an old format; convert it with nbconvert first.")
