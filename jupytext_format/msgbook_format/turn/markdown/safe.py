r"""Markdown of a model, made safe for every renderer.

The result is shown by nbconvert (mistune, formulas, no sanitiser), JupyterLab (marked, formulas
cut out before and put back into the HTML after; no sanitiser in a trusted cell), GitHub, and
whatever a person pastes it into. They disagree about what is code: in nested lists, behind an
unclosed `$$`, in tables, after odd indentation. So nothing is safe *because* it is code. Instead
every piece is written so that it does nothing in whichever way it is read:

- Text: a `<` that could open a tag becomes `&lt;`, in formulas `< `. `](`, `]:` and `![` occur
  only in links and images that we write, with destinations that hold no quote, dollar, bracket,
  space or backslash; an image's text is character references. Link definitions are resolved and
  dropped. Without definitions, `[x]` and `[x][y]` do nothing. Nothing looks like a fence.
- Code spans, and code in lists and quotes: kept where they hold nothing of that kind (`DANGER`),
  else written as one line of `<pre>` or `<code>` in character references: no other markup.
- Code at the top level: a fence in column 0 between blank lines. A parser that reads text there
  begins a block, and sees the fence. One that thinks an earlier fence is still open cannot take
  the opening line for the end, for it has an info string; it stays in code until our closing
  line, and agrees from there on. It could be led astray only by a line in the code that looks
  like a fence, and one that knows formulas only by `$$` and the like: such code, if it holds
  anything dangerous, is written as `<pre>` too.
- Display formulas: nbconvert begins one at any `$$`, `\\[` or `\begin{x}` and reads on to its end
  over blank lines and fences, and what stood in a fence is text then. So these are written only
  where they surely end before a blank line, else as character references (`contain_formulas`).
- A diagram (`mermaid`) is shown as its source: nbconvert copies it into the page as HTML, and it
  may load pictures. TeX that makes MathJax load something is broken by an invisible character.
- JupyterLab puts formulas back with their quotes unescaped, also where they became part of an
  attribute: `http://x/$" onclick=... "$` is a link with a handler. So where there are formulas,
  no `"` is left outside of top-level fences.

The Markdown parser therefore only decides how the result looks, not whether it is safe.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from markdown_it import MarkdownIt

from msgbook_format.turn.markdown.cost import takes_too_long
from msgbook_format.turn.markdown.display import contain_formulas
from msgbook_format.turn.markdown.escape import DANGER, code_block, html_block, language, visible
from msgbook_format.turn.markdown.inline import safe_inline
from msgbook_format.turn.markdown.links import safe_destination
from msgbook_format.turn.markdown.plain import plain_markdown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it.token import Token

# Blocks only, and HTML is text: `safe_inline` looks at what is inside of paragraphs.
_PARSER = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["inline", "text_join"])
_CONTAINER_PREFIX = re.compile(r"[ \t>*+.)0-9-]*")
_FORMULA = re.compile(r"\$|\\\\[(\[]|\\begin\{")


def safe_markdown(text: str) -> str:
    """The same Markdown for a reader, but without HTML, remote images and links that run code.

    Pure. The time grows with the length of the text, not with its square: what is looked for
    ahead is indexed once, or within a fixed distance. No white space at the end. Joining results
    by blank lines keeps them safe. A text that renderers would stand still over is a code block.
    """
    text = visible(text)
    plain = plain_markdown(text)
    safe = parsed_markdown(text) if plain is None else plain
    return code_block(text) if takes_too_long(safe) else safe


def parsed_markdown(text: str) -> str:
    """The same for a text that `visible` has seen, by way of a parser whatever it holds."""
    return contain_formulas("\n".join(_Document(text).safe_lines()).rstrip())


class _Document:
    def __init__(self, text: str) -> None:
        env: dict[str, Any] = {}
        self.lines = text.split("\n")
        self.tokens = _PARSER.parse(text, env)
        self.quotes = bool(_FORMULA.search(text))
        self.references: dict[str, str] = {}
        self.definitions: set[int] = set()
        for label, found in env.get("references", {}).items():
            if safe_destination(found["href"]):
                self.references[label] = found["href"]
                self.definitions.update(range(*found["map"]))

    def safe_lines(self) -> Iterator[str]:
        done = 0
        for token in self.tokens:
            if token.map is None or token.map[0] < done:
                continue
            if token.type not in ("fence", "code_block", "inline", "table_open"):
                continue
            start, end = token.map
            yield from self._others(done, start)
            if token.type == "inline":
                yield from self._paragraph(start, end, token.content)
            elif token.type == "table_open":
                yield from (self._inline(line, table=True) for line in self.lines[start:end])
            elif token.level == 0:
                yield from self._apart(start, end, code_block(token.content, token.info))
            else:
                yield from self._nested_code(start, end, token)
            done = end
        yield from self._others(done, len(self.lines))

    def _inline(self, text: str, *, table: bool = False) -> str:
        return safe_inline(text, self.references, quotes=self.quotes, table=table)

    def _others(self, start: int, end: int) -> Iterator[str]:
        """Blank lines, rules, underlines, definitions: all that has no token of its own."""
        for index in range(start, end):
            yield "" if index in self.definitions else self._inline(self.lines[index])

    def _apart(self, start: int, end: int, block: str) -> Iterator[str]:
        """The block between blank lines."""
        if start > 0 and self.lines[start - 1].strip(" \t"):
            yield ""
        yield block
        if end < len(self.lines) and self.lines[end].strip(" \t"):
            yield ""

    def _paragraph(self, start: int, end: int, content: str) -> Iterator[str]:
        """A paragraph without the prefixes of the quotes and lists around it, put back after."""
        lines, rows = self.lines[start:end], content.split("\n")
        lines[-1] = lines[-1].rstrip()
        prefixes = [line.removesuffix(row) for line, row in zip(lines, rows, strict=False)]
        if len(lines) == len(rows) and all(map(_CONTAINER_PREFIX.fullmatch, prefixes)):
            safe = self._inline(content).split("\n")
            yield from map("".join, zip(prefixes, safe, strict=False))
        else:
            yield self._inline("\n".join(lines))

    def _nested_code(self, start: int, end: int, token: Token) -> Iterator[str]:
        raw = self.lines[start:end]
        source = "\n".join(raw)
        harmless = not DANGER.search(source) and not (self.quotes and '"' in source)
        if token.type == "fence":
            prefix = _CONTAINER_PREFIX.match(raw[0])[0]  # type: ignore[index]  # matches anything
            harmless = harmless and language(token.info) == (token.info.strip() or None)
        else:
            first = token.content.split("\n", 1)[0]
            indent = len(first) - len(first.lstrip()) + 4
            prefix = raw[0].rstrip().removesuffix(first.strip()).expandtabs(4)[:-indent]
        if harmless:
            yield from raw
        elif _CONTAINER_PREFIX.fullmatch(prefix):
            yield prefix + html_block(token.content.removesuffix("\n"))
        else:
            yield from self._apart(start, end, html_block(token.content.removesuffix("\n")))
