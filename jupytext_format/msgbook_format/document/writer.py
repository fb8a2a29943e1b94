"""Notebook -> text."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from msgbook_format.cells.attachments import read_attachments, write_attachments
from msgbook_format.cells.cell import parse_units, read_run_text
from msgbook_format.document.notebook_metadata import (
    NBFORMAT_MINOR,
    minor_of,
    read_metadata,
    write_metadata,
)
from msgbook_format.outputs.cell_outputs import same_run, write_run
from msgbook_format.outputs.file_references import without_loaded
from msgbook_format.spelling.heads import Head, is_trailing_blank, verbatim_bits
from msgbook_format.spelling.labels import plan_heads
from msgbook_format.syntax import jsontext
from msgbook_format.syntax.dialect import Context
from msgbook_format.syntax.frontmatter import (
    format_frontmatter,
    parse_frontmatter,
    section_name,
    split_frontmatter,
)
from msgbook_format.syntax.section import append_section, split_section
from msgbook_format.syntax.split import BOM, end_line, join_segments
from msgbook_format.syntax.text_cell import Segment, format_unit, split_cells, split_outputs


@dataclass(slots=True)
class Pieces:
    """The text of each part of a notebook, without the gaps behind them."""

    frontmatter: str
    document: str
    """What stands above a message section, its heading included if there are messages."""
    heading: str | None
    cells: list[tuple[str | None, str | None]] = field(default_factory=list)
    """Head and outputs of each cell; None for what is not written."""


def writes(notebook: dict[str, Any], *, verbatim: bool = True) -> str:
    """The text of a notebook; equal notebooks give equal text.

    Args:
        notebook: not modified; older than nbformat 4, it is converted.
        verbatim: whether spelling that was read from a text is used again.
    """
    if notebook.get("nbformat") != 4:
        notebook = _converted(notebook)
    notebook = without_loaded(notebook)
    pieces = write_pieces(notebook, verbatim=verbatim)
    bits = verbatim_bits(notebook) if verbatim else {}
    segments: list[tuple[str, str | None]] = []
    if pieces.frontmatter:
        segments.append((pieces.frontmatter, _gap(bits, "frontmatter_gap")))
    if pieces.document:
        segments.append((pieces.document, _gap(bits, "document_gap")))
    for cell, (head, outputs) in zip(notebook["cells"], pieces.cells, strict=True):
        cell_bits = verbatim_bits(cell) if verbatim else {}
        if head is not None:
            segments.append((head, _gap(cell_bits, "cell_gap")))
        if outputs is not None:
            segments.append((outputs, _gap(cell_bits, "outputs_gap")))
    text = join_segments(segments)
    if verbatim and pieces.heading is not None and not _finds_section(text, pieces):
        return writes(notebook, verbatim=False)
    if not pieces.frontmatter:
        lead = _blank(bits.get("lead", ""))
        text = (end_line(lead) if text else lead) + text
    if "crlf" in bits and "\r" not in text:
        text = text.replace("\n", "\r\n")
    return BOM + text if "bom" in bits else text


def _converted(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return an older notebook as nbformat 4; the one given is not modified."""
    # Takes seconds where a grammar for IRIs is installed beside it.
    import nbformat

    from msgbook_format.nodes import as_nodes

    converted: dict[str, Any] = nbformat.convert(as_nodes(deepcopy(notebook)), 4)
    return converted


