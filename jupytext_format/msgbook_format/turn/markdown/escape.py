"""Small pieces of Markdown that show hostile text as text in every renderer.

The module `safe` explains why each is safe.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote, unquote

from markdown_it.common.utils import normalizeReference

from msgbook_format.html_references import unescape
from msgbook_format.syntax.fence import write_fence

DANGER = re.compile(
    r"<[A-Za-z/!?]|!\[|\][(:]|\$|\\\\[(\[]|\\(?i:begin)\{"
    r"|```[^\n]{0,80}(?:(?i:mermaid)|[&\\])|~~~[^\n]{0,80}(?:(?i:mermaid)|[&\\])"
    r"|\\(?i:require|mmlToken|style|data|bbox)(?![A-Za-z])"
)
"""A tag, image, link, definition, formula or diagram, which acts when a parser does not see code.

A formula does no harm by itself. But its end decides what is code, and parsers that do not know
formulas disagree about it.
"""

LOADING_TEX = re.compile(r"(?:require|mmlToken|style|data|bbox)(?![A-Za-z])")
"""TeX commands, without the backslash, that load something even in MathJax's safe mode: a script, a
picture as a glyph or background, a cursor. `data` sets attributes that a page may act on."""

WORD_JOINER = "\u2060"
"""An invisible character that makes a TeX command unknown, so that MathJax shows it as text."""

_COMMAND = re.compile(rf"\\(?={LOADING_TEX.pattern})")
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_LINE_END = re.compile("\r\n?|[\u2028\u2029]")
_PUNCTUATION = {
    code: f"&#{code};" for code in range(128) if re.match(r"[!-/:-@\[-`{-~\n]", chr(code))
}
_MARKUP = re.compile(r"[!\"$&'*<>@\[\\\]_`{|}~]|(?<=ftp):", re.IGNORECASE)

_FENCE_LINE = re.compile(r"^[ \t>]*(?:```|~~~)", re.MULTILINE)
_DISPLAY_MATH = re.compile(r"\$\$|\\\\[\[\]]|\\(?:begin|end)\{")
_LANGUAGE = re.compile(r"(?!\S*mermaid)[a-z0-9][\w+#.-]{0,30}(?!\S)", re.ASCII | re.IGNORECASE)


def replace_controls(text: str) -> str:
    """Return text with visible characters for controls and lone surrogates.

    Every line end becomes `\\n`, those that only JavaScript knows included. Tabs stay.
    """
    # True for most texts, and much faster than the patterns.
    if text.replace("\n", "").isprintable():
        return text
    return _UNPRINTABLE.sub(_replacement, _LINE_END.sub("\n", text))


def _replacement(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def escape_punctuation(text: str) -> str:
    """Return text with all ASCII punctuation and line ends as numeric character references."""
    return text.translate(_PUNCTUATION)


def escape_text(text: str) -> str:
    """Return text with inline markup of Markdown, HTML and TeX as character references.

    MathJax decodes these, so TeX commands that load something are broken as well.
    """
    return _MARKUP.sub(_reference, _COMMAND.sub(f"\\\\{WORD_JOINER}", text))


def _reference(match: re.Match[str]) -> str:
    return f"&#{ord(match[0])};"


def escape_line(text: str, limit: int = 500) -> str:
    """Return at most `limit` characters of a text as one line of Markdown that shows them literally."""
    return escape_text(_squeeze(text, limit))


def inline_code(text: str, limit: int = 200) -> str:
    """Return at most `limit` characters of a text as a code span of one line."""
    line = _squeeze(text, limit)
    if line and not DANGER.search(line) and not re.search(r"[`|\\\"]|~~~", line):
        return f"`{line}`"
    return html_span(line)


def _squeeze(text: str, limit: int) -> str:
    line = " ".join(replace_controls(text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def code_block(code: str, info: str = "") -> str:
    """Return a code block for column 0 between blank lines.

    It is a fence, or HTML where a fence could be misread or would take a renderer too long.
    Only the first plain word of the info string remains. The fence always has one, since a line
    with an info string cannot close a fence that some parser thinks is open.
    """
    code = replace_controls(code).removesuffix("\n")
    if has_long_run(code):
        return html_block(code)
    if DANGER.search(code) and (_FENCE_LINE.search(code) or _DISPLAY_MATH.search(code)):
        return html_block(code)
    block = write_fence(f"{code}\n", find_language(info) or "text")
    return html_block(code) if takes_too_long(block) else block


def find_language(info: str) -> str | None:
    """Return the language that an info string names; None if it names none.

    Never a word with `mermaid` in it: nbconvert copies such a block into the page as HTML, and
    diagrams load pictures.
    """
    match = _LANGUAGE.match(info.strip())
    return match[0] if match else None


def html_block(code: str) -> str:
    """Return a code block as one line of HTML without any character that Markdown knows."""
    return f"<pre><code>{escape_punctuation(code)}</code></pre>"


def html_span(code: str) -> str:
    """Return a code span as HTML, with no more lines than `code`."""
    bare = code.strip()
    lead = "\n" if "\n" in code[: len(code) - len(code.lstrip())] else ""
    return f"{lead}<code>" + "\n".join(map(escape_punctuation, bare.split("\n"))) + "</code>"


# Links and images that the Markdown of a turn may have.
#
# A destination is written so that all parsers read it alike. It is percent-encoded but for letters,
# digits and the characters of a URL that mean nothing to Markdown, HTML or TeX.


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
    plain = unescape(_ESCAPED.sub(r"\1", written)).strip()
    for judged in (plain, unquote(plain), unquote(unquote(plain)), unescape(plain)):
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


# Estimate of the time that renderers need for a Markdown text.
#
# Some texts take parsers quadratic time or more: a paragraph with thousands of marks that open and
# never close, long runs of backticks, lists in lists. The estimate is an upper bound and takes linear
# time; its limits correspond to about half a second. The page has the same estimate (`safe/markdown.ts`).
# The tests of both read `tests/format/turn/fixtures/markdown_cost.json`.


MAX_PARAGRAPH_COST = 5_000_000
"""Greatest product of a paragraph's characters and the marks in it."""

