"""Mends what can be mended without changing what the notebook says."""

from __future__ import annotations

from typing import Any

from msgbook_format.checks.checked_text import parse_for_checks
from msgbook_format.checks.file_rules import bom, mixed_line_ends
from msgbook_format.checks.lookalikes import fence_run
from msgbook_format.checks.marker_rules import fences
from msgbook_format.document.reader import reads
from msgbook_format.jsontext import is_same
from msgbook_format.syntax.split import BOM


def fix(text: str) -> str:
    """`text` without its fixable findings; the notebook it holds stays the same.

    That is: aside from verbatim bits, `reads` gives an equal notebook. What is mended is a byte
    order mark, line ends where CRLF and LF are mixed, and a `[code]` cell's fence that is open.
    """
    for mend in (_drop_bom, _even_line_ends, _close_fences):
        mended = mend(text)
        if mended != text and _same(text, mended):
            text = mended
    return text


def _drop_bom(text: str) -> str:
    fixable = any(finding.fixable for finding in bom(parse_for_checks(text)))
    return text.removeprefix(BOM) if fixable else text


def _even_line_ends(text: str) -> str:
    fixable = any(finding.fixable for finding in mixed_line_ends(parse_for_checks(text)))
    return text.replace("\r\n", "\n") if fixable else text


def _close_fences(text: str) -> str:
    checked = parse_for_checks(text)
    open_lines = {finding.line for finding in fences(checked) if finding.fixable}
    if not open_lines:
        return text
    lines = text.split("\n")
    for located in reversed(checked.text_cells):
        fence = located.lookalikes.open_fence if located.role == "code" else None
        if fence is not None and fence.number in open_lines:
            end = located.line + located.text.count("\n")
            cr = "\r" if lines[end - 1].endswith("\r") else ""
            lines.insert(end, fence_run(fence.text) + cr)
    return "\n".join(lines)


def _same(left: str, right: str) -> bool:
    """Whether two texts hold one notebook, aside from verbatim bits."""
    return is_same(_without_bits(reads(left)), _without_bits(reads(right)))


def _without_bits(notebook: dict[str, Any]) -> dict[str, Any]:
    """A notebook without its verbatim bits, in place."""
    for node in (notebook, *notebook["cells"]):
        ours = node["metadata"].get("msgbook")
        if isinstance(ours, dict) and ours.pop("text", None) is not None and not ours:
            del node["metadata"]["msgbook"]
    return notebook
