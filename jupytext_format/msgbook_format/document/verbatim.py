"""The bits of a text that its notebook, written anew, would not give back."""

from __future__ import annotations

from typing import Any

from msgbook_format.document.writer import write_pieces
from msgbook_format.syntax.split import Layout, usual_gap
from msgbook_format.syntax.text_cell import Segment

Source = tuple[Segment, Segment | None]
"""Head and outputs of a cell as they stand in the text."""

_ROUNDS = 3


def keep_verbatim(notebook: dict[str, Any], layout: Layout, sources: list[Source]) -> None:
    """Put into `metadata.msgbook.text` of notebook and cells what writing would lose, in place.

    A canonical text leaves no bits.
    """
    _keep_edges(notebook, layout)
    _keep_gaps(notebook, layout, sources)
    for _ in range(_ROUNDS):
        if not _keep_cores(notebook, layout, sources):
            return
    # A spelling of one cell can change how another is written; all of them cannot.
    for cell, (head, outputs) in zip(notebook["cells"], sources, strict=True):
        _keep(cell, "cell", head.core)
        if outputs is not None:
            _keep(cell, "outputs", outputs.core)


def _keep_edges(notebook: dict[str, Any], layout: Layout) -> None:
    if layout.bom:
        _keep(notebook, "bom", "1")
    if layout.crlf:
        _keep(notebook, "crlf", "1")
    if layout.lead:
        _keep(notebook, "lead", layout.lead)


def _keep_gaps(notebook: dict[str, Any], layout: Layout, sources: list[Source]) -> None:
    segments: list[tuple[dict[str, Any], str, Segment]] = []
    if layout.frontmatter is not None:
        segments.append((notebook, "frontmatter_gap", layout.frontmatter))
    if layout.document is not None:
        segments.append((notebook, "document_gap", layout.document))
    for cell, (head, outputs) in zip(notebook["cells"], sources, strict=True):
        segments.append((cell, "cell_gap", head))
        if outputs is not None:
            segments.append((cell, "outputs_gap", outputs))
    usual = usual_gap(last=False)
    last = len(segments) - 1
    for index, (node, key, segment) in enumerate(segments):
        if segment.gap != (usual if index != last else usual_gap(last=True)):
            _keep(node, key, segment.gap)


def _keep_cores(notebook: dict[str, Any], layout: Layout, sources: list[Source]) -> bool:
    """Keep each core that would be written otherwise; whether there was a new one."""
    pieces = write_pieces(notebook)
    found = False
    frontmatter = layout.frontmatter.core if layout.frontmatter else ""
    if frontmatter != pieces.frontmatter:
        found |= _keep(notebook, "frontmatter", frontmatter)
    for cell, source, written in zip(notebook["cells"], sources, pieces.cells, strict=True):
        head, outputs = source
        if head.core != written[0]:
            found |= _keep(cell, "cell", head.core)
        if outputs is not None and outputs.core != written[1]:
            found |= _keep(cell, "outputs", outputs.core)
    return found


def _keep(node: dict[str, Any], key: str, text: str) -> bool:
    """Set a bit; whether it is new."""
    bits = node["metadata"].setdefault("msgbook", {}).setdefault("text", {})
    new = key not in bits
    bits[key] = text
    return new
