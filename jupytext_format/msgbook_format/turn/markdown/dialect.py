r"""The dialect of Markdown that an answer is read in: one parser for exports and derived texts.

CommonMark with GitHub's tables, strikethrough, task lists and links without brackets, with footnotes,
formulas and a few tags. The page has the same rules (`labextension/src/safe/dialect.ts`), on the same
parser in another language; the tests of both read `tests/format/turn/fixtures/answers.json`.

All HTML but `TAGS` and `<details>` is text, so a renderer that escapes texts is safe.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from markdown_it import MarkdownIt
from markdown_it.common.normalize_url import normalizeLink

from msgbook_format.turn.markdown.dialect_formulas import DISPLAY, FORMULA, add_formulas
from msgbook_format.turn.markdown.dialect_tags import add_details, add_tags

if TYPE_CHECKING:
    from collections.abc import Iterable

    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

__all__ = ["DISPLAY", "FORMULA", "TASK", "block_parser", "dialect_parser"]

TASK = "task"
"""Type of the token of a box in a task list; `meta["checked"]` says whether it is ticked."""

_LONGEST = 8_000
"""Characters of a paragraph in which links without brackets are looked for."""
_SCHEME = re.compile(r"[^/?#]*?:")
_CONTROLS = re.compile(r"[\x00-\x20\x7f-\x9f]+")
_EMBEDDED = re.compile(
    r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]*\Z", re.IGNORECASE
)
_BOX = re.compile(r"\[([ xX])\][ \t\n]+(?=\S)")
_WWW = re.compile(r"[\w-]+(?:\.[\w-]+)+(?:[/?#][^\s<>\"'`|]*[^\s<>\"'`|.,;:!?()\[\]{}*_~])?/?")


def dialect_parser() -> MarkdownIt:
    """Return a new parser of a whole text."""
    from linkify_it import LinkifyIt
    from mdit_py_plugins.footnote import footnote_plugin

    md = MarkdownIt("commonmark", {"html": False, "linkify": True})
    md.enable(["table", "strikethrough", "linkify"])
    linkify = LinkifyIt(options={"fuzzy_link": False, "fuzzy_email": True, "fuzzy_ip": False})
    linkify.add("ftp:", None).add("//", None)
    linkify.add("www.", {"validate": _www_length, "normalize": _complete})
    md.linkify = linkify
    md.core.ruler.after("normalize", "short_paragraphs", _limit_links)
    md.validateLink = _is_followed  # type: ignore[method-assign]  # the way to set it
    md.normalizeLink = _normalized  # type: ignore[method-assign]
    md.use(footnote_plugin)
    md.inline.ruler.disable("footnote_inline")
    add_formulas(md)
    add_tags(md)
    md.core.ruler.push("tasks", _mark_tasks)
    return md


@lru_cache(maxsize=1)
def block_parser() -> MarkdownIt:
    """Return the parser of blocks alone, with the formulas, folds and tables of `dialect_parser`; nothing may change it."""
    md = MarkdownIt("commonmark", {"html": False}).enable("table")
    add_formulas(md)
    add_details(md)
    return md.disable(["inline", "text_join"])


def _is_followed(url: str) -> bool:
    """Return whether a link may lead there, or an image is embedded there."""
    plain = _CONTROLS.sub("", url)
    scheme = _SCHEME.match(plain)
    if scheme is None or scheme[0][:-1].lower() in ("http", "https", "mailto"):
        return True
    return _EMBEDDED.match(plain) is not None


def _normalized(url: str) -> str:
    # An embedded picture may have megabytes.
    return url if url.startswith("data:") else normalizeLink(url)


def _limit_links(state: StateCore) -> None:
    # Their time grows with the square of a paragraph.
    longest = max(map(len, re.split(r"\n[ \t]*\n", state.src)))
    state.md.options["linkify"] = longest <= _LONGEST


def _www_length(linkify: Any, text: str, pos: int) -> int:
    found = _WWW.match(text, pos)
    return len(found[0]) if found else 0


def _complete(linkify: Any, match: Any) -> None:
    match.url = "http://" + match.url


def _mark_tasks(state: StateCore) -> None:
    for item, paragraph, inline in _triples(state.tokens):
        if item.type != "list_item_open" or paragraph.type != "paragraph_open":
            continue
        children = inline.children or []
        box = _BOX.match(inline.content)
        if box is None or not children or children[0].type != "text":
            continue
        first = children[0]
        cut = (
            _BOX.match(first.content + "\n-")
            if len(first.content) <= 4
            else _BOX.match(first.content)
        )
        if cut is None:
            continue
        first.content = first.content[min(cut.end(), len(first.content)) :]
        task = first.copy(type=TASK, content="", meta={"checked": box[1] != " "})
        children.insert(0, task)


def _triples(tokens: list[Token]) -> Iterable[tuple[Token, Token, Token]]:
    return zip(tokens, tokens[1:], tokens[2:], strict=False)
