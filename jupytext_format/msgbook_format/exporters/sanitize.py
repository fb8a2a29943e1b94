"""HTML of an output without anything that can run, load or cover the page.

It is written again: each `<` in it begins a tag that this module wrote. A parser of HTML is not used,
since hostile text can take it the square of its length.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from html import escape

from msgbook_format.html_references import unescape
from msgbook_format.turn import safe_destination

TAGS = frozenset(
    [
        "a",
        "abbr",
        "b",
        "blockquote",
        "br",
        "caption",
        "code",
        "col",
        "colgroup",
        "dd",
        "del",
        "details",
        "div",
        "dl",
        "dt",
        "em",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "i",
        "kbd",
        "li",
        "ol",
        "p",
        "pre",
        "s",
        "samp",
        "small",
        "span",
        "strong",
        "sub",
        "summary",
        "sup",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "u",
        "ul",
        "var",
    ]
)
ATTRIBUTES = {
    "a": ["href", "title"],
    "abbr": ["title"],
    "col": ["span"],
    "colgroup": ["span"],
    "ol": ["start"],
    "td": ["colspan", "rowspan"],
    "th": ["colspan", "rowspan", "scope"],
}
_VOID = frozenset(("br", "col", "hr"))
_CELLS = frozenset(("td", "th"))
_ENDED_BY = {
    "p": frozenset(("p",)),
    "li": frozenset(("li", "p")),
    **dict.fromkeys(("dt", "dd"), frozenset(("dt", "dd", "p"))),
    **dict.fromkeys(("td", "th"), _CELLS | {"p"}),
    "tr": _CELLS | {"tr", "p"},
    **dict.fromkeys(("thead", "tbody", "tfoot"), _CELLS | {"tr", "thead", "tbody", "tfoot"}),
}
"""Elements that need no end tag where one of those names begins."""

_WITHOUT_TEXT = ["script", "style", "template", "noscript", "title", "head"]
"""Elements whose content is not text for a reader."""

_PIECE = re.compile(
    r"(?P<comment><!--)|<[!?][^<>]*+>?"
    r"|<(?P<end>/?)(?P<name>[A-Za-z][A-Za-z0-9-]*+)(?P<rest>(?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*+)>"
)
"""A tag, a comment or a declaration. None reaches beyond the next `<`, so a search is linear."""
_ATTRIBUTE = re.compile(
    r"(?<![^\s\"'/])([^\s\"'<>/=]++)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++))"
)
_ENDS = {name: re.compile(rf"</{name}\b[^<>]*+>", re.IGNORECASE) for name in _WITHOUT_TEXT}
_COMMENT_END = re.compile("-->")
_MAX_DEPTH = 200
"""Greatest number of elements around one another."""


def sanitize_html(html: str) -> str | None:
    """Return the text and tables of `html`; None when nothing is left or it is nested too deep."""
    writer = _Writer()
    for text, tag in _pieces(html):
        writer.write(text, tag)
        if len(writer.open) > _MAX_DEPTH:
            return None
    safe = writer.finish()
    # No tag in an `object` ends or continues an element outside of it.
    return f"<object>{safe}</object>" if safe.strip() else None


def _pieces(html: str) -> Iterator[tuple[str, re.Match[str] | None]]:
    """Yield each text and the tag after it, if there is one."""
    position = 0
    while piece := _PIECE.search(html, position):
        name = (piece["name"] or "").lower()
        yield html[position : piece.start()], piece if name in TAGS else None
        position = piece.end()
        end = _COMMENT_END if piece["comment"] else None if piece["end"] else _ENDS.get(name)
        if end is not None:
            found = end.search(html, position)
            if found is None:
                return
            position = found.end()
    yield html[position:], None


class _Writer:
    """Writer of text and known tags that closes every element it opens."""

    def __init__(self) -> None:
        self.open: list[str] = []
        """Names of the open elements, outermost first."""
        self._count: Counter[str] = Counter()
        self._out: list[str] = []

    def write(self, text: str, tag: re.Match[str] | None) -> None:
        self._out.append(escape(unescape(text), quote=False))
        if tag is None:
            return
        name = tag["name"].lower()
        if tag["end"]:
            around = max(self._count[name] - 1, 0)
            while self._count[name] > around:
                self._end()
        else:
            while self.open and self.open[-1] in _ENDED_BY.get(name, ()):
                self._end()
            self._out.append(f"<{name}{''.join(_attributes(name, tag['rest']))}>")
            if name not in _VOID:
                self.open.append(name)
                self._count[name] += 1

    def finish(self) -> str:
        while self.open:
            self._end()
        return "".join(self._out)

    def _end(self) -> None:
        name = self.open.pop()
        self._count[name] -= 1
        self._out.append(f"</{name}>")


def _attributes(name: str, rest: str) -> Iterator[str]:
    """Yield the known attributes of a tag, each once."""
    known = set(ATTRIBUTES.get(name, ()))
    for found in _ATTRIBUTE.finditer(rest) if known else ():
        key = found[1].lower()
        written = found[2] or found[3] or found[4] or ""
        value = safe_destination(written) if key == "href" else escape(unescape(written))
        if key in known and value:
            known.remove(key)
            yield f' {key}="{value}"'
