"""Fixes that do not change the notebook which a text holds."""

from __future__ import annotations

from typing import Any

from msgbook_format.checks.checked_text import parse_for_checks
from msgbook_format.checks.file_rules import check_bom, check_mixed_line_ends
from msgbook_format.checks.lookalikes import fence_run
from msgbook_format.checks.marker_rules import check_fences
from msgbook_format.document.reader import reads
from msgbook_format.jsontext import is_same
from msgbook_format.syntax.split import BOM


def fix(text: str) -> str:
    """Return `text` without its fixable findings.

    Aside from verbatim bits, `reads` gives an equal notebook. Fixed are a byte order mark, line
    ends that mix CRLF and LF, and an open fence of a `[code]` cell.
    """
    for fix_one in (_drop_bom, _even_line_ends, _close_fences):
        fixed = fix_one(text)
        if fixed != text and is_same_notebook(text, fixed):
            text = fixed
    return text


def _drop_bom(text: str) -> str:
    fixable = any(finding.fixable for finding in check_bom(parse_for_checks(text)))
    return text.removeprefix(BOM) if fixable else text


def _even_line_ends(text: str) -> str:
    fixable = any(finding.fixable for finding in check_mixed_line_ends(parse_for_checks(text)))
    return text.replace("\r\n", "\n") if fixable else text


def _close_fences(text: str) -> str:
    checked = parse_for_checks(text)
    open_lines = {finding.line for finding in check_fences(checked) if finding.fixable}
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


def is_same_notebook(left: str, right: str) -> bool:
    """Return whether two texts hold the same notebook, aside from verbatim bits."""
    return is_same(_without_bits(reads(left)), _without_bits(reads(right)))


def _without_bits(notebook: dict[str, Any]) -> dict[str, Any]:
    """Remove the verbatim bits of a notebook, in place, and return it."""
    for node in (notebook, *notebook["cells"]):
        msgbook = node["metadata"].get("msgbook")
        if isinstance(msgbook, dict) and msgbook.pop("text", None) is not None and not msgbook:
            del node["metadata"]["msgbook"]
    return notebook
