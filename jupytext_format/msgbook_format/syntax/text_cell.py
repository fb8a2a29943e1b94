"""Text as markers and bodies: where a cell begins and ends, before anything has a meaning."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from msgbook_format.syntax import jsontext
from msgbook_format.syntax.attributes import Pairs, format_tail, parse_tail
from msgbook_format.syntax.lines import STREAM_PREFIX, Escaper, trim

_MARKER = re.compile(r"^(#{1,5}) (%%%?)(?:[ \t\r][^\n]*)?$", re.M)
_MARK = re.compile(r"# %%(%?)(?=[ \t\r\n]|\Z)")
_MAX_LEVEL = 5
"""Number of `#` that a marker has at most."""
_USUAL = re.compile(
    r"#{1,5} (%%%?) \[\^([^\s\[\]^]+)\]\n\n\[\^\2\]:([^\n]*)(?:\n\n(?=[^ \t\n])|\n*\Z)"
)
_LABEL = re.compile(r"[^\s\[\]^]+")


@dataclass(slots=True)
class Unit:
    """One `# %%` or `# %%%` with its footnote and body; the joint of reading and writing.

    Writing a unit and reading it again gives an equal one, if `title` passes `is_title` and
    `label` is the id of a cell.
    """

    kind: str | None = None
    """What the footnote's brackets name; None without."""
    attrs: Pairs = field(default_factory=list)
    body: str = ""
    """Content without escapes and without blank lines around it."""
    title: str | None = None
    label: str | None = None
    """What stands in `[^...]`; None without."""
    streams: bool = False
    """Whether the body is lines with stream prefixes, which need no escapes."""


@dataclass(slots=True, frozen=True)
class Segment:
    """A stretch of text from a marker to before the next one.

    `core + gap` is the stretch; `core` ends with its last line that is not blank, `gap` is empty
    or begins with a newline and has blank lines only.
    """

    core: str
    gap: str

    @classmethod
    def of(cls, text: str) -> Segment:
        end = text.find("\n", len(text.rstrip(" \t\r\n")))
        return cls(text, "") if end < 0 else cls(text[:end], text[end:])


@dataclass(slots=True, frozen=True)
class Group:
    """A cell and the units below it."""

    head: Segment
    outputs: Segment | None
    """All `# %%%` stretches in one, None without."""


def split_cells(text: str) -> tuple[str, list[Group]]:
    """What stands before the first `# %%`, and the cells from there."""
    starts: list[tuple[int, int]] = []
    for start, of_output in find_markers(text):
        if not of_output:
            starts.append((start, -1))
        elif starts and starts[-1][1] < 0:
            starts[-1] = (starts[-1][0], start)
    if not starts:
        return text, []
    ends = [start for start, _ in starts[1:]] + [len(text)]
    groups = []
    for (start, output), end in zip(starts, ends, strict=True):
        if output < 0:
            groups.append(Group(Segment.of(text[start:end]), None))
        else:
            groups.append(Group(Segment.of(text[start:output]), Segment.of(text[output:end])))
    return text[: starts[0][0]], groups


def split_outputs(text: str) -> list[str]:
    """The `# %%%` units in a text as one string for each; what stands before is left out."""
    starts = [start for start, of_output in find_markers(text) if of_output]
    return [text[start:end] for start, end in pairwise([*starts, len(text)])]


def find_markers(text: str) -> Iterator[tuple[int, bool]]:
    """Where each line begins that is a marker, and whether it is one of an output (`# %%%`)."""
    # Searched by what every marker contains: a pattern that begins with a line start has to look
    # at every line, which takes five times as long.
    for match in _MARK.finditer(text):
        place = start = match.start()
        while start > 0 and place - start < _MAX_LEVEL - 1 and text[start - 1] == "#":
            start -= 1
        if start == 0 or text[start - 1] == "\n":
            yield start, match[1] != ""


def parse_unit(text: str, escaper: Escaper) -> Unit:
    """The unit that a stretch of text holds; without a marker all of it is body."""
    return _parse_usual(text, escaper) or parse_any_unit(text, escaper)


def parse_any_unit(text: str, escaper: Escaper) -> Unit:
    """What `parse_unit` does for a unit that is not written in the usual way."""
    if "\r" in text:
        # A stretch ends before its newline, but behind the CR of a line that ends with CRLF.
        text = text.replace("\r\n", "\n").removesuffix("\r")
    match = _MARKER.match(text)
    if match is None:
        return Unit(body=escaper.unescape(trim(text)))
    title, label = _title_and_label(match[0][match.end(2) :])
    body = trim(text[match.end() :])
    unit = Unit(title=title, label=label)
    if label is not None and body.startswith(f"[^{label}]:"):
        line, _, rest = body.partition("\n")
        tail = parse_tail(line[len(label) + 4 :])
        if tail is not None:
            unit.kind, unit.attrs = tail
            body = trim(rest)
    unit.streams = match[2] == "%%%" and bool(STREAM_PREFIX.match(body))
    unit.body = body if unit.streams else escaper.unescape(body)
    return unit


def _parse_usual(text: str, escaper: Escaper) -> Unit | None:
    """The same for a unit without title, written as `format_unit` does; None for any other."""
    match = _USUAL.match(text)
    if match is None or "\r" in text:
        return None
    body = text[match.end() :]
    if text[-1] == "\n":
        body = body.rstrip("\n")
    tail = parse_tail(match[3])
    if tail is None or body[-1:] in (" ", "\t"):
        return None
    streams = match[1] == "%%%" and STREAM_PREFIX.match(body) is not None
    if not streams:
        body = escaper.unescape(body)
    return Unit(tail[0], tail[1], body, None, match[2], streams)


def format_unit(unit: Unit, marker: str, escaper: Escaper) -> str:
    """The core text of a unit, without a newline at its end; `marker` is `# %%` or `# %%%`."""
    line = marker if unit.title is None else f"{marker} {unit.title}"
    parts = [line]
    if unit.label is not None:
        joint = " " if unit.title is None else ""
        parts[0] = f"{line}{joint}[^{unit.label}]"
        parts.append(f"[^{unit.label}]: {format_tail(unit.kind, unit.attrs)}")
    body = unit.body if unit.streams else escaper.escape(unit.body)
    if body:
        parts.append(body)
    return "\n\n".join(parts)


def is_title(text: str) -> bool:
    """Whether `text` can stand behind a marker and reads back as itself."""
    if not text or text != text.strip() or "\n" in text or jsontext.needs_json(text):
        return False
    return _title_and_label(" " + text) == (text, None)


def _title_and_label(rest: str) -> tuple[str | None, str | None]:
    rest = rest.strip(" \t\r")
    label = None
    start = rest.rfind("[^") if rest.endswith("]") else -1
    if start >= 0 and _LABEL.fullmatch(rest, start + 2, len(rest) - 1):
        label = rest[start + 2 : -1]
        rest = rest[:start].rstrip(" \t")
    if len(rest) > 2 and rest[0] == "[" and rest[-1] == "]" and "]" not in rest[1:-1]:
        rest = rest[1:-1].strip(" \t")
    return rest or None, label
