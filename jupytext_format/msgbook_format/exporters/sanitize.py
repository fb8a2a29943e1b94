"""The HTML of an output, without what can run, load or cover anything."""

from __future__ import annotations

from bs4 import BeautifulSoup
from nbconvert.preprocessors.sanitize import SanitizeHTML

_TAGS = [
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
_ATTRIBUTES = {
    "a": ["href", "title"],
    "abbr": ["title"],
    "col": ["span"],
    "colgroup": ["span"],
    "ol": ["start"],
    "td": ["colspan", "rowspan"],
    "th": ["colspan", "rowspan", "scope"],
}
# Their content is not text for a reader, and would be left behind as such.
_DROPPED = ["script", "style", "template", "noscript", "title", "head"]


def sanitize_html(html: str) -> str | None:
    """Text and tables of `html`; None when nothing is left, or it is nested too deep to read."""
    try:
        soup = BeautifulSoup(html, "html.parser")
        for element in soup(_DROPPED):
            element.decompose()
        cleaner = SanitizeHTML(tags=_TAGS, attributes=_ATTRIBUTES, strip=True)
        safe = str(cleaner.sanitize_html_tags(str(soup)))
    except RecursionError:
        return None
    return safe if safe.strip() else None
