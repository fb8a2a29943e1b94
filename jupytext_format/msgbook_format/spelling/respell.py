"""The spelling of a head that does not say its cell any more: what an edit left alone stays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from msgbook_format.cells.cell import Stretch, read_stretch
from msgbook_format.cells.code import replace_code
from msgbook_format.cells.head import same_head
from msgbook_format.syntax.attributes import format_tail, parse_tail
from msgbook_format.syntax.dialect import Context
from msgbook_format.syntax.text_cell import Unit

_BLANK_LINES = re.compile(r"(?:[ \t\r]*\n)*")
_BLANKS = " \t\r"
_USUAL_GAP = "\n\n"


@dataclass(slots=True, frozen=True)
class Spelling:
    """The text of a head in parts: put together as `text` does, they are that text."""

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
    def of(cls, text: str, label: str | None) -> Spelling:
        """The parts of a text that begins with a marker with this label."""
        end = _line_end(text, 0)
        start = _skip_blank(text, end)
        marker, joint, footnote = text[:end], "", ""
        if label is not None and text.startswith(f"[^{label}]:", start):
            line = text[start : _line_end(text, start)]
            if parse_tail(line[len(label) + 4 :]) is not None:
                joint, footnote, end = text[end:start], line, start + len(line)
                start = _skip_blank(text, end)
        return cls(marker, joint, footnote, text[end:start], text[start:])

    @property
    def text(self) -> str:
        head = self.marker
        if self.footnote:
            head += (self.joint or _USUAL_GAP) + self.footnote
        return head + (self.gap or _USUAL_GAP) + self.body if self.body else head


def respell(stretch: Stretch, cell: dict[str, Any], unit: Unit, ctx: Context) -> Stretch | None:
    """A spelling of `cell` with as many lines of `stretch` as still say it; None without any.

    `unit` is the head of the cell as it is written anew. The label stays.
    """
    old = Spelling.of(stretch.head.core, stretch.unit.label)
    code = unit.kind == "code" and cell["cell_type"] == "code"
    for head in _heads(old, stretch.unit, unit):
        for body in dict.fromkeys(_bodies(old, stretch, cell, unit, ctx)):
            found = read_stretch(replace(head, body=body).text, ctx)
            if found is None or found.whole or found.code != code:
                continue
            if same_head(found.cell, cell) and found.claim.id == stretch.claim.id:
                return found
    return None


def name(stretch: Stretch, cell_id: str, ctx: Context) -> Stretch | None:
    """The spelling of `stretch` with `cell_id` as its id; None where there is no place for it."""
    if stretch.whole:
        return None
    label = stretch.unit.label
    old = Spelling.of(stretch.head.core, label)
    given = f'id="{cell_id}"'
    if label is None:
        joint = " " if stretch.unit.title is None else ""
        new = replace(old, marker=_append(old.marker, f"{joint}[^{cell_id}]"))
    elif old.footnote:
        new = replace(old, footnote=_append(old.footnote, f" {given}"))
    else:
        kind = stretch.unit.kind or "markdown"
        new = replace(old, footnote=f"[^{label}]: [{kind}] {given}")
    found = read_stretch(new.text, ctx)
    if found is None or found.whole or found.claim.id != cell_id or found.code != stretch.code:
        return None
    return found if same_head(found.cell, stretch.cell) else None


def _heads(old: Spelling, was: Unit, unit: Unit) -> Iterator[Spelling]:
    """The old marker and footnote, then with one of them new, then with both."""
    level = old.marker.partition(" ")[0]
    marker = f"{level} %%" if unit.title is None else f"{level} %% {unit.title}"
    yield old
    if was.label is None:
        yield replace(old, marker=marker)
        return
    marker += f" [^{was.label}]" if unit.title is None else f"[^{was.label}]"
    ids = [(key, value) for key, value in was.attrs if key == "id"][:1]
    footnote = f"[^{was.label}]: {format_tail(unit.kind, ids + unit.attrs)}"
    yield replace(old, footnote=footnote)
    yield replace(old, marker=marker)
    yield replace(old, marker=marker, footnote=footnote)


def _bodies(
    old: Spelling, stretch: Stretch, cell: dict[str, Any], unit: Unit, ctx: Context
) -> Iterator[str]:
    """The old body, then with other code in its fence, then a new one."""
    if cell["source"] == stretch.cell["source"]:
        yield old.body
    if unit.kind == "code" and stretch.code:
        body = replace_code(old.body, cell["source"], ctx)
        if body is not None:
            yield body
    yield ctx.escaper.escape(unit.body)


def _append(line: str, text: str) -> str:
    """`line` with `text` before the blanks at its end."""
    ink = line.rstrip(_BLANKS)
    return f"{ink}{text}{line[len(ink) :]}"


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _skip_blank(text: str, start: int) -> int:
    match = _BLANK_LINES.match(text, start)
    return match.end() if match else start
