r"""Markdown as HTML of an exported page, in the dialect of the page in JupyterLab.

A text of anybody is parsed by itself, as the page does it, so that no text changes what stands
around it. What stands around texts, such as a turn's folds, is our own Markdown with HTML, in which
`Texts` holds the places of the texts.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Any

from markdown_it import MarkdownIt
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from msgbook_format.exporters.formulas import formula_html
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
    from collections.abc import Sequence

    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token

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
        """Forget all texts."""
        self._texts.clear()

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
