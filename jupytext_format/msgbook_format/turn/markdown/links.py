"""Links and images that the Markdown of a turn may have.

A destination is written so that all parsers read it alike. It is percent-encoded but for letters,
digits and the characters of a URL that mean nothing to Markdown, HTML or TeX.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from urllib.parse import quote, unquote

from markdown_it.common.utils import normalizeReference

from msgbook_format.turn.markdown.escape import escape_line, escape_punctuation, replace_controls

DATA_IMAGE = r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]++={0,2}"
"""Pattern of the URLs of images that are shown."""

AUTOLINK = re.compile(r"<((?:https?://|mailto:)[^\s<>]{1,2000})>")

# The bounds keep the time linear for hostile texts.
_TITLE = r"(?:\s{1,9}(?:\"[^\"]{0,500}\"|'[^']{0,500}'|\([^()]{0,500}\)))?\s{0,9}\)"
_BARE = r"(?:[^\s()<>\[\]\\]|\\.)"
_LINK_TAIL = re.compile(
    rf"\(\s{{0,9}}(?:<([^<>\n]{{0,2000}})>|((?:{_BARE}|\({_BARE}{{0,200}}\)){{1,2000}})){_TITLE}"
)
"""What follows the text of an inline link; the destination in angle brackets, or bare."""
DATA_TAIL = re.compile(rf"\(\s{{0,9}}({DATA_IMAGE}){_TITLE}")
"""The same of an image that is shown."""
_LABEL = re.compile(r"\[([^\[\]\\]{1,500})\]|\[\]")
"""The label of a link to a definition; without one, the link's text is the label."""

_PLAIN_URL = re.compile(r"https?://[A-Za-z0-9/._~#?=+,-]+")
_SCHEMES = frozenset({"http", "https", "mailto"})
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_LONE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_NOT_IN_SCHEME = re.compile(r"[\x00-\x20\x7f-\xa0\u200b-\u200f\u2028-\u202f\ufeff]")


def safe_destination(written: str) -> str | None:
    """Return a link destination, encoded for Markdown; None if it must not be a link.

    Allowed are http, https, mailto and relative references. They are judged without control
    characters and percent-encoding, as a lenient program would read them.

    Args:
        written: From Markdown, with backslash escapes and character references.
    """
    if _PLAIN_URL.fullmatch(written):
        return written
    plain = html.unescape(_ESCAPED.sub(r"\1", written)).strip()
    for judged in (plain, unquote(plain), unquote(unquote(plain)), html.unescape(plain)):
        scheme, colon, _ = re.split(r"[/?#\\]", judged, maxsplit=1)[0].partition(":")
        if colon and _NOT_IN_SCHEME.sub("", scheme).lower() not in _SCHEMES:
            return None
    encoded = quote(_LONE_PERCENT.sub("%25", replace_controls(plain)), safe="%/?#:@!+,;=~&-._")
    return encoded.replace("@@", "%40%40").replace("&", "&amp;") or None


def find_destination(
    text: str, start: int, end: int, references: Mapping[str, str]
) -> tuple[str, int] | None:
    """Return the destination of a link as written, and the length of its construct from `]` on.

    Args:
        start: Position of the link's text.
        end: Position of the `]` after it.
        references: Allowed link definitions, by normalised label.
    """
    if tail := _LINK_TAIL.match(text, end + 1):
        return tail[1] if tail[1] is not None else tail[2], len(tail[0]) + 1
    if not references:
        return None
    label = _LABEL.match(text, end + 1)
    name = label[1] if label and label[1] else text[start : min(end, start + 501)]
    destination = references.get(normalizeReference(name)) if len(name) <= 500 else None
    return None if destination is None else (destination, (len(label[0]) if label else 0) + 1)


def safe_image(alt: str, url: str) -> str:
    """Return an image if the URL is a `data:` picture, else a link with its text.

    A URL that must not be a link is shown as text.
    """
    if re.fullmatch(DATA_IMAGE, url):
        return f"![{escape_punctuation(replace_controls(alt))}]({url})"
    destination = safe_destination(url)
    if destination is None:
        return escape_line(f"{alt} ({url})")
    return f"[{escape_line(alt) or escape_line(url)}]({destination})"
