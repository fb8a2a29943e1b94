"""Reading: from text to notebook, with what would be lost when it is written again."""

from __future__ import annotations

from typing import Any

from msgbook_format import garbage
from msgbook_format.cells.cell import (
    ReadCell,
    read_cells,
    read_preamble,
    resolve_ids,
    separate_orphans,
)
from msgbook_format.document.notebook_metadata import NBFORMAT_MINOR, read_metadata
from msgbook_format.document.writer import write_parts
from msgbook_format.outputs.cell_outputs import add_derived, read_cell_outputs
from msgbook_format.outputs.execution_times import KEY as EXECUTION
from msgbook_format.outputs.output_history import put_marks
from msgbook_format.syntax.dialect import Dialect
from msgbook_format.syntax.footnotes import place_footnotes
from msgbook_format.syntax.frontmatter import parse_frontmatter, section_name
from msgbook_format.syntax.lines import marker_level
from msgbook_format.syntax.split import (
    Segment,
    SplitCell,
    SplitText,
    level_below,
    split_output_cells,
    split_text,
    usual_gap,
)
from msgbook_format.syntax.text_cell import UNREAD, parse_text_cell
from msgbook_format.syntax.unread_footnotes import (
    find_stray_footnotes,
    find_unread_line,
    find_wrapped_footnotes,
)


def reads(text: str) -> dict[str, Any]:
    """Return the notebook in a text, as plain JSON. No text raises an error.

    This does not import nbformat, which takes seconds where a grammar for IRIs is installed. All of
    the text is messages, unless its frontmatter names a `message_section`.
    """
    with garbage.paused():
        return _read(text)


def reads_metadata(frontmatter: str) -> dict[str, Any]:
    """Return the metadata that a notebook has from its frontmatter, which may be empty."""
    user, ours = parse_frontmatter(frontmatter) if frontmatter else (None, None)
    return read_metadata(user, ours)[0]


def _read(text: str) -> dict[str, Any]:
    split = split_text(text)
    user, ours = parse_frontmatter(split.frontmatter.core) if split.frontmatter else (None, None)
    metadata, fields = read_metadata(user, ours)
    heading = section_name(user) if user else None
    if split.document is not None:
        metadata["msgbook"] = {**metadata.get("msgbook", {}), "document": split.document.core}
    dialect = Dialect.from_metadata(metadata, heading)
    placed, footnotes = place_footnotes(text, split)
    strays = find_stray_footnotes(placed)
    if footnotes is not None:
        strays |= find_wrapped_footnotes(footnotes)
    read = _read_heads(placed, dialect, strays)
    cells, unread = _read_cells(read, fields["nbformat_minor"], dialect)
    notebook = {"nbformat": 4, **fields, "metadata": metadata, "cells": cells}
    texts = [cell.text for cell in read]
    keep_verbatim(notebook, split, texts if footnotes is None else _as_written(split, texts))
    for index, line in unread.items():
        _keep(cells[index], UNREAD, line)
    for cell in cells:
        # A cell that is written as JSON may hold anything.
        if isinstance(cell.get("outputs"), list):
            add_derived(cell["outputs"])
    return notebook


def _read_heads(split: SplitText, dialect: Dialect, strays: dict[int, str]) -> list[ReadCell]:
    cells: list[ReadCell] = []
    if split.preamble is not None:
        cells.append(read_preamble(split.preamble, dialect))
        cells[0].unread = strays.get(-1)
    for number, cell in enumerate(split.cells):
        for read in read_cells(cell, dialect):
            read.unread = strays.get(number) or find_unread_line(read.head, read.text.head.core)
            cells.append(read)
    return cells


def _as_written(split: SplitText, read: list[SplitCell]) -> list[SplitCell]:
    """Return the texts of cells as they are in the file, given those with moved footnotes."""
    texts = [] if split.preamble is None else [SplitCell(split.preamble, None)]
    for cell in split.cells:
        is_whole = cell.outputs is None or read[len(texts)].outputs is not None
        texts += [cell] if is_whole else separate_orphans(cell)
    return texts


