"""Writing: from notebook to text."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from msgbook_format import jsontext
from msgbook_format.cells.cell import (
    parse_output_cells,
    read_attachments,
    read_outputs,
    write_attachments,
)
from msgbook_format.document.notebook_metadata import (
    NBFORMAT_MINOR,
    minor_of,
    read_metadata,
    write_metadata,
)
from msgbook_format.outputs.cell_outputs import has_same_outputs, write_cell_outputs
from msgbook_format.outputs.file_references import without_loaded
from msgbook_format.outputs.output_history import first_outputs
from msgbook_format.spelling.heads import PlannedHead, is_trailing_blank, verbatim_bits
from msgbook_format.spelling.labels import OwnTexts, plan_heads
from msgbook_format.syntax.dialect import Dialect
from msgbook_format.syntax.frontmatter import (
    format_frontmatter,
    parse_frontmatter,
    section_name,
    split_frontmatter,
)
from msgbook_format.syntax.lines import MAX_LEVEL, find_markers
from msgbook_format.syntax.split import (
    BOM,
    Segment,
    append_section,
    end_line,
    join_segments,
    level_below,
    split_output_cells,
    split_section,
)
from msgbook_format.syntax.text_cell import TextCell, format_text_cell

_LEVELS = frozenset(str(level) for level in range(1, MAX_LEVEL + 1))


@dataclass(slots=True)
class WrittenParts:
    """Text of each part of a notebook, without the gaps after the parts."""

    frontmatter: str
    document: str
    """Text above a message section, with its heading if there are messages."""
    heading: str | None
    cells: list[tuple[str | None, str | None]] = field(default_factory=list)
    """Head and output cells of each cell; None for what is not written."""


def writes(notebook: dict[str, Any], *, verbatim: bool = True) -> str:
    """Return the text of a notebook; equal notebooks give equal text.

    Args:
        notebook: Is not modified. If it is older than nbformat 4, a converted copy is written.
        verbatim: Whether text that was read is used again where its meaning has not changed.
    """
    if notebook.get("nbformat") != 4:
        notebook = _converted(notebook)
    notebook = without_loaded(notebook)
    parts = write_parts(notebook, verbatim=verbatim)
    bits = verbatim_bits(notebook) if verbatim else {}
    segments: list[tuple[str, str | None]] = []
    if parts.frontmatter:
        segments.append((parts.frontmatter, _gap(bits, "frontmatter_gap")))
    if parts.document:
        segments.append((parts.document, _gap(bits, "document_gap")))
    for cell, (head, outputs) in zip(notebook["cells"], parts.cells, strict=True):
        cell_bits = verbatim_bits(cell) if verbatim else {}
        if head is not None:
            segments.append((head, _gap(cell_bits, "cell_gap")))
        if outputs is not None:
            segments.append((outputs, _gap(cell_bits, "outputs_gap")))
    text = join_segments(segments)
    if verbatim and parts.heading is not None and not _finds_section(text, parts):
        return writes(notebook, verbatim=False)
    if not parts.frontmatter:
        lead = _blank(bits.get("lead", ""))
        text = (end_line(lead) if text else lead) + text
    if "crlf" in bits and "\r" not in text:
        text = text.replace("\n", "\r\n")
    return BOM + text if "bom" in bits else text


def _converted(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return an older notebook as nbformat 4; the one given is not modified."""
    # This import takes seconds where a grammar for IRIs is installed, as JupyterLab does.
    import nbformat

    from msgbook_format.nodes import as_nodes

    converted: dict[str, Any] = nbformat.convert(as_nodes(deepcopy(notebook)), 4)
    return converted


def write_parts(notebook: dict[str, Any], *, verbatim: bool = True) -> WrittenParts:
    """Return the text of each part of a notebook of nbformat 4."""
    bits = verbatim_bits(notebook) if verbatim else {}
    parts = _write_top(notebook, bits)
    heading = parts.heading
    own = OwnTexts(notebook["cells"], parts.document, verbatim=verbatim)
    dialect = Dialect.from_metadata(notebook["metadata"], heading)

    def fits_start(text: str) -> bool:
        if parts.frontmatter or parts.document:
            return True
        lead = end_line(_blank(bits.get("lead", "")))
        if not lead and "bom" not in bits and text.startswith(BOM):
            return False
        return split_frontmatter(f"{lead}{text}\n") == 0

    has_ids = minor_of(notebook) >= NBFORMAT_MINOR
    level = 1 if heading is None else level_below(_with_heading(parts.document, heading))
    if bits.get("level", "") in _LEVELS:
        level = int(bits["level"])
    heads = plan_heads(notebook["cells"], own, dialect, fits_start, has_ids=has_ids, level=level)
    for index, head in enumerate(heads):
        if index == len(heads) - 1 and is_trailing_blank(head):
            parts.cells.append((None, None))
        else:
            text = _outputs_text(head, own.outputs(index), dialect)
            parts.cells.append((head.format(dialect), text))
    placed = own.restore(parts.cells)
    if heads and heads[0].is_preamble:
        text = placed[0][0]
        if text is not None and text != own.written_head(0) and not (text and fits_start(text)):
            # Its footnotes have left it. Below a marker it is text, and no place for those of others.
            placed = [(heads[0].with_marker(dialect), None), *parts.cells[1:]]
    parts.cells = placed
    if heading is not None and any(head is not None for head, _ in parts.cells):
        parts.document = _with_heading(parts.document, heading)
    return parts


