r"""Formulas as MathML, which browsers show without a script.

The library that reads the TeX is not made for hostile input. Its elements are therefore written
again, known names and values alone. A formula that it cannot read, or that is longer than
`MAX_TEX`, stays TeX.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape, unescape
from typing import TYPE_CHECKING

from latex2mathml.converter import convert_to_element

if TYPE_CHECKING:
    from collections.abc import Iterator
    from xml.etree.ElementTree import Element

MAX_TEX = 4_000
"""Greatest length of a formula that is converted, in characters."""

TAGS = frozenset(
    (
        "math",
        "mrow",
        "mi",
        "mn",
        "mo",
        "mtext",
        "mspace",
        "msup",
        "msub",
        "msubsup",
        "mfrac",
        "msqrt",
        "mroot",
        "mover",
        "munder",
        "munderover",
        "mtable",
        "mtr",
        "mtd",
        "mstyle",
        "mpadded",
        "mphantom",
        "menclose",
    )
)
ATTRIBUTES = frozenset(
    (
        "display",
        "mathvariant",
        "stretchy",
        "fence",
        "form",
        "separator",
        "lspace",
        "rspace",
        "width",
        "columnalign",
        "displaystyle",
        "scriptlevel",
        "linethickness",
        "accent",
        "accentunder",
        "movablelimits",
        "minsize",
        "maxsize",
        "symmetric",
        "largeop",
        "columnlines",
        "rowlines",
        "notation",
        "rowspacing",
        "columnspacing",
    )
)
_VALUE = re.compile(
    r"[a-z-]{1,30}(?: [a-z-]{1,30}){0,20}|-?[0-9]?[0-9]?(?:\.[0-9]{1,6})?(?:em|ex|pt|px|mu)?"
)
"""Words, or a length of two digits: larger ones could move a formula over other text."""

_CHILDREN = {
    **dict.fromkeys(("mfrac", "mroot", "msup", "msub", "mover", "munder"), 2),
    **dict.fromkeys(("msubsup", "munderover"), 3),
}
"""Number of children of elements that browsers show as an error with any other."""

_MAX_DEPTH = 100
_TEX_COMMAND = re.compile(r"\\[A-Za-z]+")


@lru_cache(maxsize=1024)
def formula_html(tex: str, *, block: bool) -> str:
    """Return a formula as MathML; what cannot be read as code with its TeX."""
    if len(tex) <= MAX_TEX:
        try:
            element = convert_to_element(tex, display="block" if block else "inline")
            if not _kept_commands(element):
                return "".join(_written(element, 0))
        except Exception:  # noqa: S110  # whatever it meets in a hostile text; TeX is shown
            pass
    mark = "$$" if block else "$"
    return f'<code class="msg-TeX">{escape(mark + tex + mark)}</code>'


def _kept_commands(element: Element) -> bool:
    """Return whether the library has left an unknown command in the formula as text."""
    return any(
        child.tag != "mtext" and _TEX_COMMAND.search(child.text or "") for child in element.iter()
    )


def _written(element: Element, depth: int) -> Iterator[str]:
    children = len(element)
    if (
        element.tag not in TAGS
        or depth > _MAX_DEPTH
        or _CHILDREN.get(element.tag, children) != children
    ):
        raise ValueError(element.tag)
    attributes = "".join(
        f' {name}="{value}"'
        for name, value in element.attrib.items()
        if name in ATTRIBUTES and _VALUE.fullmatch(value)
    )
    yield f"<{element.tag}{attributes}>"
    yield escape(unescape(element.text or ""))
    for child in element:
        yield from _written(child, depth + 1)
    yield f"</{element.tag}>"
