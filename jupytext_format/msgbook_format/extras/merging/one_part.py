"""Three-way merge of one part of a text: its frontmatter, key by key as lines, or a cell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from msgbook_format.document.reader import reads_metadata
from msgbook_format.extras.merging.conflicts import Labels, can_hold_marks, join_chunks
from msgbook_format.extras.merging.parts import CellPart, lines_of, merge_lines, merge_order
from msgbook_format.syntax.frontmatter import parse_frontmatter, split_frontmatter
from msgbook_format.syntax.yaml_nodes import YamlError, compose

_KEY = re.compile(
    r"( *)((?:\"(?:[^\"\\]|\\.)*\"|'[^']*'|[^\s#:'\"\-\[\]{},&*!|>%@`?][^:#\n]*?|-\S[^:#\n]*?) *:)(?=\s|\Z)"
)
_ABOVE = ""
"""Stands for the comments above the first key."""


@dataclass(slots=True)
class MergedLines:
    """Merged lines; where both sides changed a key, the line of `ours` is in force."""

    lines: list[str] = field(default_factory=list)
    conflicts: list[tuple[list[str], list[str]]] = field(default_factory=list)
    """Lines of `ours` and `theirs`."""


def merge_frontmatter(
    base: str | None, ours: str | None, theirs: str | None
) -> tuple[str | None, list[tuple[list[str], list[str]]]]:
    """Return the frontmatter of a merge, and its conflicts. It can be read if those of both sides can.

    None stands for no frontmatter.
    """
    if ours == theirs or base == theirs:
        return ours, []
    if base == ours:
        return theirs, []
    inner = [_inner(text) if text else [] for text in (base, ours, theirs)]
    merged = _merge(*inner)
    if not merged.lines and (ours is None or theirs is None):
        return None, merged.conflicts
    opening, *_, closing = (ours or theirs or "").split("\n")
    text = "\n".join([opening, *merged.lines, closing])
    readable = [side for side in (ours, theirs) if side is not None and _is_readable(side)]
    if readable and not _is_readable(text):
        return readable[0], [(inner[1], inner[2])]
    return text, merged.conflicts


def _inner(text: str) -> list[str]:
    return text.split("\n")[1:-1]


def _is_readable(text: str) -> bool:
    if split_frontmatter(text) != len(text):
        return False
    user, ours = parse_frontmatter(text)
    if ours is None and re.search(r"^jupyter:", text, re.M):
        return False
    try:
        compose(user)
    except YamlError:
        return False
    reads_metadata(text)
    return True


def _merge(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> MergedLines:
    mappings = [_read_mapping(lines) for lines in (base, ours, theirs)]
    old, mine, their = mappings
    if old is None or mine is None or their is None:
        return _merge_as_lines(base, ours, theirs)
    result = MergedLines()
    texts = {
        key: _merge_value(key, old.get(key), mine.get(key), their.get(key), result)
        for key in {**mine, **their}
    }
    kept = {key for key, lines in texts.items() if lines is not None}
    for key in merge_order(list(old), list(mine), list(their), kept):
        result.lines += texts[key] or []
    return result


def _merge_value(
    key: str,
    base: list[str] | None,
    ours: list[str] | None,
    theirs: list[str] | None,
    result: MergedLines,
) -> list[str] | None:
    """Return the lines of a key and its value; None if it was deleted."""
    if ours == theirs or base == theirs:
        return ours
    if base == ours:
        return theirs
    if ours and theirs and key == _ABOVE:
        comments = _merge_as_lines(base or [], ours, theirs)
        result.conflicts += comments.conflicts
        return comments.lines
    if ours and theirs and ours[0] == theirs[0] and ours[0].endswith(":"):
        old = base[1:] if base and base[0] == ours[0] else []
        below = _merge(old, ours[1:], theirs[1:])
        result.conflicts += below.conflicts
        return [ours[0], *below.lines]
    result.conflicts.append((ours or [], theirs or []))
    return ours if ours is not None else theirs


def _merge_as_lines(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> MergedLines:
    result = MergedLines()
    for chunk in merge_lines(base, ours, theirs):
        result.lines += chunk.ours
        if chunk.theirs is not None:
            result.conflicts.append((chunk.ours, chunk.theirs))
    return result


def _read_mapping(lines: Sequence[str]) -> dict[str, list[str]] | None:
    """Return the lines of each key of a block mapping; None for anything else."""
    mapping: dict[str, list[str]] = {}
    indent: int | None = None
    key = _ABOVE
    for line in lines:
        is_blank = not line.strip() or line.lstrip().startswith("#")
        depth = len(line) - len(line.lstrip(" "))
        if not is_blank and (indent is None or depth <= indent):
            match = _KEY.match(line)
            if match is None:
                if (
                    indent is not None
                    and depth == indent
                    and line[depth:].startswith(("- ", "-\n"))
                ):
                    # A list may stand as far to the left as its key.
                    mapping[key].append(line)
                    continue
                return None
            if indent is not None and depth < indent:
                return None
            indent = depth
            key = match[2]
            if key in mapping:
                return None
        mapping.setdefault(key, []).append(line)
    return mapping


# Three-way merge of one cell.


@dataclass(frozen=True, slots=True)
class MergedCell:
    """A cell of which one text was made."""

    text: str
    conflicts: int = 0
    """Conflicts in the body."""


def merge_cell(
    base: CellPart | None, ours: CellPart, theirs: CellPart, labels: Labels
) -> MergedCell | None:
    """Return the merge of a cell that both sides have; None if both versions have to stay.

    Outputs go with the body: an answer belongs to the prompt that it answers. Marker and
    footnote, and lines of the body, merge if no answer is concerned.
    """
    if ours.text == theirs.text or (base is not None and base.text == theirs.text):
        return MergedCell(ours.text)
    if base is not None and base.text == ours.text:
        return MergedCell(theirs.text)
    head = _choose(base.head if base else None, ours.head, theirs.head)
    if head is None:
        return None
    if ours.outputs != theirs.outputs:
        side = _answered(base, ours, theirs)
        return None if side is None else MergedCell(_replace_head(side, head))
    if ours.body == theirs.body:
        return MergedCell(_replace_head(ours, head))
    if base is not None and base.body in (ours.body, theirs.body):
        side = theirs if base.body == ours.body else ours
        return MergedCell(_replace_head(side, head))
    if ours.is_json or theirs.is_json:
        return None
    bodies = [lines_of(cell.body if cell else "") for cell in (base, ours, theirs)]
    chunks = merge_lines(*bodies)
    if not can_hold_marks(chunks):
        return None
    body = join_chunks(chunks, labels)
    side = ours if ours.body else theirs
    before, _, after = _split(side)
    conflicts = sum(chunk.theirs is not None for chunk in chunks)
    return MergedCell(f"{head}{before}{body}{after}", conflicts)


def _answered(base: CellPart | None, ours: CellPart, theirs: CellPart) -> CellPart | None:
    """Return the side that alone changed body and outputs; None if both did."""
    if base is None:
        return None
    mine, old = (ours.body, ours.outputs), (base.body, base.outputs)
    if mine == old:
        return theirs
    return ours if (theirs.body, theirs.outputs) == old else None


def _choose(base: str | None, ours: str, theirs: str) -> str | None:
    if ours == theirs or base == theirs:
        return ours
    return theirs if base == ours else None


def _replace_head(cell: CellPart, head: str) -> str:
    return head + cell.text[len(cell.head) :]


def _split(cell: CellPart) -> tuple[str, str, str]:
    """Return the blank lines above the body, the body, and all that is below it."""
    rest = cell.text[len(cell.head) :]
    start = rest.find(cell.body) if cell.body else len(rest)
    return rest[:start], cell.body, rest[start + len(cell.body) :]
