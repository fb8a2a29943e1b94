"""The lines of a cell: which of them need a backslash, and how long data is wrapped."""

from __future__ import annotations

import re
from dataclasses import dataclass

STREAM_PREFIX = re.compile(r"(stdout|stderr)>")
"""How the lines of a stream begin."""

_MARKER = r"#{1,5} %%%?(?:[ \t]|$)|std(?:out|err)>"
_HINTS = ("\\", " %%", "std")
_BLANK_LINES = re.compile(r"(?:[ \t]*\n)*")
_LONG_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_WRAP = 76


@dataclass(frozen=True, slots=True)
class Escaper:
    """Keeps content from being read as structure.

    A body line that looks like a marker or a stream prefix, a blank first or last line, and a
    line of backslashes get one more backslash in front; reading takes one away.
    """

    pattern: re.Pattern[str]
    hints: tuple[str, ...]
    """Strings of which one is in each text that the pattern finds something in."""

    @classmethod
    def of(cls, heading: str | None) -> Escaper:
        """An escaper that protects the heading text of a message section too."""
        if heading is None:
            return _PLAIN
        text = re.escape(heading)
        section = rf"|[ ]{{0,3}}#{{1,6}}[ \t]+{text}[ \t]*(?:[ \t]#+[ \t]*)?$"
        pattern = re.compile(rf"^(?=\\*(?:{_MARKER}{section})|\\+[ \t]*$)", re.M)
        return cls(pattern, (*_HINTS, heading))

    def escape(self, source: str) -> str:
        """`source` as the lines of a body."""
        text = source
        if any(map(source.__contains__, self.hints)):
            text = self.pattern.sub(r"\\", source)
        if not text or (text[0] not in " \t\n" and text[-1] not in " \t\n"):
            return text
        first, newline, _ = text.partition("\n")
        if not newline:
            return text if text.strip(" \t") else "\\" + text
        if not first.strip(" \t"):
            text = "\\" + text
        head, _, last = text.rpartition("\n")
        return f"{head}\n\\{last}" if not last.strip(" \t") else text

    def unescape(self, body: str) -> str:
        """The source that a body's lines stand for."""
        if "\\" not in body:
            return body
        parts: list[str] = []
        position = 0
        for match in self.pattern.finditer(body):
            start = match.start()
            if body.startswith("\\", start):
                parts.append(body[position:start])
                position = start + 1
        parts.append(body[position:])
        return "".join(parts)


_PLAIN = Escaper(re.compile(rf"^(?=\\*(?:{_MARKER})|\\+[ \t]*$)", re.M), _HINTS)


def trim(text: str) -> str:
    """`text` without its blank lines at both ends; indentation and trailing blanks stay."""
    if not text:
        return text
    start = _BLANK_LINES.match(text).end() if text[0] in " \t\n" else 0  # type: ignore[union-attr]
    end = len(text)
    if text[-1] in " \t\n":
        found = text.find("\n", len(text.rstrip(" \t\n")))
        end = end if found < 0 else found
        if end <= start or not text[start:end].strip(" \t"):
            return ""
    return text[start:end]


def is_base64(data: str) -> bool:
    """Whether `data` is one run of BASE64 that may be wrapped."""
    return len(data) % 4 == 0 and bool(_LONG_BASE64.fullmatch(data))


def wrap(data: str) -> str:
    """One run of BASE64 in lines of 76 characters (RFC 2045)."""
    return "\n".join(data[start : start + _WRAP] for start in range(0, len(data), _WRAP))


def unwrap(body: str) -> str:
    """The run of BASE64 that lines of a body hold."""
    return "".join(body.split())
