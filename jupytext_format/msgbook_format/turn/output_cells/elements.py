"""Elements in a text that a model wrote as XML.

Such text is rarely well-formed: it has unescaped code in it, and tags that are not closed. So this is
not an XML parser. What is not an element is text, nothing is an error, and the time is proportional to the
length. There are no document types and no entities but those of XML itself.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

MAX_DEPTH = 50
"""Nesting of elements that is read; what is deeper is text."""

_NAME = r"[^\W\d][\w.:-]*+"
_TAG = re.compile(
    r"<(?:(?P<skipped>!--|\?)|(?P<cdata>!\[CDATA\[)|/(?P<close>" + _NAME + r")\s*+>"
    r"|(?:(?P<short>function|parameter)=(?P<value>[^\s<>\"'=]++)|(?P<open>" + _NAME + r"))"
    r"(?P<attributes>(?:\s++" + _NAME + r"\s*+=\s*+(?:\"[^\"<]*+\"|'[^'<]*+'))*+)\s*+(?P<end>/?)>)"
)
_ATTRIBUTE = re.compile("(" + _NAME + r")\s*+=\s*+(?:\"([^\"]*)\"|'([^']*)')")
_ENDS = {"!--": "-->", "?": "?>"}
_CDATA, _CDATA_END = "<![CDATA[", "]]>"
_REFERENCE = re.compile(r"&(?:(lt|gt|amp|quot|apos)|#([0-9]{1,7})|#x([0-9A-Fa-f]{1,6}));")
_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}


@dataclass(slots=True)
class Element:
    """An element, or a whole text with its elements; positions are those of the text."""

    name: str
    """Empty for a whole text."""
    start: int
    """Position of its tag."""
    inner_start: int
    inner_end: int = 0
    end: int = 0
    attributes: list[tuple[str, str]] = field(default_factory=list)
    value: str | None = None
    """`read` of the tag `<function=read>`."""
    children: list[Element] = field(default_factory=list)
    has_text: bool = False
    """True if it holds CDATA, or text that is not white space, beside its children."""
    is_loose: bool = False
    """True if it holds tags that belong to no element, or too deep ones; `children` are not all."""

    @property
    def local_name(self) -> str:
        """Name without its prefix."""
        return self.name.rpartition(":")[2]

    @property
    def is_structure(self) -> bool:
        """True if it holds elements and nothing else."""
        return bool(self.children) and not self.has_text and not self.is_loose

    @property
    def is_empty(self) -> bool:
        """True if it holds nothing but white space and comments."""
        return not self.children and not self.has_text and not self.is_loose


def parse_elements(text: str) -> Element:
    """Return a text with the elements in it."""
    whole = Element("", 0, 0, len(text), len(text))
    nested = _Nested(whole)
    last_end = {end: text.rfind(end) for end in (*_ENDS.values(), _CDATA_END)}
    read = position = 0
    while match := _TAG.search(text, position):
        start, position = match.span()
        if text[read:start].strip():
            nested.last.has_text = True
        read = position
        if match["skipped"] or match["cdata"]:
            end = _ENDS[match["skipped"]] if match["skipped"] else _CDATA_END
            if match["cdata"] or last_end[end] < position:
                nested.last.has_text = True
            if last_end[end] >= position:
                read = position = text.index(end, position) + len(end)
        elif match["close"]:
            nested.close(match["close"], start, position)
        else:
            nested.open(match)
            if match["end"]:
                nested.close(match["open"] or match["short"], position, position)
    whole.has_text = whole.has_text or bool(text[read:].strip())
    whole.is_loose = whole.is_loose or nested.last is not whole
    return whole


class _Nested:
    """Elements whose closing tags have not come yet."""

    def __init__(self, whole: Element) -> None:
        self.last = whole
        """The innermost element that is not too deep."""
        self._elements = [whole]
        self._names: list[str] = []
        """Names of all that are open. Of those that are too deep there is nothing else."""
        self._counts = Counter[str]()

    def open(self, match: re.Match[str]) -> None:
        """Add the element of a tag."""
        name = match["open"] or match["short"]
        self._names.append(name)
        self._counts[name] += 1
        if len(self._names) > MAX_DEPTH:
            self.last.is_loose = True
            return
        attributes = _read_attributes(match["attributes"])
        self.last = Element(name, match.start(), match.end(), value=match["value"])
        self.last.attributes = attributes
        self._elements.append(self.last)

    def close(self, name: str, start: int, end: int) -> None:
        """End the last element of that name; those in it that are still open are none."""
        if not self._counts[name]:
            self.last.is_loose = True
            return
        closed = None
        while closed != name:
            if closed is not None:
                self.last.is_loose = True
            closed = self._names.pop()
            self._counts[closed] -= 1
            if len(self._elements) - 1 > len(self._names):
                element = self._elements.pop()
                self.last = self._elements[-1]
        if len(self._names) < MAX_DEPTH:
            element.inner_end, element.end = start, end
            self.last.children.append(element)


def _read_attributes(text: str) -> list[tuple[str, str]]:
    """Return attributes without declarations of namespaces."""
    return [
        (name, decode_references(double or single))
        for name, double, single in _ATTRIBUTE.findall(text)
        if name.partition(":")[0] != "xmlns"
    ]


def decode_text(text: str) -> str:
    """Return a text without elements as it is meant: without CDATA marks and references."""
    parts = []
    position = 0
    while (start := text.find(_CDATA, position)) >= 0:
        verbatim = start + len(_CDATA)
        end = text.find(_CDATA_END, verbatim)
        if end < 0:
            break
        parts += [decode_references(text[position:start]), text[verbatim:end]]
        position = end + len(_CDATA_END)
    return "".join((*parts, decode_references(text[position:])))


def decode_references(text: str) -> str:
    """Return a text with the characters that XML's own references stand for; others are kept."""
    return _REFERENCE.sub(_referenced, text) if "&" in text else text


def _referenced(match: re.Match[str]) -> str:
    if match[1]:
        return _ENTITIES[match[1]]
    code = int(match[2]) if match[2] else int(match[3], 16)
    is_character = code in (9, 10, 13) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0x110000
    return chr(code) if is_character else match[0]
