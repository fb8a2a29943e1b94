"""Which links and images may stand in a turn, and how they are written.

A destination is written in a form that no parser reads differently: percent-encoded but for
letters, digits and the characters of a URL that mean nothing to Markdown, HTML or TeX.
"""

from __future__ import annotations

import html
import re
from urllib.parse import quote, unquote

from msgbook_format.turn.markdown.escape import entities, one_line, visible

DATA_IMAGE = r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]++={0,2}"
"""Pattern of the only images that are shown."""

AUTOLINK = re.compile(r"<((?:https?://|mailto:)[^\s<>]{1,2000})>")

# Bounds keep a hostile text from costing more than linear time.
_TITLE = r"(?:\s{1,9}(?:\"[^\"]{0,500}\"|'[^']{0,500}'|\([^()]{0,500}\)))?\s{0,9}\)"
_BARE = r"(?:[^\s()<>\[\]\\]|\\.)"
LINK_TAIL = re.compile(
    rf"\(\s{{0,9}}(?:<([^<>\n]{{0,2000}})>|((?:{_BARE}|\({_BARE}{{0,200}}\)){{1,2000}})){_TITLE}"
)
"""What follows the text of an inline link; the destination in angle brackets, or bare."""
DATA_TAIL = re.compile(rf"\(\s{{0,9}}({DATA_IMAGE}){_TITLE}")
"""The same of an image that is shown."""
LABEL = re.compile(r"\[([^\[\]\\]{1,500})\]|\[\]")
"""The label of a link to a definition; without one, the link's text is the label."""

_PLAIN_URL = re.compile(r"https?://[A-Za-z0-9/._~#?=+,-]+")
_SCHEMES = frozenset({"http", "https", "mailto"})
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_LONE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_NOT_IN_SCHEME = re.compile(r"[\x00-\x20\x7f-\xa0\u200b-\u200f\u2028-\u202f\ufeff]")


def safe_destination(written: str) -> str | None:
    """A link destination as it may be written in Markdown; None when it must not be a link.

    `written` is as it stands in Markdown, with backslash escapes and character references.
    Allowed are http, https, mailto and relative references, judged with control characters
    removed and percent-encoding resolved, as a lenient reader would.
    """
    if _PLAIN_URL.fullmatch(written):
        return written
    plain = html.unescape(_ESCAPED.sub(r"\1", written)).strip()
    for judged in (plain, unquote(plain), unquote(unquote(plain)), html.unescape(plain)):
        scheme, colon, _ = re.split(r"[/?#\\]", judged, maxsplit=1)[0].partition(":")
        if colon and _NOT_IN_SCHEME.sub("", scheme).lower() not in _SCHEMES:
            return None
    encoded = quote(_LONE_PERCENT.sub("%25", visible(plain)), safe="%/?#:@!+,;=~&-._")
    return encoded.replace("@@", "%40%40").replace("&", "&amp;") or None


def safe_image(alt: str, url: str) -> str:
    """An image where the URL is a `data:` picture, else a link with its text.

    What must not be a link either is shown as text.
    """
    if re.fullmatch(DATA_IMAGE, url):
        return f"![{entities(visible(alt))}]({url})"
    destination = safe_destination(url)
    if destination is None:
        return one_line(f"{alt} ({url})")
    return f"[{one_line(alt) or one_line(url)}]({destination})"