def _read_cells(
    heads: list[ReadCell], minor: int, dialect: Dialect
) -> tuple[list[dict[str, Any]], dict[int, str]]:
    """Return the cells, and the lines in them that cannot be read as a footnote, by index."""
    claims = [head.claim for head in heads]
    cells: list[dict[str, Any]] = []
    unread = {index: head.unread for index, head in enumerate(heads) if head.unread}
    for head, claim, cell_id in zip(heads, claims, resolve_ids(claims), strict=True):
        cell, outputs = head.cell, head.text.outputs
        if outputs is not None and cell["cell_type"] == "code":
            base = head.head.label or cell_id
            parts = split_output_cells(outputs.core)
            output_cells = [parse_text_cell(part, dialect.escaper) for part in parts]
            found = read_cell_outputs(output_cells, base, head.is_code)
            if line := next(filter(None, map(find_unread_line, output_cells, parts)), None):
                unread.setdefault(len(cells), line)
            cell["outputs"], cell["execution_count"] = found.outputs, found.count
            put_marks(cell, found.marks)
            if found.times is not None:
                cell["metadata"].setdefault(EXECUTION, found.times)
        # Before nbformat 4.5 cells have no ids.
        named = minor >= NBFORMAT_MINOR or claim.id is not None
        cells.append({"id": cell_id, **cell} if named else cell)
    return cells, unread


# Verbatim bits: parts of a text that are lost when its notebook is written again.


_MAX_ROUNDS = 3
"""Times that the text is written again to see what is lost: a part that is kept can change how another one is
written."""


def keep_verbatim(notebook: dict[str, Any], split: SplitText, texts: list[SplitCell]) -> None:
    """Put into `metadata.msgbook.text`, in place, the parts of a text that writing would change.

    A canonical text has none. `texts` are the cells as they were read.
    """
    _keep_edges(notebook, split)
    _keep_level(notebook, split)
    _keep_gaps(notebook, split, texts)
    for _ in range(_MAX_ROUNDS):
        if not _keep_cores(notebook, split, texts):
            return
    # The text of one cell can change how another one is written. With all texts kept, none can.
    for cell, text in zip(notebook["cells"], texts, strict=True):
        _keep(cell, "cell", text.head.core)
        if text.outputs is not None:
            _keep(cell, "outputs", text.outputs.core)


def _keep_edges(notebook: dict[str, Any], split: SplitText) -> None:
    if split.bom:
        _keep(notebook, "bom", "1")
    if split.crlf:
        _keep(notebook, "crlf", "1")
    if split.lead:
        _keep(notebook, "lead", split.lead)


def _keep_level(notebook: dict[str, Any], split: SplitText) -> None:
    """Keep the level of the first marker, which those of the others follow."""
    level = marker_level(split.cells[0].head.core) if split.cells else None
    usual = level_below(split.document.core) if split.document else 1
    if level is not None and level != usual:
        _keep(notebook, "level", str(level))


def _keep_gaps(notebook: dict[str, Any], split: SplitText, texts: list[SplitCell]) -> None:
    segments: list[tuple[dict[str, Any], str, Segment]] = []
    if split.frontmatter is not None:
        segments.append((notebook, "frontmatter_gap", split.frontmatter))
    if split.document is not None:
        segments.append((notebook, "document_gap", split.document))
    for cell, text in zip(notebook["cells"], texts, strict=True):
        segments.append((cell, "cell_gap", text.head))
        if text.outputs is not None:
            segments.append((cell, "outputs_gap", text.outputs))
    usual = usual_gap(last=False)
    last = len(segments) - 1
    for index, (node, key, segment) in enumerate(segments):
        if segment.gap != (usual if index != last else usual_gap(last=True)):
            _keep(node, key, segment.gap)


def _keep_cores(notebook: dict[str, Any], split: SplitText, texts: list[SplitCell]) -> bool:
    """Keep each core that would be written otherwise; return whether there was a new one."""
    parts = write_parts(notebook)
    found = False
    frontmatter = split.frontmatter.core if split.frontmatter else ""
    if frontmatter != parts.frontmatter:
        found |= _keep(notebook, "frontmatter", frontmatter)
    for cell, text, written in zip(notebook["cells"], texts, parts.cells, strict=True):
        if text.head.core != written[0]:
            found |= _keep(cell, "cell", text.head.core)
        if text.outputs is not None and text.outputs.core != written[1]:
            found |= _keep(cell, "outputs", text.outputs.core)
    return found


def _keep(node: dict[str, Any], key: str, text: str) -> bool:
    """Set a bit; return whether it is new."""
    bits = node["metadata"].setdefault("msgbook", {}).setdefault("text", {})
    new = key not in bits
    bits[key] = text
    return new
