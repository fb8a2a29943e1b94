"""Unified diffs, in time that grows slowly with the size of the files."""

from __future__ import annotations

import hashlib

from msgbook.text import visible

_CONTEXT = 3
_SEARCHED = 2000
"""Changed lines on one side above which all are shown as replaced: finding a shorter diff takes quadratic
time."""
_SHOWN = 500_000
"""Characters of a diff that are shown. Jupyter's server drops messages of several megabytes, so that the
question would be lost."""

_Opcode = tuple[str, int, int, int, int]


def unified_diff(old: str, new: str, name: str) -> str:
    """Return the changes from one text to the other; empty for none.

    Different line ends count (`\\r` is shown), and so does a missing line end of the last line.
    """
    before, after = _lines(old), _lines(new)
    hunks = [_hunk(group, before, after) for group in _groups(before, after)]
    if not hunks:
        return ""
    shown = visible(name)
    return "".join([f"--- {shown}\n", f"+++ {shown}\n", *hunks])


def preview(old: str, new: str, name: str) -> str:
    """Return the diff as a person sees it.

    A very long diff is cut and begins with a line that says so. The line has the digest of the complete
    diff, so that an approval of one diff does not cover another.
    """
    text = visible(unified_diff(old, new, name).replace("\r", "\\r"), keep="\t\n")
    if len(text) <= _SHOWN:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    head = f"[Only {_SHOWN} of the {len(text)} characters of this diff are shown; its sha256: {digest}]"
    return f"{head}\n{text[:_SHOWN]}\n[... {len(text) - _SHOWN} more characters]"


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    last = lines.pop()
    complete = [line + "\n" for line in lines]
    return [*complete, f"{last}\n\\ No newline at end of file\n"] if last else complete


def _groups(before: list[str], after: list[str]) -> list[list[_Opcode]]:
    """Return difflib's opcodes in hunks; only the part that differs is searched."""
    if before == after:
        return []
    head = _common(before, after)
    tail = min(_common(before[::-1], after[::-1]), len(before) - head, len(after) - head)
    first = max(head - _CONTEXT, 0)
    kept = head - first
    trailing = min(tail, _CONTEXT)
    a = before[first : len(before) - tail + trailing]
    b = after[first : len(after) - tail + trailing]
    if max(len(a), len(b)) > _SEARCHED:
        end_a, end_b = len(a) - trailing, len(b) - trailing
        groups: list[list[_Opcode]] = [
            [
                ("equal", 0, kept, 0, kept),
                ("replace", kept, end_a, kept, end_b),
                ("equal", end_a, len(a), end_b, len(b)),
            ]
        ]
    else:
        import difflib  # most calls make no diff

        matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
        groups = [list(group) for group in matcher.get_grouped_opcodes(_CONTEXT)]
    return [
        [(tag, i + first, j + first, k + first, m + first) for tag, i, j, k, m in group]
        for group in groups
    ]


def _common(a: list[str], b: list[str]) -> int:
    return next(
        (n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )


def _hunk(group: list[_Opcode], before: list[str], after: list[str]) -> str:
    first, last = group[0], group[-1]
    lines = [f"@@ -{_span(first[1], last[2])} +{_span(first[3], last[4])} @@\n"]
    for tag, i, j, k, m in group:
        if tag == "equal":
            lines += [" " + line for line in before[i:j]]
            continue
        lines += ["-" + line for line in before[i:j]]
        lines += ["+" + line for line in after[k:m]]
    return "".join(lines)


def _span(start: int, stop: int) -> str:
    """Return a range in the notation of unified diffs: from 1, without the length if it is 1."""
    length = stop - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"
