"""The text of a head after an edit: lines that the edit left alone stay as they were."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from msgbook_format.cells.cell import ReadCell, read_lone_head
from msgbook_format.cells.code import replace_code
from msgbook_format.cells.head import has_same_head
from msgbook_format.syntax.attributes import format_footnote
from msgbook_format.syntax.dialect import Dialect
from msgbook_format.syntax.text_cell import TextCell, find_footnote

_BLANK_LINES = re.compile(r"(?:[ \t\r]*\n)*")
_BLANKS = " \t\r"
_USUAL_GAP = "\n\n"


@dataclass(slots=True, frozen=True)
class HeadText:
    """The text of a head in parts; `join` puts them together again."""

    marker: str
    joint: str
    """Line ends and blank lines between marker and footnote."""
    footnote: str
    """Empty without one."""
    gap: str
    """Line ends and blank lines above the body."""
    body: str
    """With its escapes."""

    @classmethod
    def from_text(cls, text: str, label: str | None) -> HeadText:
        """Return the parts of a text that begins with a marker with this label."""
        end = _line_end(text, 0)
        start = _skip_blank(text, end)
        marker, joint, footnote = text[:end], "", ""
        found = None if label is None else find_footnote(text, label)
        if found is not None:
            joint, footnote, end = text[end : found[0]], text[found[0] : found[1]], found[1]
            start = _skip_blank(text, end)
        return cls(marker, joint, footnote, text[end:start], text[start:])

    def without_footnote(self) -> HeadText:
        """Return the parts without the footnote."""
        return replace(self, joint="", footnote="")

    def join(self) -> str:
        """Return the text of all parts; the usual gap comes before a part that was added."""
        head = self.marker
        if self.footnote:
            head += (self.joint or _USUAL_GAP) + self.footnote
        return head + (self.gap or _USUAL_GAP) + self.body if self.body else head


def respell(
    old: ReadCell, cell: dict[str, Any], canonical: TextCell, dialect: Dialect
) -> ReadCell | None:
    """Return a text of `cell` that keeps as many parts of `old` as it can; None without any.

    The label stays. `canonical` is the head of the cell as it would be written without its text.
    """
    parts = HeadText.from_text(old.text.head.core, old.head.label)
    is_code = canonical.type == "code" and cell["cell_type"] == "code"
    for head in _heads(parts, old.head, canonical):
        for body in dict.fromkeys(_bodies(parts, old, cell, canonical, dialect)):
            found = read_lone_head(replace(head, body=body).join(), dialect)
            if found is None or found.is_json or found.is_code != is_code:
                continue
            if has_same_head(found.cell, cell, is_code) and found.claim.id == old.claim.id:
                return found
    return None


def add_id(old: ReadCell, cell_id: str, dialect: Dialect) -> ReadCell | None:
    """Return the text of `old` with `cell_id` as its id; None where there is no place for it."""
    if old.is_json:
        return None
    label = old.head.label
    parts = HeadText.from_text(old.text.head.core, label)
    attribute = f'id="{cell_id}"'
    if label is None:
        joint = " " if old.head.title is None else ""
        new = replace(parts, marker=_append(parts.marker, f"{joint}[^{cell_id}]"))
    elif parts.footnote:
        new = replace(parts, footnote=_append(parts.footnote, f" {attribute}"))
    else:
        new = replace(parts, footnote=f"[^{label}]: [{old.head.type or 'markdown'}] {attribute}")
    found = read_lone_head(new.join(), dialect)
    if found is None or found.is_json or found.claim.id != cell_id or found.is_code != old.is_code:
        return None
    return found if has_same_head(found.cell, old.cell, found.is_code) else None


def _heads(parts: HeadText, old: TextCell, canonical: TextCell) -> Iterator[HeadText]:
    """Yield the old marker and footnote, then with one of them new, then with both."""
    level, _, rest = parts.marker.partition(" ")
    marker = f"{level} %%%" if rest.startswith("%%%") else f"{level} %%"
    if canonical.title is not None:
        marker = f"{marker} {canonical.title}"
    yield parts
    if old.label is None:
        yield replace(parts, marker=marker)
        return
    marker += f" [^{old.label}]" if canonical.title is None else f"[^{old.label}]"
    ids = [(key, value) for key, value in old.attributes if key == "id"][:1]
    attributes = format_footnote(canonical.type, ids + canonical.attributes)
    footnote = f"[^{old.label}]: {attributes}"
    yield replace(parts, footnote=footnote)
    yield replace(parts, marker=marker)
    yield replace(parts, marker=marker, footnote=footnote)


def _bodies(
    parts: HeadText, old: ReadCell, cell: dict[str, Any], canonical: TextCell, dialect: Dialect
) -> Iterator[str]:
    """Yield the old body, then the old body with other code in its fence, then a new one."""
    if cell["source"] == old.cell["source"]:
        yield parts.body
    if canonical.type == "code" and old.is_code:
        body = replace_code(parts.body, cell["source"], dialect)
        if body is not None:
            yield body
    yield dialect.escaper.escape(canonical.body)


def _append(line: str, text: str) -> str:
    """Return `line` with `text` before the blanks at its end."""
    stripped = line.rstrip(_BLANKS)
    return f"{stripped}{text}{line[len(stripped) :]}"


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _skip_blank(text: str, start: int) -> int:
    match = _BLANK_LINES.match(text, start)
    return match.end() if match else start
