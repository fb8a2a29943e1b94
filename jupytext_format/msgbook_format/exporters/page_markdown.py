r"""Markdown as HTML of an exported page, in the dialect of the page in JupyterLab.

A text of anybody is parsed by itself, as the page does it, so that no text changes what stands
around it. What stands around texts, such as a turn's folds, is our own Markdown with HTML, in which
`Texts` holds the places of the texts.
"""

from __future__ import annotations

import atexit
import re
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element, ParseError, fromstring

from markdown_it import MarkdownIt
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from msgbook_format.exporters.formula_process import FormulaProcess
from msgbook_format.html_references import unescape
from msgbook_format.turn import (
    DISPLAY,
    FORMULA,
    dialect_parser,
    find_language,
    replace_controls,
    safe_destination,
    takes_too_long,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token


# Formulas as MathML, which browsers show without a script.
#
# The library that reads the TeX refuses what it does not know; its elements are nevertheless written
# again, known names and values alone. A formula that it cannot read, or that is longer than `MAX_TEX`,
# stays TeX.


MAX_TEX = 4_000
"""Greatest length of a formula that is converted, in characters."""

TAGS = frozenset(
    [
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
        "mmultiscripts",
        "mprescripts",
        "b",
        "i",
        "code",
        "span",
    ]
)
ATTRIBUTES = frozenset(
    [
        "display",
        "mathvariant",
        "stretchy",
        "fence",
        "form",
        "separator",
        "lspace",
        "rspace",
        "width",
        "height",
        "depth",
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
        "notation",
        "style",
    ]
)
_VALUE = re.compile(
    r"[a-z-]{1,30}(?: [a-z-]{1,30}){0,20}|-?[0-9]?[0-9]?(?:\.[0-9]{1,12})?(?:em|ex|pt|px|mu|%)?"
)
"""Words, or a length of two digits: larger ones could move a formula over other text."""
_LENGTH = r"-?[0-9]?(?:\.[0-9]{1,12})?(?:em)?"
_STYLE = re.compile(
    rf"(?:(?:border-(?:right|left|top|bottom):[ ]?0\.05em[ ](?:solid|dashed)[ ]currentcolor"
    rf"|(?:padding(?:-(?:right|left|top|bottom))?|margin-(?:left|right)):[ ]?{_LENGTH}"
    r"|text-align:[ ]?(?:left|right|center)|justify-items:[ ]?(?:start|end|center)"
    r"|width:[ ]?(?:50|100)%|color:[ ]?\#[0-9A-Fa-f]{6});?[ ]?){1,12}"
)
"""The declarations that the library writes; none of them moves anything out of its place."""

_CHILDREN = {
    **dict.fromkeys(("mfrac", "mroot", "msup", "msub", "mover", "munder"), 2),
    **dict.fromkeys(("msubsup", "munderover"), 3),
}
"""Number of children of elements that browsers show as an error with any other."""

_TEXT_TAGS = frozenset(("b", "i", "code", "span"))
"""Tags of HTML, which stand inside of `mtext` only."""

_MAX_DEPTH = 100
"""Braces, and elements that the converter makes, in one another; both are handled by recursion."""

_MACROS = {
    "substack": r"\begin{subarray}{c}#1\end{subarray}",
    "mbox": r"\text{#1}",
    "hbox": r"\text{#1}",
    "abs": r"\left\lvert #1\right\rvert",
    "norm": r"\left\lVert #1\right\rVert",
    "smash": "#1",
    "ensuremath": "#1",
    "hdots": r"\dots",
    "mathbfit": r"\boldsymbol{#1}",
    "bra": r"\left\langle #1\right\rvert",
    "ket": r"\left\lvert #1\right\rangle",
    "dv": r"\frac{d}{d #1}",
    "argmax": r"\operatorname*{arg\,max}",
    "argmin": r"\operatorname*{arg\,min}",
    "tiny": "",
    "small": "",
    "large": "",
}
"""Commands that MathJax or its common packages have, and the library does not."""

_RENAMED = {
    "align": "align*",
    "gather": "gather*",
    "equation": "equation*",
    "multline": "multline*",
    "flalign": "align*",
    "flalign*": "align*",
    "displaymath": "equation*",
    "math": "equation*",
    "split": "aligned",
    "multlined": "gathered",
    "smallmatrix": "matrix",
}
"""Environments by another name: no formula on the page has a number that it was not given."""
_ENVIRONMENT = re.compile(r"\\(begin|end)\{([A-Za-z]+\*?)\}")
_COUNTED = re.compile(
    r"\\begin\{(alignat\*?|alignedat)\}\s*\{\s*[0-9]+\s*\}|\\end\{(alignat\*?|alignedat)\}"
)
_EQNARRAY = re.compile(r"\\(begin|end)\{eqnarray\*?\}")
_LABEL = re.compile(r"\\label\s*\{[^{}]*\}")
_TAG = re.compile(r"\\tag(\*?)\s*\{([^{}]*)\}")
_NUMBERED = re.compile(r"\s*\\begin\{(?:align|gather|equation|multline)\*\}")
_DEFINITION = re.compile(r"\\(?:[gex]?def|let|futurelet|(?:re|provide)?newcommand)(?![A-Za-z])")
"""A command of one's own: a few of them, each made of another one twice, fill any memory."""
_MATH_IN_TEXT = re.compile(r"\\text(?:rm|bf|it|sf|tt)?\{([^{}$]*)\$([^{}$]+)\$([^{}$]*)\}")


@lru_cache(maxsize=1)
def formula_process() -> FormulaProcess:
    """Return the process that reads formulas; it starts with the first one."""
    process = FormulaProcess(_MACROS)
    atexit.register(process.close)
    return process


def formula_html(tex: str, *, block: bool) -> str:
    """Return a formula as MathML; what cannot be read as code with its TeX."""
    if len(tex) <= MAX_TEX and "{" * _MAX_DEPTH not in tex and not _DEFINITION.search(tex):
        try:
            return _mathml(tex, block=block)
        except (ParseError, ValueError):
            pass
    mark = "$$" if block else "$"
    return f'<code class="msg-TeX">{escape(mark + tex + mark)}</code>'


@lru_cache(maxsize=1024)
def _mathml(tex: str, *, block: bool) -> str:
    written = formula_process().mathml(_known_tex(tex), block=block)
    root = fromstring(_without_entities(written))  # noqa: S314  # of a converter, no text of a person
    for element in list(root.iter()):
        _give_room(element)
        _put_mark(element)
    return "".join(_written(root, 0))


_STRUT = "0.62em"
"""Height of TeX's lowest root, without the gap below its bar; browsers put the bar on what is low, such as π."""
_WIDE = {"\u0332": "\u203e", "~": "\u0303"}
"""Marks above and below a base, and those that the font makes as wide as the base."""


def _give_room(element: Element) -> None:
    """Put the bar of a root as high as TeX has it."""
    strut = Element("mspace", {"height": _STRUT})
    if element.tag == "msqrt":
        element.insert(0, strut)
    elif element.tag == "mroot" and len(element) == _CHILDREN["mroot"]:
        base = Element("mrow")
        base.extend([strut, element[0]])
        element[0] = base


def _put_mark(element: Element) -> None:
    """Let the mark above or below a base be one that the font makes as wide as the base."""
    if element.tag in ("mover", "munder") and len(element) == _CHILDREN["mover"]:
        mark = element[1]
        if mark.tag == "mo" and mark.get("stretchy") == "true" and mark.text:
            mark.text = _WIDE.get(mark.text, mark.text)


def has_formulas(html: str) -> bool:
    """Return whether a page has any formula that needs a font of mathematics."""
    return "<math" in html


def _known_tex(tex: str) -> str:
    """Return TeX in words that the library has."""
    if "\\" not in tex:
        return tex
    tex = _COUNTED.sub(
        lambda m: (
            r"\begin{align}" if m[1] in _ALIGNAT else r"\begin{aligned}" if m[1] else _end(m[2])
        ),
        tex,
    )
    tex = _EQNARRAY.sub(lambda m: r"\begin{array}{rcl}" if m[1] == "begin" else r"\end{array}", tex)
    tex = _ENVIRONMENT.sub(lambda m: f"\\{m[1]}{{{_RENAMED.get(m[2], m[2])}}}", tex)
    tex = _MATH_IN_TEXT.sub(r"\\text{\1}\2\\text{\3}", _LABEL.sub("", tex))
    if _TAG.search(tex) and not _NUMBERED.match(tex):
        tex = f"\\begin{{equation*}}{tex}\\end{{equation*}}"
    return tex


_ALIGNAT = ("alignat", "alignat*")


def _end(name: str) -> str:
    return r"\end{align}" if name in _ALIGNAT else r"\end{aligned}"


_ENTITY = re.compile(r"&(?!(?:lt|gt|amp|quot|apos|#[0-9]+|#x[0-9A-Fa-f]+);)[A-Za-z]+;")


def _without_entities(markup: str) -> str:
    return _ENTITY.sub(lambda entity: unescape(entity[0]), markup)


def _written(element: Element, depth: int, *, in_text: bool = False) -> Iterator[str]:
    children = len(element)
    if (
        element.tag not in TAGS
        or (element.tag in _TEXT_TAGS and not in_text)
        or depth > _MAX_DEPTH
        or _CHILDREN.get(element.tag, children) != children
    ):
        raise ValueError(element.tag)
    attributes = "".join(
        f' {name}="{value}"'
        for name, value in element.attrib.items()
        if name in ATTRIBUTES and (_STYLE if name == "style" else _VALUE).fullmatch(value)
    )
    if element.tag == "math" and "display" not in element.attrib:
        attributes = f' display="inline"{attributes}'
    yield f"<{element.tag}{attributes}>"
    yield escape(element.text or "")
    for child in element:
        yield from _written(child, depth + 1, in_text=in_text or element.tag == "mtext")
    yield f"</{element.tag}>"


_PLACE = re.compile(r"<msg-text n([0-9]+)>")
_DATA_IMAGE = re.compile(
    r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]*", re.IGNORECASE
)
_ALIGNED = re.compile(r"text-align:(left|right|center)")


