"""Small pieces of Markdown that show hostile text as text in every renderer.

The module `safe` explains why each is safe.
"""

from __future__ import annotations

import re

from msgbook_format.syntax.fence import write_fence
from msgbook_format.turn.markdown.cost import has_long_run, takes_too_long

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