MAX_TEXT_COST = 50_000_000
"""Greatest sum of these products over all paragraphs."""

MAX_FENCE_COST = 100_000_000
"""Greatest product of fence lines and characters of the text."""

MAX_RUN = 64
"""Backticks or tildes in a row that are too many."""

_MARKS = "*_~`["
_LONG_RUNS = ("`" * MAX_RUN, "~" * MAX_RUN)
_NESTED = re.compile(r"\n(?:[ \t]*(?:[-+*>]|[0-9]{1,9}[.)])(?=[ \t>])){20}")
"""More lists and quotes inside each other than anyone writes, after a line end. A pattern that
begins with `^` would be tried at every character."""
_MAYBE_FENCE = re.compile(r"[ \t>]*(?:(?:[-+*]|[0-9]{1,9}[.)])[ \t>]+)*(?:`{3}|~{3})")
_SURE_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[A-Za-z0-9_+.#-]*[ \t]*")
_ITEM = re.compile(r" {0,3}[-+*] {1,3}\S")


def takes_too_long(markdown: str) -> bool:
    """Return whether some renderer would need too long for this Markdown."""
    if has_long_run(markdown) or _is_nested(markdown):
        return True
    # True for most texts, short ones without counting. No cost below is greater than this product.
    length = len(markdown)
    if length * length <= MAX_PARAGRAPH_COST or length * _marks(markdown) <= MAX_PARAGRAPH_COST:
        return False
    lines = re.split("\r\n?|\n", markdown)
    edges = [line for line in lines if _MAYBE_FENCE.match(line)]
    return (
        len(edges) * len(markdown) > MAX_FENCE_COST
        # In fences, too: some parsers look for formulas and inline code before they look for fences.
        or any(len(line) * line.count("`") > MAX_PARAGRAPH_COST for line in lines)
        or _is_dense(_prose(lines, edges))
    )


def has_long_run(markdown: str) -> bool:
    """Return whether there are more backticks or tildes in a row than `MAX_RUN` allows."""
    return any(run in markdown for run in _LONG_RUNS)


def _is_nested(markdown: str) -> bool:
    lines = markdown.replace("\r", "\n")
    return _NESTED.search(f"\n{lines}") is not None


def _prose(lines: list[str], edges: list[str]) -> list[str]:
    """Return the lines outside of code: all of them, unless parsers agree about every fence."""
    if not all(map(_SURE_FENCE.fullmatch, edges)):
        return lines
    prose: list[str] = []
    opener = ""
    for line in lines:
        fence = _SURE_FENCE.fullmatch(line)
        if fence is not None:
            if not opener:
                opener = fence[1]
            elif fence[1].startswith(opener):
                opener = ""
        prose.append("" if opener or fence else line)
    return prose


def _is_dense(lines: list[str]) -> bool:
    """Return whether paragraphs have too many marks for their length."""
    length = marks = most = total = 0
    for line in [*lines, ""]:
        # Each row of a table and each item of a list counts as a paragraph.
        is_row = line.lstrip().startswith("|")
        if is_row or not line.strip() or _ITEM.match(line):
            most, total = max(most, length * marks), total + length * marks
            length = marks = 0
        length += len(line)
        marks += _marks(line)
        if is_row:
            most, total = max(most, length * marks), total + length * marks
            length = marks = 0
    return most > MAX_PARAGRAPH_COST or total > MAX_TEXT_COST


def _marks(text: str) -> int:
    # Each makes a parser search to the paragraph's end.
    return sum(map(text.count, _MARKS))