def write_pieces(notebook: dict[str, Any], *, verbatim: bool = True) -> Pieces:
    """The text of each part of a notebook of nbformat 4."""
    bits = verbatim_bits(notebook) if verbatim else {}
    user, document, ours = write_metadata(notebook)
    heading = section_name(user) if user else None
    if heading is None and document is not None:
        # Without a section there is no place above the messages.
        metadata = ours.get("metadata", {})
        msgbook = {**metadata.get("msgbook", {}), "document": document}
        ours["metadata"], document = {**metadata, "msgbook": msgbook}, None
    frontmatter = format_frontmatter(user, ours)
    if "frontmatter" in bits and _says_same(bits["frontmatter"], frontmatter):
        frontmatter = bits["frontmatter"]
    ctx = Context.of(notebook["metadata"], heading)

    def fits_start(text: str) -> bool:
        if frontmatter or document:
            return True
        lead = end_line(_blank(bits.get("lead", "")))
        if not lead and "bom" not in bits and text.startswith(BOM):
            return False
        return split_frontmatter(f"{lead}{text}\n") == 0

    ids = minor_of(notebook) >= NBFORMAT_MINOR
    heads = plan_heads(notebook["cells"], ctx, fits_start, ids=ids, verbatim=verbatim)
    pieces = Pieces(frontmatter, document or "", heading)
    for index, head in enumerate(heads):
        if index == len(heads) - 1 and is_trailing_blank(head):
            pieces.cells.append((None, None))
        else:
            pieces.cells.append((head.text(ctx), _outputs_text(head, ctx, verbatim=verbatim)))
    if heading is not None and any(head is not None for head, _ in pieces.cells):
        pieces.document = _with_heading(pieces.document, heading)
    return pieces


def _outputs_text(head: Head, ctx: Context, *, verbatim: bool) -> str | None:
    cell = head.cell
    if head.whole:
        return None
    if verbatim:
        text = verbatim_bits(cell).get("outputs")
        if text is not None and _holds_run(text, head, ctx):
            return text
        longer = _continued(text, head, ctx) if text is not None else None
        if longer is not None:
            return longer
    if cell["cell_type"] == "code":
        units = write_run(cell, head.base, head.code, ctx)
    else:
        units = write_attachments(cell.get("attachments", {}), head.base)
    if not units:
        return None
    return "\n\n".join(format_unit(unit, "# %%%", ctx.escaper) for unit in units)


def _continued(text: str, head: Head, ctx: Context) -> str | None:
    """A text that says the first outputs of a cell, with the others below; None for any other."""
    cell = head.cell
    if cell["cell_type"] != "code":
        return None
    count = len(read_run_text(text, head.base, head.code, ctx).outputs)
    earlier = {**cell, "outputs": cell["outputs"][:count]}
    if count in (0, len(cell["outputs"])) or not _holds_run(text, replace(head, cell=earlier), ctx):
        return None
    first = len(write_run(earlier, head.base, head.code, ctx))
    units = write_run(cell, head.base, head.code, ctx)[first:]
    longer = "\n\n".join([text, *(format_unit(unit, "# %%%", ctx.escaper) for unit in units)])
    return longer if _holds_run(longer, head, ctx) else None


def _holds_run(text: str, head: Head, ctx: Context) -> bool:
    """Whether a text is a run of units that says what stands below `head`."""
    units = split_outputs(text)
    if not units or "".join(units) != text or split_cells(text)[1] or Segment.of(text).gap:
        return False
    if head.cell["cell_type"] == "code":
        return same_run(read_run_text(text, head.base, head.code, ctx), head.cell)
    found = read_attachments(parse_units(text, ctx))
    return bool(found) and jsontext.same(found, head.cell.get("attachments"))


def _says_same(block: str, canonical: str) -> bool:
    """Whether a verbatim frontmatter holds what the canonical one holds."""
    if split_frontmatter(block) != len(block):
        return False
    given = read_metadata(*parse_frontmatter(block))
    wanted = read_metadata(*(parse_frontmatter(canonical) if canonical else (None, None)))
    return jsontext.same(list(given), list(wanted))


def _with_heading(document: str, heading: str) -> str:
    parts = split_section(document, heading)
    if parts is not None and not parts[1].strip(" \t\r\n"):
        return document
    return append_section(document, heading)


def _finds_section(text: str, pieces: Pieces) -> bool:
    """Whether a reader finds the messages where they were written."""
    if all(head is None for head, _ in pieces.cells):
        return True
    # A fence that the frontmatter seems to open ends with it.
    text = text[len(pieces.frontmatter) :]
    parts = split_section(text, pieces.heading or "")
    above = text.find(pieces.document) + len(pieces.document)
    return parts is not None and len(parts[0]) == above


def _gap(bits: dict[str, str], key: str) -> str | None:
    gap = bits.get(key)
    return gap if gap is not None and (gap == "" or gap[0] in "\r\n") and not _ink(gap) else None


def _blank(text: str) -> str:
    return "" if _ink(text) else text


def _ink(text: str) -> str:
    return text.strip(" \t\r\n")
