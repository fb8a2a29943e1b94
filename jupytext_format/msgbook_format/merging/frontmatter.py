"""Three-way merge of frontmatter: YAML mappings, key by key, as lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from msgbook_format.document.reader import reads_metadata
from msgbook_format.merging.lines import merge_lines
from msgbook_format.merging.order import merge_order
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