def _write_top(notebook: dict[str, Any], bits: dict[str, str]) -> WrittenParts:
    """Return the parts of a notebook that are above its cells."""
    user, document, ours = write_metadata(notebook)
    heading = section_name(user) if user else None
    if heading is None and document is not None:
        # Without a section, there is no text above the messages.
        metadata = ours.get("metadata", {})
        msgbook = {**metadata.get("msgbook", {}), "document": document}
        ours["metadata"], document = {**metadata, "msgbook": msgbook}, None
    frontmatter = format_frontmatter(user, ours)
    if "frontmatter" in bits and _holds_same(bits["frontmatter"], frontmatter):
        frontmatter = bits["frontmatter"]
    return WrittenParts(frontmatter, document or "", heading)


def _outputs_text(head: PlannedHead, text: str | None, dialect: Dialect) -> str | None:
    """Return the output cells below a head; `text` are those that were read there."""
    cell = head.cell
    if head.is_json:
        return None
    if text is not None:
        if _holds_outputs(text, head, dialect):
            return text
        longer = _continued(text, head, dialect)
        if longer is not None:
            return longer
    if cell["cell_type"] == "code":
        output_cells = write_cell_outputs(cell, head.base, head.is_code, dialect)
    else:
        output_cells = write_attachments(cell.get("attachments", {}), head.base)
    return _format_output_cells(output_cells, head.level, dialect) if output_cells else None


def _format_output_cells(output_cells: list[TextCell], level: int, dialect: Dialect) -> str:
    marker = "#" * level + " %%%"
    return "\n\n".join(format_text_cell(cell, marker, dialect.escaper) for cell in output_cells)


def _continued(text: str, head: PlannedHead, dialect: Dialect) -> str | None:
    """Append the further outputs of a cell to a text that holds its first ones.

    Returns None if it holds others.
    """
    cell = head.cell
    if cell["cell_type"] != "code":
        return None
    count = len(read_outputs(text, head.base, head.is_code, dialect).outputs)
    earlier = first_outputs(cell, count)
    if count in (0, len(cell["outputs"])) or not _holds_outputs(
        text, replace(head, cell=earlier), dialect
    ):
        return None
    first = len(write_cell_outputs(earlier, head.base, head.is_code, dialect))
    output_cells = write_cell_outputs(cell, head.base, head.is_code, dialect)[first:]
    longer = f"{text}\n\n{_format_output_cells(output_cells, head.level, dialect)}"
    return longer if _holds_outputs(longer, head, dialect) else None


def _holds_outputs(text: str, head: PlannedHead, dialect: Dialect) -> bool:
    """Return whether a text is output cells with everything that is below `head`."""
    output_cells = split_output_cells(text)
    if (
        not output_cells
        or "".join(output_cells) != text
        or not all(of_output for _, of_output in find_markers(text))
        or Segment.from_text(text).gap
    ):
        return False
    if head.cell["cell_type"] == "code":
        outputs = read_outputs(text, head.base, head.is_code, dialect)
        return has_same_outputs(outputs, head.cell, has_times=head.has_times)
    found = read_attachments(parse_output_cells(text, dialect))
    return bool(found) and jsontext.is_same(found, head.cell.get("attachments"))


def _holds_same(block: str, canonical: str) -> bool:
    """Return whether a verbatim frontmatter holds the same as the canonical one."""
    if split_frontmatter(block) != len(block):
        return False
    given = read_metadata(*parse_frontmatter(block))
    wanted = read_metadata(*(parse_frontmatter(canonical) if canonical else (None, None)))
    return jsontext.is_same(list(given), list(wanted))


def _with_heading(document: str, heading: str) -> str:
    found = split_section(document, heading)
    if found is not None and not found[1].strip(" \t\r\n"):
        return document
    return append_section(document, heading)


def _finds_section(text: str, parts: WrittenParts) -> bool:
    """Return whether a reader finds the messages where they were written."""
    if all(head is None for head, _ in parts.cells):
        return True
    # A fence that the frontmatter seems to open does not reach beyond it.
    text = text[len(parts.frontmatter) :]
    found = split_section(text, parts.heading or "")
    above = text.find(parts.document) + len(parts.document)
    return found is not None and len(found[0]) == above


def _gap(bits: dict[str, str], key: str) -> str | None:
    gap = bits.get(key)
    return gap if gap is not None and gap[:1] in ("", "\r", "\n") and _blank(gap) == gap else None


def _blank(text: str) -> str:
    return "" if text.strip(" \t\r\n") else text
