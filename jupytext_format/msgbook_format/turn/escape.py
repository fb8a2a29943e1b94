"""Small pieces of Markdown that show hostile text as text, whatever reads them.

Everything here returns Markdown that means the same to every CommonMark parser, and stays
harmless to one that disagrees about where code begins and ends (see `safe_markdown`).
"""

from __future__ import annotations

import re

_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~\n]")
_MARKUP = re.compile(r"[!\"$&'*<>@\[\\\]_`{|}~]")

DANGER = re.compile(r"<[A-Za-z/!?]|!\[|\][(:]|\$|\\\\[(\[]|\\begin")
"""What does something when it is read as text: a tag, an image, a link, a definition, formulas.

A formula is no harm by itself, but parsers that know formulas disagree with those that do not
about the code after an unclosed one.
"""

_FENCE_LINE = re.compile(r"^[ \t>]*(?:```|~~~)", re.MULTILINE)
_DISPLAY_MATH = re.compile(r"\$\$|\\\\[\[\]]|\\(?:begin|end)\{")
_LANGUAGE = re.compile(r"[A-Za-z0-9][\w+#.-]{0,30}(?!\S)", re.ASCII)


def visible(text: str) -> str:
    """Text with control characters and lone surrogates replaced by characters one can see.

    Line ends become `\\n`, also the Unicode ones, at which JavaScript ends a line and Python
    does not. Tabs stay.
    """
    text = text.replace("\r\n", "\n")
    text = re.sub("[\r\u2028\u2029]", "\n", text)
    return _UNPRINTABLE.sub(_replacement, text)


def _replacement(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


def entities(text: str) -> str:
    """Text with all ASCII punctuation and line ends as numeric character references."""
    return _PUNCTUATION.sub(lambda match: f"&#{ord(match[0])};", text)


def one_line(text: str, limit: int = 500) -> str:
    """Text as one line of Markdown that reads as it stands, at most `limit` characters of it."""
    line = " ".join(visible(text).split())
    if len(line) > limit:
        line = line[: limit - 1] + "…"
    return _MARKUP.sub(lambda match: f"&#{ord(match[0])};", line)


def inline_code(text: str, limit: int = 200) -> str:
    """One line of text as a code span; as an HTML element where a span could be misread."""
    line = " ".join(visible(text).split())
    if len(line) > limit:
        line = line[: limit - 1] + "…"
    if line and not DANGER.search(line) and not re.search(r"[`|\\]", line):
        return f"`{line}`"
    return f"<code>{entities(line)}</code>"


def code_block(code: str, language: str = "") -> str:
    """A code block at the top level: a fence, or HTML where a fence could be misread.

    The caller puts blank lines around it. `language` is the model's: of an info string only a
    plain word remains. Never `mermaid`: nbconvert copies such a block into the page as HTML, and
    diagrams may load pictures. The fence always has an info string, since a line that has one
    cannot close a fence that another parser thinks is open.
    """
    code = visible(code).removesuffix("\n")
    match = _LANGUAGE.match(language.strip())
    word = match[0] if match and not match[0].lower().startswith("mermaid") else "text"
    if DANGER.search(code) and (_FENCE_LINE.search(code) or _DISPLAY_MATH.search(code)):
        return html_block(code)
    longest = max((len(run) for run in re.findall("`{3,}", code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{word}\n{code}\n{fence}"


def html_block(code: str) -> str:
    """A code block as one line of HTML without any character that Markdown knows."""
    return f"<pre><code>{entities(code)}</code></pre>"
