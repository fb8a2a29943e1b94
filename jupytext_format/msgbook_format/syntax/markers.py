"""Markers: the lines `# %%` and `# %%%` that begin cells and output cells."""

from __future__ import annotations

import re
from collections.abc import Iterator

AFTER_PERCENTS = r"(?=[ \t\r\n]|\[\^|\Z)"
"""Pattern of what follows the percent signs of a marker: white space, a label, or the end."""
MARKER = rf"#{{1,5}} %%%?{AFTER_PERCENTS}"
"""Pattern of the start of a marker; it matches only at the start of a line."""

_PERCENTS = re.compile(rf"# %%(%?){AFTER_PERCENTS}")
_START = re.compile(rf"(?={MARKER})#+")
MAX_LEVEL = 5
"""Number of `#` that a marker has at most."""


def find_markers(text: str) -> Iterator[tuple[int, bool]]:
    """Yield the position of each marker, and whether it begins an output cell (`# %%%`)."""
    # Looks for the characters that every marker contains. A pattern that begins with a line start
    # would have to look at every line, which takes five times as long.
    for match in _PERCENTS.finditer(text):
        hash_sign = start = match.start()
        while start > 0 and hash_sign - start < MAX_LEVEL - 1 and text[start - 1] == "#":
            start -= 1
        if start == 0 or text[start - 1] == "\n":
            yield start, match[1] != ""


def marker_level(text: str) -> int | None:
    """Return the number of `#` of the marker that a text begins with; None without a marker."""
    match = _START.match(text)
    return None if match is None else match.end()
