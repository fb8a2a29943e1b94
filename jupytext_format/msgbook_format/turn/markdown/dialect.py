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
from markdown_it.rules_block import reference
from markdown_it.rules_inline import emphasis, strikethrough
from markdown_it.token import Token

from msgbook_format.turn.markdown.formulas import DISPLAY, EAST_ASIAN, FORMULA, add_formulas

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from markdown_it.parser_inline import RuleFuncInlineType
    from markdown_it.ruler import RuleOptionsType
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline


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
_ENDS_LINK = re.compile("[、。，．；：！？（）「」『』【】《》〈〉“”‘’…]")
"""Punctuation with which East Asian texts end what is before it."""
_MOST_CUT = 50
"""Links after which what follows one that is cut is not looked at again."""
_WWW = re.compile(r"[\w-]+(?:\.[\w-]+)+(?:[/?#][^\s<>\"'`|]*[^\s<>\"'`|.,;:!?()\[\]{}*_~])?/?")


def dialect_parser() -> MarkdownIt:
    """Return a new parser of a whole text."""
    from linkify_it import LinkifyIt
    from mdit_py_plugins.footnote import footnote_plugin

    md = MarkdownIt("commonmark", {"html": False, "linkify": True})
    md.enable(["table", "strikethrough", "linkify"])

    class Links(LinkifyIt):  # type: ignore[misc]
        """Finds links that end before the punctuation of texts without blanks."""

        def match(self, text: str) -> Any:
            return _cut_links(super().match, text)

        def match_at_start(self, text: str) -> Any:
            link = super().match_at_start(text)
            _cut(link)
            return link

    linkify = Links(options={"fuzzy_link": False, "fuzzy_email": True, "fuzzy_ip": False})
    linkify.add("ftp:", None).add("//", None)
    linkify.add("www.", {"validate": _www_length, "normalize": _complete})
    md.linkify = linkify
    md.core.ruler.after("normalize", "short_paragraphs", _limit_links)
    md.validateLink = _is_followed  # type: ignore[method-assign]  # the way to set it
    md.normalizeLink = _normalized  # type: ignore[method-assign]
    md.use(footnote_plugin)
    md.inline.ruler.disable("footnote_inline")
    md.core.ruler.before("footnote_tail", "unused_footnotes", _show_unused_footnotes)
    add_formulas(md)
    add_tags(md)
    md.inline.ruler.at("emphasis", _beside_east_asian(emphasis.tokenize))
    md.inline.ruler.at("strikethrough", _beside_east_asian(strikethrough.tokenize))
    md.core.ruler.after("inline", "image_texts", _keep_image_texts)
    md.core.ruler.push("tasks", _mark_tasks)
    return md


@lru_cache(maxsize=1)
def block_parser() -> MarkdownIt:
    """Return the parser of blocks alone, with the formulas, folds and tables of `dialect_parser`; nothing may change it."""
    md = MarkdownIt("commonmark", {"html": False}).enable("table")
    md.block.ruler.at("reference", _reference)
    add_formulas(md)
    add_details(md)
    return md.disable(["inline", "text_join"])


