"""Text -> notebook."""

from __future__ import annotations

from typing import Any

from msgbook_format import garbage
from msgbook_format.cells.cell import Stretch, read_group, read_preamble, read_run_text
from msgbook_format.cells.ids import resolve
from msgbook_format.document.notebook_metadata import NBFORMAT_MINOR, read_metadata
from msgbook_format.document.verbatim import keep_verbatim
from msgbook_format.outputs.cell_outputs import add_derived
from msgbook_format.syntax.dialect import Context
from msgbook_format.syntax.frontmatter import parse_frontmatter, section_name
from msgbook_format.syntax.split import Layout, split_text


def reads(text: str) -> dict[str, Any]:
    """Return the notebook that a text holds, as plain JSON. No text raises: what is odd is content.

    Imports no nbformat, which takes seconds where a grammar for IRIs is installed beside it. All of
    the text is messages, unless its frontmatter names a `message_section`.
    """
    with garbage.paused():
        return _read(text)


def _read(text: str) -> dict[str, Any]:
    layout = split_text(text)
    user, ours = parse_frontmatter(layout.frontmatter.core) if layout.frontmatter else (None, None)
    metadata, fields = read_metadata(user, ours)
    heading = section_name(user) if user else None
    if layout.document is not None:
        metadata["msgbook"] = {**metadata.get("msgbook", {}), "document": layout.document.core}
    ctx = Context.of(metadata, heading)
    stretches = _read_stretches(layout, ctx)
    cells = _read_cells(stretches, fields["nbformat_minor"], ctx)
    notebook = {"nbformat": 4, **fields, "metadata": metadata, "cells": cells}
    keep_verbatim(notebook, layout, [(s.head, s.outputs) for s in stretches])
    for cell in cells:
        # A cell that stands whole as JSON may hold anything.
        if isinstance(cell.get("outputs"), list):
            add_derived(cell["outputs"])
    return notebook


def _read_stretches(layout: Layout, ctx: Context) -> list[Stretch]:
    stretches = [read_group(group, ctx) for group in layout.groups]
    if layout.preamble is not None:
        stretches.insert(0, read_preamble(layout.preamble, ctx))
    return stretches


def _read_cells(stretches: list[Stretch], minor: int, ctx: Context) -> list[dict[str, Any]]:
    claims = [stretch.claim for stretch in stretches]
    cells = []
    for stretch, claim, cell_id in zip(stretches, claims, resolve(claims), strict=True):
        cell = stretch.cell
        if stretch.outputs is not None and cell["cell_type"] == "code":
            base = stretch.unit.label or cell_id
            run = read_run_text(stretch.outputs.core, base, stretch.code, ctx)
            cell["outputs"], cell["execution_count"] = run.outputs, run.count
        # Before nbformat 4.5 cells have no ids.
        named = minor >= NBFORMAT_MINOR or claim.id is not None
        cells.append({"id": cell_id, **cell} if named else cell)
    return cells
