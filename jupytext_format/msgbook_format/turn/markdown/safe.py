r"""Markdown of a model, made safe for every renderer.

The result is shown by nbconvert (mistune, formulas, no sanitiser), by JupyterLab (marked; formulas
are cut out before and put back into the HTML after; no sanitiser in a trusted cell), by GitHub and
by any program that a person pastes it into. They disagree about what is code: in nested lists,
after an unclosed `$$`, in tables, after unusual indentation. So nothing is safe *because* it is
code. Instead every piece is written so that it does nothing, whether it is read as text or as code:

- Text: a `<` that could open a tag becomes `&lt;`, in formulas `< `. `](`, `]:` and `![` occur
  only in links and images that we write, with destinations that hold no quote, dollar, bracket,
  space or backslash; an image's text is character references. Link definitions are resolved and
  dropped. Without definitions, `[x]` and `[x][y]` do nothing. Nothing looks like a fence.
- Code spans, and code in lists and quotes: kept if they hold nothing of that kind (`DANGER`).
  Otherwise they become one line of `<pre>` or `<code>` with character references.
- Code at the top level: a fence in column 0 between blank lines. A parser that reads text there
  begins a block and sees the fence. A parser in an earlier, open fence cannot take the opening
  line for its end, since the line has an info string. It stays in code until our closing line, and
  agrees from there on. Only a line in the code that looks like a fence could mislead it, or `$$`
  and the like a parser that knows formulas. Such code becomes `<pre>`, too, if it holds danger.
- Display formulas: nbconvert begins one at any `$$`, `\\[` or `\begin{x}` and reads to its end over
  blank lines and fences, whose code becomes text. So these are written only if they surely end
  before a blank line, else as character references (`contain_formulas`).
- A diagram (`mermaid`) is shown as source: nbconvert copies it into the page as HTML, and it may
  load pictures. TeX that makes MathJax load something is broken by an invisible character.
- JupyterLab puts formulas back with unescaped quotes, even into an attribute:
  `http://x/$" onclick=... "$` is a link with a handler. So a text with formulas keeps no `"` outside
  of top-level fences.

The Markdown parser therefore decides only how the result looks, not whether it is safe.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from msgbook_format.turn.markdown.dialect import DISPLAY, block_parser
from msgbook_format.turn.markdown.escape import (
    DANGER,
    code_block,
    escape_line,
    find_language,
    html_block,
    replace_controls,
    safe_destination,
    takes_too_long,
)
from msgbook_format.turn.markdown.formulas import contain_formulas, on_one_line
from msgbook_format.turn.markdown.inline import safe_inline

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markdown_it.token import Token


_CONTAINER_PREFIX = re.compile(r"[ \t>*+.)0-9-]*")
_FORMULA = re.compile(r"\$|\\[(\[]|\\begin\{")
_NOTE = re.compile(r"\[\^([^\]\s]{1,50})\]")
_NOTE_TEXT = re.compile(r"^ {0,3}\[\^([^\]\s]{1,50})\]:", re.MULTILINE)


def safe_markdown(text: str) -> str:
    """Return Markdown without HTML, remote images and links that run code.

    Pure, in linear time: every search ahead uses an index or a fixed distance. The result has no
    white space at the end, and stays safe when joined to others by blank lines. A text that would
    take renderers too long becomes a code block.
    """
    text = replace_controls(text)
    plain = safe_without_parser(text)
    safe = safe_with_parser(text) if plain is None else plain
    return code_block(text) if takes_too_long(safe) else safe


def safe_with_parser(text: str) -> str:
    """Return safe Markdown of a text from `replace_controls`, by the parser in every case."""
    return contain_formulas("\n".join(_Document(text).safe_lines()).rstrip())


_WRITTEN = frozenset(
    ("fence", "code_block", "inline", "table_open", DISPLAY, "details_open", "details_close")
)


def _footnotes(text: str) -> dict[str, int]:
    """Return the numbers of the footnotes that a text defines, in the order of their first use."""
    defined = set(_NOTE_TEXT.findall(text)) if "[^" in text else set()
    used = dict.fromkeys(label for label in _NOTE.findall(text) if label in defined)
    return {label: number for number, label in enumerate(used, 1)}


class _Document:
    def __init__(self, text: str) -> None:
        env: dict[str, Any] = {}
        self.lines = text.split("\n")
        # Blocks only: `safe_inline` handles the inside of paragraphs.
        self.tokens = block_parser().parse(text, env)
        self.quotes = bool(_FORMULA.search(text))
        self.references: dict[str, str] = {}
        self.definitions: set[int] = set()
        for label, found in env.get("references", {}).items():
            if safe_destination(found["href"]):
                self.references[label] = found["href"]
                self.definitions.update(range(*found["map"]))
        self.dollars = text.count("$") + text.count("\\(") + text.count("\\[") > 1
        self.footnotes = _footnotes(text)

    def safe_lines(self) -> Iterator[str]:
        done = 0
        for token in self.tokens:
            if token.map is None or token.map[0] < done:
                continue
            if token.type not in _WRITTEN:
                continue
            start, end = token.map
            yield from self._rest(done, start)
            if token.type == "inline":
                yield from self._paragraph(start, end, token.content)
            elif token.type == DISPLAY and token.meta and token.level == 0:
                yield from self._separate(start, end, self._inline(token.markup))
            elif token.type == DISPLAY and token.meta:
                prefix = _CONTAINER_PREFIX.match(self.lines[start])[0]  # type: ignore[index]  # matches anything
                yield prefix + self._inline(on_one_line(token.markup))
            elif token.type == DISPLAY:
                yield from self._paragraph(start, end, token.markup)
            elif token.tag == "details":
                yield from self._details(token, start, end)
            elif token.type == "table_open":
                yield from (self._inline(line, table=True) for line in self.lines[start:end])
            elif token.level == 0:
                yield from self._separate(start, end, code_block(token.content, token.info))
            else:
                yield from self._nested_code(start, end, token)
            done = end
        yield from self._rest(done, len(self.lines))

    def _inline(self, text: str, *, table: bool = False) -> str:
        return safe_inline(
            text,
            self.references,
            quotes=self.quotes,
            table=table,
            footnotes=self.footnotes,
            dollars=self.dollars,
        )

    def _details(self, token: Token, start: int, end: int) -> Iterator[str]:
        """Yield a line that opens or closes a fold, between blank lines."""
        if token.level > 0:
            # In a list or a quote renderers disagree about where it ends.
            yield from (self._inline(line) for line in self.lines[start:end])
        elif token.nesting == 1:
            summary = escape_line(str(token.meta["summary"])) or "Details"
            yield from self._separate(start, end, f"<details><summary>{summary}</summary>\n")
        else:
            yield from self._separate(start, end, "</details>\n")

    def _rest(self, start: int, end: int) -> Iterator[str]:
        """Yield blank lines, rules, underlines and definitions, which have no token of their own."""
        for index in range(start, end):
            yield "" if index in self.definitions else self._inline(self.lines[index])

    def _separate(self, start: int, end: int, block: str) -> Iterator[str]:
        """Yield the block between blank lines."""
        if start > 0 and self.lines[start - 1].strip(" \t"):
            yield ""
        yield block
        if end < len(self.lines) and self.lines[end].strip(" \t"):
            yield ""

    def _paragraph(self, start: int, end: int, content: str) -> Iterator[str]:
        """Yield a paragraph, made safe without the prefixes of quotes and lists around it."""
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
            harmless = harmless and find_language(token.info) == (token.info.strip() or None)
        else:
            first = token.content.split("\n", 1)[0]
            indent = len(first) - len(first.lstrip()) + 4
            prefix = raw[0].rstrip().removesuffix(first.strip()).expandtabs(4)[:-indent]
        if harmless:
            yield from raw
        elif _CONTAINER_PREFIX.fullmatch(prefix):
            yield prefix + html_block(token.content.removesuffix("\n"))
        else:
            yield from self._separate(start, end, html_block(token.content.removesuffix("\n")))


# Safe Markdown without a parser, for the simple texts that models mostly write.
#
# Parsing takes longer than all other work on a message file. The parser separates text from code and
# from definitions of links. In a text of fences at the top level and paragraphs at the margin, the
# same result is possible without it.


_FENCE = re.compile(r"^(`{3,})([^`\n]*)\n", re.MULTILINE)
_FENCE_END = re.compile(r"^ {0,3}(`{3,})[ \t]*$", re.MULTILINE)
_FORMULA_START = re.compile(r"\\[(\[]|\\begin\{")
_SPECIAL = re.compile(r"\\|\$|&|<[A-Za-z/!?]|!\[|\]\(")
_SUSPECTS = "\\$&<]!"
_ODD_SPACE = re.compile(r"[^\S\n ]")
_BLOCK_START = re.compile(r"^(?:[ #>|]|[-+*_=:]|\d+[.)])|\|", re.MULTILINE)


def safe_without_parser(text: str) -> str | None:
    """Return the safe Markdown of a text with a simple structure; None if it takes a parser.

    Args:
        text: Free of control characters, as `replace_controls` leaves it.
    """
    if (
        "$$" in text
        or "[^" in text
        or "<details" in text.lower()
        or "```math" in text
        or "$`" in text
        or ("\\" in text and _FORMULA_START.search(text))
    ):
        return None
    dollars = text.count("$")
    parts: list[str] = []
    position = 0
    while True:
        start = text.find("```", position)
        fence = _FENCE.match(text, start) if start >= 0 else None
        outside = _outside(text[position : fence.start() if fence else len(text)], dollars)
        if outside is None:
            return None
        parts.append(outside)
        if fence is None:
            return "".join(parts).rstrip()
        end = _end(text, fence)
        if end is None:
            return None
        code = text[fence.end() : end.start()]
        parts.append(_separate(text, fence.start(), end.end(), code_block(code, fence[2])))
        position = end.end()


def _outside(text: str, dollars: int) -> str | None:
    """Return text outside of fences, made safe; None if it takes a parser."""
    if not _is_simple(text):
        return None
    if _is_safe(text, dollars):
        return text
    parts = text.split("\n\n")
    for index, part in enumerate(parts):
        if _is_safe(part, dollars):
            continue
        paragraph = part.strip("\n")
        if _BLOCK_START.search(paragraph):
            return None
        # Quotes are escaped wherever there are formulas, even in code.
        safe = safe_inline(paragraph, {}, quotes=dollars > 0, table=False, dollars=dollars > 1)
        parts[index] = part.replace(paragraph, contain_formulas(safe))
    return "\n\n".join(parts)


def _is_simple(text: str) -> bool:
    """Return whether there are no code blocks or tables with code, no definitions and no spaces at line ends."""
    return not (
        "```" in text
        or "~~~" in text
        or "]:" in text
        or ("|" in text and "`" in text)
        or "\t" in text
        or "\n    " in text
        or " \n" in text
        or text[:4] == "    "
        or text[-1:] == " "
        or (not text.isascii() and _ODD_SPACE.search(text))
    )


def _is_safe(text: str, dollars: int) -> bool:
    """Return whether text is safe without a change."""
    return not (
        (any(map(text.__contains__, _SUSPECTS)) and _SPECIAL.search(text)) or "ftp:" in text.lower()
    )


def _end(text: str, fence: re.Match[str]) -> re.Match[str] | None:
    """Return the line that closes a fence; None if it is open to the end of the text."""
    end = _FENCE_END.search(text, fence.end())
    while end is not None and len(end[1]) < len(fence[1]):
        end = _FENCE_END.search(text, end.end())
    return end


def _separate(text: str, start: int, end: int, block: str) -> str:
    """Return the block that replaces `text[start:end]`, with the blank lines that are missing."""
    before = "\n" if start > 1 and text[start - 2] != "\n" else ""
    after = "\n" if end + 1 < len(text) and text[end + 1] != "\n" else ""
    return before + block + after