class Texts:
    """Texts that our own Markdown has places for."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def clear(self) -> None:
        """Forget all texts: those of another page follow."""
        self._texts.clear()
        formula_process().begin_page()

    def add(self, text: str) -> str:
        """Return the place of a text, which is a block of its own; empty for an empty text."""
        if not text.strip():
            return ""
        self._texts.append(text)
        return f"<msg-text n{len(self._texts) - 1}>"

    def html(self, markdown: str) -> str:
        """Return the HTML of our own Markdown, with that of the texts in their places."""
        outside = _own_parser().render(markdown)
        return _PLACE.sub(lambda place: text_html(self._texts[int(place[1])]), outside)


def text_html(text: str) -> str:
    """Return a text of anybody as HTML that runs and loads nothing.

    Formulas are MathML. An image whose data are in the text is shown, any other is a link. A text that
    would take too long to parse is one block of code.
    """
    text = replace_controls(text)
    if takes_too_long(text):
        return f"<pre><code>{escape(text)}</code></pre>\n"
    return str(_parser().render(text))


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    return _with_rules(dialect_parser())


@lru_cache(maxsize=1)
def _own_parser() -> MarkdownIt:
    md = MarkdownIt("commonmark", {"html": True}).enable("table")
    md.validateLink = _parser().validateLink  # type: ignore[method-assign]  # the way to set it
    return _with_rules(md)


def _with_rules(md: MarkdownIt) -> MarkdownIt:
    for name, rule in _RULES.items():
        md.add_render_rule(name, rule)
    return md


def _formula(self: RendererHTML, tokens: Sequence[Token], at: int, *_: Any) -> str:
    return formula_html(tokens[at].content, block=False)


def _display(self: RendererHTML, tokens: Sequence[Token], at: int, *_: Any) -> str:
    html = formula_html(tokens[at].content, block=True)
    return f'<div class="msg-Formula">{html}</div>\n' if tokens[at].block else html


def _fence(self: RendererHTML, tokens: Sequence[Token], at: int, *_: Any) -> str:
    info, code = tokens[at].info.strip(), tokens[at].content
    if re.match(r"mermaid(?:\s|\Z)", info, re.IGNORECASE):
        return (
            '<div class="msg-Diagram"><div class="msg-Diagram-label">Diagram (Mermaid)</div>'
            f"<pre><code>{escape(code)}</code></pre></div>\n"
        )
    return _code_html(code, find_language(info) or "")


def _code_block(self: RendererHTML, tokens: Sequence[Token], at: int, *_: Any) -> str:
    return _code_html(tokens[at].content, "")


def _code_html(code: str, language: str) -> str:
    named = f' class="language-{language}"' if language else ""
    try:
        lexer = get_lexer_by_name(language, stripnl=False) if language else None
    except ClassNotFound:
        lexer = None
    if lexer is None:
        return f"<pre><code{named}>{escape(code)}</code></pre>\n"
    coloured = highlight(code, lexer, HtmlFormatter(nowrap=True))
    return f'<div class="highlight"><pre><code{named}>{coloured}</code></pre></div>\n'


def _link_open(self: RendererHTML, tokens: Sequence[Token], at: int, *_: Any) -> str:
    destination = safe_destination(str(tokens[at].attrs.get("href", "")))
    return f'<a href="{destination}">' if destination else "<a>"


def _image(self: RendererHTML, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    token = tokens[at]
    alt = self.renderInlineAsText(token.children or [], options, env)
    url = str(token.attrs.get("src", ""))
    if _DATA_IMAGE.fullmatch(url):
        return f'<img src="{escape(url)}" alt="{escape(alt)}" />'
    destination = safe_destination(url)
    label = escape(alt) or destination or ""
    return f'<a href="{destination}">{label}</a>' if destination else label


def _task(self: RendererHTML, tokens: Sequence[Token], at: int, *_: Any) -> str:
    return f'<input type="checkbox" disabled{" checked" if tokens[at].meta["checked"] else ""}> '


def _cell(self: RendererHTML, tokens: Sequence[Token], at: int, *_: Any) -> str:
    aligned = _ALIGNED.search(str(tokens[at].attrs.get("style", "")))
    return f'<{tokens[at].tag} align="{aligned[1]}">' if aligned else f"<{tokens[at].tag}>"


def _footnote(self: RendererHTML, tokens: Sequence[Token], at: int, *_: Any) -> str:
    return f"<sup>[{int(tokens[at].meta['id']) + 1}]</sup>"


def _always(html: str) -> Any:
    return lambda *_: html


_RULES = {
    FORMULA: _formula,
    DISPLAY: _display,
    "fence": _fence,
    "code_block": _code_block,
    "link_open": _link_open,
    "image": _image,
    "task": _task,
    "th_open": _cell,
    "td_open": _cell,
    "footnote_ref": _footnote,
    "footnote_block_open": _always("<hr>\n<ol>\n"),
    "footnote_block_close": _always("</ol>\n"),
    "footnote_open": _always("<li>"),
    "footnote_close": _always("</li>\n"),
    "footnote_anchor": _always(""),
}
