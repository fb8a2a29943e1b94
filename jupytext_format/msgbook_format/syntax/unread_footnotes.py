"""Lines that may have been meant as the footnote of a cell, and cannot be read as one.

Such a line may say `history=exclude`. What was sent cannot be taken back, so a cell with one is sent
to no model until a person mends it or gives the cell a `history` that is known. All else is read as
if nothing were wrong: the text stays as it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from difflib import get_close_matches
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import unquote

from msgbook_format.html_references import unescape
from msgbook_format.syntax.attributes import Attributes, parse_footnote
from msgbook_format.syntax.footnotes import Definition, Footnotes, find_definitions, hides_cell
from msgbook_format.syntax.lines import find_markers
from msgbook_format.syntax.split import SplitText
from msgbook_format.syntax.text_cell import (
    HISTORY_VALUES,
    TextCell,
    find_footnote,
    is_restricted,
    parse_label,
)

_NEXT = 500
"""Characters in which a footnote goes on."""
_SHOWN = 80
"""Characters of a line that are kept to be shown."""


def find_unread_line(cell: TextCell, text: str) -> str | None:
    """Return the line at the head of a cell or output cell that cannot be read as its footnote.

    Args:
        text: The cell as it is written.
    """
    if cell.type is None and cell.attributes and "%%%" in text.partition("\n")[0]:
        # Whether it is a call decides what goes with it.
        return shown(_lines_below(text)[0])
    if cell.type == "raw" or any(k == "history" and v is not True for k, v in cell.attributes):
        # A value that nobody knows excludes the cell by itself.
        return None
    if cell.title is not None and _is_mark_in_title(text.partition("\n")[0]):
        return shown(text.partition("\n")[0])
    has_footnote = cell.type is not None or bool(cell.attributes)
    if has_footnote and _is_misspelled(cell.type, cell.attributes):
        return shown(_lines_below(text)[0])
    if cell.label is None:
        return None
    if not has_footnote:
        first, *rest = _lines_below(text)
        if first.startswith(f"[^{cell.label}]:") and (
            _begins_like_a_mark(first.partition(":")[2]) or _history_line("\n".join(rest[:1]))
        ):
            return shown(first)
        return shown(first) if _is_mark(first) and not first.startswith(("%", "\\")) else None
    return _history_line(cell.body)


def find_stray_footnotes(split: SplitText) -> dict[int, str]:
    """Return the lines that may be the footnotes of cells, by the index of the cell; -1 is the preamble.

    A footnote that belongs to no marker holds up the cell that it stands in, if it hides something,
    and each cell with a label and no footnote, whose it may be.

    Args:
        split: A text with each footnote below its marker.
    """
    units = _units(split)
    if not any(_may_have_strays(text) for text, _ in units):
        return {}
    texts, bodies, found, labels, opened = _search(units)
    strays = [definition for definition in found if definition.label.casefold() not in labels]
    lines: dict[int, str] = {}
    for stray in strays:
        if _hides_something(stray):
            lines.setdefault(units[stray.unit][1], shown(stray.line))
    for unit, said in _unlabelled(texts, bodies, labels):
        lines.setdefault(units[unit][1], shown(said))
    mentions = dict(_mentions(texts, bodies, {label for _, label in opened})) if opened else {}
    for index, label in opened:
        line = mentions.get(label) or (strays[0].line if strays else None)
        if line is not None:
            lines.setdefault(units[index][1], shown(line))
    for number, cell in enumerate(split.cells if -1 in lines else ()):
        if not cell.is_orphan:
            break
        # What is above may have been the head of these answers.
        lines.setdefault(number, lines[-1])
    return {number: line for number, line in lines.items() if number >= -1}


def _hides_something(stray: Definition) -> bool:
    type_, attributes = parse_footnote(stray.rest) or (None, [])
    if hides_cell(stray) or type_ == "raw":
        return True
    # With a type it is not prose of the author, however its `history` is written.
    rest = _plain(stray.rest)
    return bool(_TYPE.search(rest)) and (says_history(rest) or _is_misspelled(type_, attributes))


def find_wrapped_footnotes(footnotes: Footnotes) -> dict[int, str]:
    """Return lines in which footnotes go on that are not below their markers, by the index of the cell."""
    wrapped = {}
    for unit, here in enumerate(footnotes.openings):
        for definition in filter(None, (opening.footnote for opening in here)):
            line = _history_line(footnotes.text_after(definition))
            if line is not None:
                wrapped[(unit - 1) // 2] = line
    return wrapped


def _history_line(text: str) -> str | None:
    """Return the first line of a text if it is attributes alone, a `history` among them."""
    if not _ATTRIBUTE.match(_plain(text.partition("\n")[0])):
        return None
    line = text.partition("\n")[0].strip()
    type_, attributes = parse_footnote(_plain(line.lstrip(_SIGNS))) or (None, [])
    said = type_ is None and any(is_near_history(key) for key, _ in attributes)
    return shown(line) if said else None


def list_stray_footnotes(split: SplitText) -> list[str]:
    """Return the footnotes that no marker takes, whether they hold up a cell or not."""
    units = _units(split)
    if not any(_may_have_strays(text) for text, _ in units):
        return []
    return [shown(definition.line) for definition in _search(units).found]


def _units(split: SplitText) -> list[tuple[str, int]]:
    """Return the texts in which footnotes may be, with the index of the cell; -2 is above the messages."""
    units = [(split.document.core if split.document else "", -2)]
    if split.preamble:
        units.append((_without_margin(split.preamble.core), -1))
    for number, cell in enumerate(split.cells):
        units.append((cell.head.core, number))
        if cell.outputs:
            units.append((cell.outputs.core, number))
    return units


_BARE_LINE = re.compile(r"^ {0,3}[^ \t\r\n]", re.M)
_MARGIN = re.compile(r"^[ \t]+", re.M)


def _without_margin(text: str) -> str:
    # A text that is indented throughout, like code, gets a margin that footnotes may have.
    return text if _BARE_LINE.search(text) else _MARGIN.sub(" ", text)


class _Search(NamedTuple):
    texts: list[str]
    bodies: list[tuple[int, int, int]]
    """Text, start and end of what is below the footnote of each marker."""
    found: list[Definition]
    """Footnotes that no marker takes."""
    labels: set[str]
    """Labels of all markers."""
    opened: list[tuple[int, str]]
    """Markers with a label and no footnote: index of the text, and label."""


def _search(
    units: list[tuple[str, int]],
) -> _Search:
    # As many characters as before, so that positions stay.
    texts = [text.replace("\r\n", " \n").replace("\r", "\n") for text, _ in units]
    bodies: list[tuple[int, int, int]] = []
    labels: set[str] = set()
    opened: list[tuple[int, str]] = []
    found: list[Definition] = []
    for index, (text, _) in enumerate(units):
        # A marker that a person has escaped is text, and so is what belongs to it.
        quoted = set(_QUOTED_MARKER.findall(texts[index])) if "\\#" in text else set()
        for label, is_open, start, end in _parts(text):
            bodies.append((index, start, end))
            found += [
                definition
                for definition in find_definitions(texts[index], index, start, end)
                if definition.label not in quoted
            ]
            if label is not None:
                labels.add(label.casefold())
            if label is not None and is_open:
                opened.append((index, label.casefold()))
    return _Search(texts, bodies, found, labels, opened)


def _may_have_strays(text: str) -> bool:
    """Return whether a text may have a footnote that belongs to no marker, or a marker without one.

    This takes a fraction of the time that finding them takes.
    """
    if "\r" in text:
        return True
    footnotes = (
        text.count("\n[^") + text.count("\n [^") + text.count("\n  [^") + text.count("\n   [^")
    )
    markers = sum(1 for _ in find_markers(text))
    begins_with_one = not markers and text.startswith(("[^", " [^", "  [^", "   [^"))
    return begins_with_one or footnotes != markers or footnotes != len(_PAIR.findall(text))


_PAIR = re.compile(r"\[\^([^\s\[\]^]+)\]\n\n\[\^\1\]:")
"""End of a marker, and its footnote below it."""


_QUOTED_MARKER = re.compile(r"^\\+#+ %%%?[^\n]*\[\^([^\s\[\]^]+)\][ \t]*$", re.M)


def _parts(text: str) -> Iterator[tuple[str | None, bool, int, int]]:
    """Yield label, whether it has no footnote, start and end of the body of each part of a text."""
    markers = [start for start, _ in find_markers(text)]
    if not markers or markers[0] > 0:
        yield None, False, 0, markers[0] if markers else len(text)
    for start, end in pairwise([*markers, len(text)]):
        part = text[start:end]
        label = parse_label(part)
        footnote = None if label is None else find_footnote(part, label)
        body = footnote[1] if footnote else len(part.partition("\n")[0])
        yield label, footnote is None, start + body, end


# A label in brackets, of any width, at the start of a line, after signs of quotes and lists, escapes, or nothing.
_LABELLED = re.compile(
    r"^(?:\d{1,9}[.)])?[^\w\[\]\n%#]{0,20}[\[\uff3b]\\?\^?[ \t]*(?P<label>[^\s\[\]^\\\uff3b\uff3d]+)"
    r"[ \t]*\\?[\]\uff3d](?P<rest>[^\n]*)$",
    re.M,
)


def _mentions(
    texts: list[str], bodies: list[tuple[int, int, int]], labels: set[str]
) -> Iterator[tuple[str, str]]:
    """Yield labels and the lines that begin with one, in any brackets, and go on like a footnote, or on the next line."""
    for index, start, end in bodies:
        for line in _LABELLED.finditer(texts[index], start, end):
            if line["label"].casefold() in labels and (
                _is_mark(line["rest"])
                or _history_line(texts[index][line.end() + 1 : min(end, line.end() + _NEXT)])
            ):
                yield line["label"].casefold(), line[0]


def _unlabelled(
    texts: list[str], bodies: list[tuple[int, int, int]], labels: set[str]
) -> Iterator[tuple[int, str]]:
    """Yield lines that hide something, begin with a label that no marker has, and are not footnotes, with their text."""
    for index, start, end in bodies:
        # A backslash says that it is text, and so does one before its marker.
        quoted = set(_QUOTED_MARKER.findall(texts[index])) if "\\#" in texts[index] else set()
        for line in _LABELLED.finditer(texts[index], start, end):
            is_text = "\\" in line[0] or line["label"] in quoted
            rest = _plain(line["rest"])
            is_stray = not is_text and line["label"].casefold() not in labels
            if is_stray and _TYPE.search(rest) and says_history(rest):
                yield index, line[0]


def _lines_below(text: str) -> list[str]:
    """Return the lines below a marker that are not blank, at least one."""
    below = (line.strip() for line in text.split("\n", 12)[1:])
    return [line for line in below if line] or [""]


def shown(line: str) -> str:
    """Return what is kept of a line that cannot be read."""
    return line.strip()[:_SHOWN]


# Words that are, or nearly are, a mark: a type, or a `history` attribute.


_TYPES = frozenset(("raw", "code", "markdown"))
_NEAR_RAW = frozenset(("row", "rwa", "arw", "rw", "ra", "rae", "raaw", "raww", "rraw"))
_TYPE = re.compile(r"\[[ \t]*(?:raw|code|markdown|nb|tool)[ \t]*\](?!\S)", re.IGNORECASE)
_RAW = re.compile(r"(?:\A|[\s:])\[[ \t]*raw[ \t]*\](?=\s|\[|\Z)", re.IGNORECASE)
_LABEL_AT_END = re.compile(r"\[\^[^\s\[\]^]+\]\Z")
_SIGNS = " \t>*+-"
"""Signs of quotes and lists, which editors put before a line that goes on."""
_ATTRIBUTE = re.compile(r"[\s>*+-]*\[?\w+=")
_HISTORY = "history"
_LONGEST = 24
"""Characters of a word that are compared."""
_LEAST = 4
"""Letters of `history` that are a short form of it."""
_OTHERS = frozenset(("hide", "hidden", "excluded", "no", "never", "off"))
"""Words that people write for `exclude`."""
_RESTRICTING = frozenset(filter(is_restricted, HISTORY_VALUES)) | _OTHERS
_SAID = re.compile(
    r"(?<!\w)(?P<key>\w{4,24})[\"']?\s*[=:\uff1a\uff1d]\s*[\"'\u201c\u2018]?(?P<value>\w*)"
)


_ESCAPE = re.compile(r"\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|u\{([0-9a-f]{1,5})\})", re.IGNORECASE)
_EQUALS = str.maketrans(dict.fromkeys("\ua78a\u2550\u1400\u30a0\u2e40\u268c", "="))
"""Signs that look like an equals sign and are none."""
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")


@lru_cache(maxsize=512)
def _plain(text: str) -> str:
    """Return a text without the escapes of HTML, URLs and programs, and with common characters for like ones.

    Editors, converters and pages write `history&#61;exclude`: a reader sees what is meant.
    """
    if text.isascii() and not any(sign in text for sign in "&%\\"):
        return text
    for _ in range(2):  # one may have escaped what another had
        text = unquote(unescape(text))
    text = _ESCAPE.sub(lambda found: chr(int(found[1] or found[2] or found[3], 16)), text)
    text = _INVISIBLE.sub("", text.replace("\\", ""))
    return unicodedata.normalize("NFKC", text.translate(_EQUALS))


def _is_mark(text: str) -> bool:
    """Return whether the rest of a line is more likely that of a footnote than prose."""
    text = _plain(text)
    return _TYPE.search(text) is not None or says_history(text)


def _begins_like_a_mark(rest: str) -> bool:
    """Return whether the text after `[^label]:` is not prose of the author: nothing, or a type without brackets."""
    words = rest.casefold().split()
    return not words or words[0].strip("[]\\.,;:") in _TYPES


def _is_mark_in_title(marker: str) -> bool:
    title = _LABEL_AT_END.sub("", marker.strip("#% \t\r"))
    # A title about history has neither an equals sign nor brackets.
    return bool(_RAW.search(title)) or (("=" in title or "[" in title) and says_history(title))


def _is_misspelled(type_: str | None, attributes: Attributes) -> bool:
    """Return whether a footnote has a word that nearly says that something is hidden."""
    if type_ is not None and type_ not in _TYPES:
        folded = type_.casefold()
        if folded in _TYPES or folded in _NEAR_RAW or says_history(_plain(type_)):
            return True
    return any(
        _is_misspelled_word(key, value is True) or (value is not True and _holds_a_word(value))
        for key, value in attributes
    )


_NEXT_WORD = re.compile(r"[,;\s]\w+[=\uff1d]")


def _holds_a_word(value: str) -> bool:
    """Return whether a value goes on with a `history`, as in `id=x,history=exclude`. One in quotes may be prose."""
    plain = _plain(value)
    return " " not in value and _NEXT_WORD.search(plain) is not None and says_history(plain)


@lru_cache(maxsize=512)
def _is_misspelled_word(key: str, is_flag: bool) -> bool:
    if not is_flag:
        return key != _HISTORY and (is_near_history(_plain(key)) or _holds_a_word(key))
    plain = _plain(key)
    name = re.split(r"[=:\uff1a\uff1d]", plain, maxsplit=1)[0]
    bare = name.strip("[]").casefold()
    return (
        bare in _RESTRICTING
        or bare == "raw"
        or name == _HISTORY
        or is_near_history(name)
        or _holds_a_word(plain)
    )


@lru_cache(maxsize=512)
def is_near_history(word: str) -> bool:
    """Return whether a word is `history`, or that in another spelling, such as `histroy` or `hist`."""
    near = re.sub(r"\W", "", word.casefold())[:_LONGEST]
    is_short = len(near) >= _LEAST and _HISTORY.startswith(near)
    return is_short or bool(get_close_matches(near, (_HISTORY,), cutoff=0.84))


def says_history(text: str) -> bool:
    """Return whether a text has a `history`, in any spelling, with a value that is nearly a known one."""
    return any(
        is_near_history(said["key"]) and _is_near_value(said["value"])
        for said in _SAID.finditer(text)
    )


@lru_cache(maxsize=256)
def _is_near_value(value: str) -> bool:
    near = value.casefold()[:_LONGEST]
    known = HISTORY_VALUES | _OTHERS
    return not near or near in known or bool(get_close_matches(near, known, n=1, cutoff=0.75))
