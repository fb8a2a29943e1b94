"""Texts whose footnotes stand elsewhere than below their markers."""

from __future__ import annotations

import re
from collections.abc import Callable

from msgbook_format.syntax.attributes import parse_footnote

_OWN = re.compile(
    r"^(#{1,5} %%%?[^\n]*\[\^([^\s\[\]^]+)\][ \t]*\n(?:[ \t]*\n)*)(\[\^\2\]:[ \t]*\[[^\[\]=\n]*\](?:[ \t][^\n]*)?\n)",
    re.M,
)
HEADING = "<!-- Footnotes -->\n"
_ANY = re.compile(r"^ {0,3}\[\^[^\s\[\]^]+\]:[^\n]*$", re.M)


def gather(text: str, heading: str = "") -> str:
    """`text` with all footnotes that are below their markers at its end, below a heading."""
    lines = "".join(match[3] for match in _OWN.finditer(text))
    return f"{_OWN.sub(lambda match: match[1], text)}\n{heading}{lines}" if lines else text


def scatter(text: str, choose: Callable[[int], int]) -> str:
    """`text` with some footnotes behind other lines; `choose(n)` gives a number below n."""
    lines: list[str] = []

    def take(match: re.Match[str]) -> str:
        if choose(2):
            return match[0]
        lines.append(match[3].rstrip("\n"))
        return match[1]

    parts = _OWN.sub(take, text).split("\n")
    for line in lines:
        parts.insert(choose(len(parts)), line if choose(3) else f"{HEADING}{line}")
    return "\n".join(parts)


def has_footnotes_as_content(text: str) -> bool:
    """Whether a line of a body is written like a footnote, or one would be content elsewhere.

    Elsewhere, a footnote with a repeated label or with a flag of one's own may be content.
    """
    own = list(_OWN.finditer(text))
    labels = [match[2].casefold() for match in own]
    is_unique = len(_ANY.findall(text)) == len(labels) == len(set(labels))
    return not is_unique or any(_has_own_flag(match[3]) for match in own)


def _has_own_flag(footnote: str) -> bool:
    _, attributes = parse_footnote(footnote.partition(":")[2]) or (None, [])
    flags = {key for key, value in attributes if value is True}
    return bool(flags - {"unfinished", "refusal"}) and "history" not in dict(attributes)
