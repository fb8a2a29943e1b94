"""Verbatim bits: parts of a text that are lost when its notebook is written again."""

from __future__ import annotations

from typing import Any

from msgbook_format.document.writer import write_parts
from msgbook_format.syntax.markers import marker_level
from msgbook_format.syntax.section import level_below
from msgbook_format.syntax.segments import Segment, usual_gap
from msgbook_format.syntax.split import SplitCell, SplitText

_MAX_ROUNDS = 3


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
