"""Texts whose footnotes stand elsewhere than below their markers."""

from __future__ import annotations

import re
from collections.abc import Callable

_OWN = re.compile(
    r"^(#{1,5} %%%?[^\n]*\[\^([^\s\[\]^]+)\][ \t]*\n(?:[ \t]*\n)*)(\[\^\2\]:[ \t]*\[[^\[\]=\n]*\](?:[ \t][^\n]*)?\n)",
    re.M,
)
_ANY = re.compile(r"^ {0,3}\[\^[^\s\[\]^]+\]:[^\n]*$", re.M)


def gather(text: str) -> str:
    """`text` with all footnotes that are below their markers at its end, in their order."""
    lines = "".join(match[3] for match in _OWN.finditer(text))
    return f"{_OWN.sub(lambda match: match[1], text)}\n{lines}" if lines else text


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
        parts.insert(choose(len(parts)), line)
    return "\n".join(parts)


def has_footnotes_as_content(text: str) -> bool:
    """Whether a line of a body is written like a footnote, or labels of markers are repeated."""
    labels = [match[2].casefold() for match in _OWN.finditer(text)]
    return len(_ANY.findall(text)) != len(labels) or len(set(labels)) != len(labels)
