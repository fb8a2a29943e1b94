"""Small pieces of Markdown that show hostile text as text, whatever reads them.

Why each writing is safe is told in `safe_markdown`.
"""

from __future__ import annotations

import re

from msgbook_format.syntax.fence import write_fence
from msgbook_format.turn.markdown.cost import takes_too_long

DANGER = re.compile(
    r"<[A-Za-z/!?]|!\[|\][(:]|\$|\\\\[(\[]|\\(?i:begin)\{"
    r"|```[^\n]{0,80}(?:(?i:mermaid)|[&\\])|~~~[^\n]{0,80}(?:(?i:mermaid)|[&\\])"
    r"|\\(?i:require|mmlToken|style|data|bbox)(?![A-Za-z])"
)
"""What does something when it is read as text: a tag, an image, a link, a definition, a formula,
a diagram.

A formula does no harm by itself, but where it ends decides what is code, and parsers that know
formulas disagree about it with those that do not.
"""

LOADING_TEX = re.compile(r"(?:require|mmlToken|style|data|bbox)(?![A-Za-z])")
"""What MathJax, its safe mode on, takes as a command to load something, behind a backslash: a
script, a picture as a glyph, a cursor; `data` sets attributes that a page may act on."""

BROKEN = "\u2060"
"""An invisible character; behind a backslash it makes an unknown command, shown as it is."""

_COMMAND = re.compile(rf"\\(?={LOADING_TEX.pattern})")
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_LINE_END = re.compile("\r\n?|[\u2028\u2029]")
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~\n]")
_MARKUP = re.compile(r"[!\"$&'*<>@\[\\\]_`{|}~]|(?<=ftp):", re.IGNORECASE)

_FENCE_LINE = re.compile(r"^[ \t>]*(?:```|~~~)", re.MULTILINE)
_DISPLAY_MATH = re.compile(r"\$\$|\\\\[\[\]]|\\(?:begin|end)\{")
_LANGUAGE = re.compile(r"(?!\S*mermaid)[a-z0-9][\w+#.-]{0,30}(?!\S)", re.ASCII | re.IGNORECASE)


def visible(text: str) -> str:
    """Text with control characters and lone surrogates replaced by characters one can see.

    Line ends become `\\n`, also the Unicode ones, at which JavaScript ends a line and Python
    does not. Tabs stay.
    """
    # Most text is: this looks at it once, in C, before the patterns do.
    if text.replace("\n", "").isprintable():
        return text
    return _UNPRINTABLE.sub(_replacement, _LINE_END.sub("\n", text))


def _replacement(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def entities(text: str) -> str:
    """Text with all ASCII punctuation and line ends as numeric character references."""
    return _PUNCTUATION.sub(_reference, text)


def escape_text(text: str) -> str:
    """Text with all that Markdown, HTML or TeX know inside a line as character references.

    MathJax reads what they stand for, so TeX that loads something is broken as well.
    """
    return _MARKUP.sub(_reference, _COMMAND.sub(f"\\\\{BROKEN}", text))


def _reference(match: re.Match[str]) -> str:
    return f"&#{ord(match[0])};"


def one_line(text: str, limit: int = 500) -> str:
    """Text as one line of Markdown that reads as it stands, at most `limit` characters of it."""
    return escape_text(_squeezed(text, limit))


def inline_code(text: str, limit: int = 200) -> str:
    """One line of text, at most `limit` characters, as a code span."""
    line = _squeezed(text, limit)
    if line and not DANGER.search(line) and not re.search(r"[`|\\\"]|~~~", line):
        return f"`{line}`"
    return html_span(line)


def _squeezed(text: str, limit: int) -> str:
    line = " ".join(visible(text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def code_block(code: str, info: str = "") -> str:
    """A code block for column 0, between blank lines: a fence, or HTML where one could be misread.

    HTML also where some renderer would stand still over the fence.

    Of the info string, which may be hostile, only a first plain word remains; the fence always
    has one, since a line with an info string cannot close a fence that a parser thinks is open.
    """
    code = visible(code).removesuffix("\n")
    if DANGER.search(code) and (_FENCE_LINE.search(code) or _DISPLAY_MATH.search(code)):
        return html_block(code)
    block = write_fence(f"{code}\n", language(info) or "text")
    return html_block(code) if takes_too_long(block) else block


def language(info: str) -> str | None:
    """The language that an info string names; None when it names none.

    Never `mermaid`, nor a word with it in it: nbconvert copies such a block into the page as HTML,
    and diagrams load pictures.
    """
    match = _LANGUAGE.match(info.strip())
    return match[0] if match else None


def html_block(code: str) -> str:
    """A code block as one line of HTML that holds no character Markdown knows."""
    return f"<pre><code>{entities(code)}</code></pre>"


def html_span(code: str) -> str:
    """A code span as HTML, of as many lines as `code` or fewer."""
    bare = code.strip()
    lead = "\n" if "\n" in code[: len(code) - len(code.lstrip())] else ""
    return f"{lead}<code>" + "\n".join(map(entities, bare.split("\n"))) + "</code>"