def _reference(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a definition of a link. That of a footnote looks like one, and its text goes on in the next lines."""
    if state.src.startswith("[^", state.bMarks[start] + state.tShift[start]):
        return False
    return reference(state, start, end, silent)


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


def _cut_links(find: Callable[[str], Any], text: str) -> Any:
    """Return the links of a text. What follows one that is cut may hold another."""
    links: list[Any] = []
    start, is_cut = 0, True
    while is_cut:
        is_cut = False
        for link in find(text[start:]) or []:
            link.index, link.last_index = link.index + start, link.last_index + start
            links.append(link)
            if is_cut := _cut(link) and len(links) < _MOST_CUT:
                start = link.last_index
                break
    return links or None


def _cut(link: Any) -> bool:
    """End a link before punctuation that is none of it; return whether there was any."""
    mark = _ENDS_LINK.search(link.raw) if link is not None else None
    if mark is None:
        return False
    size = len(link.raw) - mark.start()
    link.raw, link.text, link.url = link.raw[:-size], link.text[:-size], link.url[:-size]
    link.last_index -= size
    return True


def _www_length(linkify: Any, text: str, pos: int) -> int:
    found = _WWW.match(text, pos)
    return len(found[0]) if found else 0


def _complete(linkify: Any, match: Any) -> None:
    match.url = "http://" + match.url


def _beside_east_asian(rule: RuleFuncInlineType) -> RuleFuncInlineType:
    """Return a rule for `*` or `~` that also ends beside Chinese, Japanese and Korean, which have no blanks.

    CommonMark takes `**重点：**内容` for a text without emphasis: a mark between punctuation and a letter opens.
    """

    def marks(state: StateInline, silent: bool) -> bool:
        start, known = state.pos, len(state.delimiters)
        if not rule(state, silent):
            return False
        before = state.src[start - 1 : start] or " "
        after = state.src[state.pos : min(state.pos + 1, state.posMax)] or " "
        if state.src[start] != "_" and EAST_ASIAN.search(before + after):
            for mark in state.delimiters[known:]:
                mark.open, mark.close = not after.isspace(), not before.isspace()
        return True

    return marks


def _keep_image_texts(state: StateCore) -> None:
    """Make text of the code and the formulas in the text of an image, which would be left out."""
    for token in state.tokens:
        for image in token.children or []:
            if image.type == "image":
                for child in image.children or []:
                    if child.type in ("code_inline", FORMULA, DISPLAY):
                        child.type = "text"


def _show_unused_footnotes(state: StateCore) -> None:
    """Make paragraphs of the footnotes to which nothing refers, which would be left out."""
    refs = state.env.get("footnotes", {}).get("refs", {})
    unused = {label[1:] for label, number in refs.items() if number < 0}
    is_unused, mark = False, ""
    kept: list[Token] = []
    for token in state.tokens:
        if token.type == "footnote_reference_open" and token.meta["label"] in unused:
            is_unused, mark = True, f"[^{token.meta['label']}]: "
        elif token.type == "footnote_reference_close" and is_unused:
            is_unused = False
        else:
            if mark and token.type == "inline":
                first = Token("text", "", 0, content=mark)
                token.children, mark = [first, *(token.children or [])], ""
            kept.append(token)
    state.tokens = kept


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


# The tags that Markdown of a model may have, as rules of markdown-it: `<br>`, `<sub>` and a few more.
#
# They have no attributes, and every one has its end in the same paragraph, or else is text. So is a
# `<details>` without its end in the same block; its attributes and those of its summary are left out.


TAGS = ("sub", "sup", "kbd")
"""Tags that are kept around a text; `br` is kept alone."""

TAG = re.compile(rf"<(?:br[ \t]*/?|(/?)({'|'.join(TAGS)}))>", re.IGNORECASE)
_OPEN = r"(?:[ \t][^<>]{0,200})?"
"""Attributes, which are left out."""
_DETAILS = re.compile(
    rf"<(/?)details{_OPEN}>(?:[ \t]*<summary{_OPEN}>(.*?)</summary>)?[ \t]*\Z", re.IGNORECASE
)
_SUMMARY = re.compile(rf"<summary{_OPEN}>(.*?)</summary>[ \t]*\Z", re.IGNORECASE)
_MOST_DETAILS = 8
"""Greatest number of `<details>` around one another."""


def add_tags(md: MarkdownIt) -> None:
    """Add all rules to a parser."""
    md.inline.ruler.before("autolink", "tag", _tag_rule)
    md.core.ruler.after("inline", "tag_pairs", _pair_tags)
    add_details(md)


def add_details(md: MarkdownIt) -> None:
    """Add the rules of `<details>` alone to a parser."""
    interrupting: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote"]}
    md.block.ruler.before("fence", "details", _details_rule, interrupting)
    md.core.ruler.after("block", "details_pairs", _pair_details)


def _tag_rule(state: StateInline, silent: bool) -> bool:
    found = TAG.match(state.src, state.pos) if state.src[state.pos] == "<" else None
    if found is None:
        return False
    if not silent:
        name = (found[2] or "").lower()
        # Whether it opens or closes anything is only known when its partner is.
        token = state.push("tag" if name else "hardbreak", name or "br", 0)
        token.content, token.meta = found[0], {"closes": bool(found[1])}
    state.pos = found.end()
    return True


def _pair_tags(state: StateCore) -> None:
    """Make text of the tags that have no partner in their place."""
    for token in state.tokens:
        tags = [child for child in token.children or () if child.type == "tag"]
        if tags:
            paired = _paired(token.children or [])
            for tag in tags:
                if id(tag) in paired:
                    tag.nesting = -1 if tag.meta["closes"] else 1
                else:
                    tag.type, tag.tag = "text", ""


def _paired(children: list[Token]) -> set[int]:
    open_ones: list[Token] = []
    paired: set[int] = set()
    for child in children:
        closes = child.meta["closes"] if child.type == "tag" else child.nesting == -1
        if child.type != "tag" and child.nesting == 0:
            continue
        if not closes:
            open_ones.append(child)
        elif child.type != "tag":
            # What opens inside of an emphasis does not close outside of it.
            while open_ones and open_ones.pop().type == "tag":
                pass
        elif open_ones and open_ones[-1].type == "tag" and open_ones[-1].tag == child.tag:
            paired |= {id(child), id(open_ones.pop())}
    return paired


def _details_rule(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    if state.sCount[start_line] - state.blkIndent >= 4:
        return False
    found = _DETAILS.match(_line(state, start_line))
    if found is None or (found[1] and found[2] is not None):
        return False
    if silent:
        return True
    state.line = start_line + 1
    if found[1]:
        state.push("details_close", "details", 0).map = [start_line, state.line]
        return True
    summary = found[2]
    if summary is None and state.line < end_line and state.sCount[state.line] >= state.blkIndent:
        below = _SUMMARY.match(_line(state, state.line))
        if below is not None:
            summary = below[1]
            state.line += 1
    token = state.push("details_open", "details", 0)
    token.map = [start_line, state.line]
    token.content = state.getLines(start_line, state.line, state.blkIndent, False)
    token.meta = {"summary": summary or ""}
    return True


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _pair_details(state: StateCore) -> None:
    """Give each `<details>` its end, and make paragraphs of those that have none."""
    open_ones: list[int] = []
    pairs: dict[int, int] = {}
    for index, token in enumerate(state.tokens):
        while open_ones and state.tokens[open_ones[-1]].level > token.level:
            open_ones.pop()
        if token.type == "details_open":
            open_ones.append(index)
        elif (
            token.type == "details_close"
            and open_ones
            and state.tokens[open_ones[-1]].level == token.level
        ):
            start = open_ones.pop()
            if len(open_ones) < _MOST_DETAILS:
                pairs[start] = index
    if any(token.tag == "details" for token in state.tokens):
        ends = set(pairs.values())
        state.tokens = [
            written
            for index, token in enumerate(state.tokens)
            for written in _written(token, index in pairs, index in ends)
        ]


def _written(token: Token, opens: bool, closes: bool) -> list[Token]:
    if token.tag != "details":
        return [token]
    if closes:
        token.nesting = -1
        return [token]
    if opens:
        token.nesting = 1
        inline = _inline(token, token.meta["summary"] or "Details")
        return [token, _block(token, "summary", 1), inline, _block(token, "summary", -1)]
    text = token.content if token.type == "details_open" else "</details>"
    return [
        _block(token, "paragraph", 1),
        _inline(token, text),
        _block(token, "paragraph", -1),
    ]


def _block(like: Token, name: str, nesting: int) -> Token:
    tag = "p" if name == "paragraph" else name
    kind = f"{name}_{'open' if nesting == 1 else 'close'}"
    return like.copy(type=kind, tag=tag, nesting=nesting, content="", meta={}, block=True)


def _inline(like: Token, text: str) -> Token:
    return like.copy(type="inline", tag="", nesting=0, content=text, children=[], meta={})
