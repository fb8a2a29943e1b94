"""Lines: markers, and those of a body with escapes, blank lines at both ends, and wrapped BASE64."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Markers: the lines `# %%` and `# %%%` that begin cells and output cells.


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


STREAM_PREFIX = re.compile(r"(stdout|stderr)>")
"""Start of each line of a stream."""

_STRUCTURE = rf"{MARKER}|std(?:out|err)>"
_FOOTNOTE = (
    r" {0,3}\[\^[^\s\[\]^]+\]:"
    r"(?=[^\S\n]*(?:\[[^\[\]=\n]*\](?=\s|\Z)|[^\n]*history=))"
)
_HINTS: tuple[str, ...] = ("\\", " %%", "std", "[^")
_BLANK_LINES = re.compile(r"(?:[ \t]*\n)*")
_LONG_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_WRAP = 76
"""Characters of a line of base64, as in MIME (RFC 2045)."""


@dataclass(frozen=True, slots=True)
class Escaper:
    """Keeps content from being read as structure.

    One backslash goes in front of a body line that looks like a marker, a stream prefix or a
    footnote, of a blank first or last line, and of a line of backslashes. Reading takes it away.
    Footnotes of labels that no marker has are no exception: a marker may be added later, and the
    text may be that of a model.
    """

    pattern: re.Pattern[str]
    hints: tuple[str, ...]
    """Strings of which at least one is in every text that the pattern matches in."""

    @classmethod
    def for_document(cls, heading: str | None) -> Escaper:
        """Return an escaper that also protects the heading of a message section."""
        if heading is None:
            return _PLAIN
        text = re.escape(heading)
        section = rf"|[ ]{{0,3}}#{{1,6}}[ \t]+{text}[ \t]*(?:[ \t]#+[ \t]*)?$"
        return cls(_pattern(section), (*_HINTS, heading))

    def escape_lines(self, source: str) -> str:
        """Return `source` with one more backslash before each line that looks like structure."""
        return self.pattern.sub(r"\\", source)

    def escape(self, source: str) -> str:
        """Return `source` as the lines of a body."""
        text = source
        if any(map(source.__contains__, self.hints)):
            text = self.escape_lines(source)
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
        """Return the source of the lines of a body."""
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


def _pattern(section: str) -> re.Pattern[str]:
    return re.compile(rf"^(?=\\*(?:{_STRUCTURE}{section}|{_FOOTNOTE})|\\+[ \t]*$)", re.M)


_PLAIN = Escaper(_pattern(""), _HINTS)


def trim(text: str) -> str:
    """Return `text` without blank lines at both ends; indentation and trailing blanks stay."""
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
    """Return whether `data` is one run of BASE64, which may be wrapped."""
    return len(data) % 4 == 0 and bool(_LONG_BASE64.fullmatch(data))


def wrap(data: str) -> str:
    """Return a run of BASE64 in lines of 76 characters (RFC 2045)."""
    return "\n".join(data[start : start + _WRAP] for start in range(0, len(data), _WRAP))


def unwrap(body: str) -> str:
    """Return the run of BASE64 that the lines of a body hold."""
    return "".join(body.split())
