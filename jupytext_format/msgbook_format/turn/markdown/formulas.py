r"""Display formulas that end before the next blank line.

In nbconvert `$$`, `\\[` and `\begin{x}` begin a formula anywhere in a text, even within a line. The
formula runs to its end over blank lines and fences. Inside it, strikethrough and emphasis are read
first, and fenced code becomes text. So a formula's beginning may be written only if nbconvert finds
its end before the next blank line.
"""

from __future__ import annotations

import html
import re

from msgbook_format.syntax.string_positions import StringPositions
from msgbook_format.turn.markdown.escape import LOADING_TEX, WORD_JOINER

TEX_OPENER = re.compile(r"\\\\?[(\[]|\\begin\{([A-Za-z]*\*?)\}")
"""The beginning of a formula, but for dollars."""

_BLANK_LINES = re.compile(r"(\n(?:[ \t]*\n)+)")
_OPENER = re.compile(
    r"(?<!\\)(?:\$\$|(?P<bracket>\\{2,})\[|(?P<environment>\\+)begin\{(?P<name>[A-Za-z]*\*?)\})"
)
_MARKS = (re.compile(r"(\n|\\\\\]|\\end\{[A-Za-z]*\*?\})"), re.compile(r"(?<!\\)(?=(\$\$))"))
_INDENT = re.compile(" *")
_BLOCK_START = re.compile(
    r" *\t|\s*(?:$|[#>:|]|<[A-Za-z/!?]|[-+*](?:\s|$)|\d+[.)]|[-_*=][-_*=:| \t]*$)"
)
"""A line at which some parser may begin a block or end one."""


def contain_formulas(text: str) -> str:
    """Return safe Markdown whose display formulas all end before a blank line, in nbconvert too.

    A delimiter without its partner becomes character references. The reader sees the same, and
    MathJax still typesets a formula that ends up in one element of the page.
    """
    chunks = _BLANK_LINES.split(text)
    return "".join(_contain(chunk) if _OPENER.search(chunk) else chunk for chunk in chunks)


def _contain(chunk: str) -> str:
    out: list[str] = []
    pos = 0
    indent = _INDENT.match(chunk)[0]  # type: ignore[index]  # matches anything
    plain_until = _plain_until(chunk, indent)
    marks = StringPositions(chunk, _MARKS)
    while opener := _OPENER.search(chunk, pos):
        start, end = opener.start(), _end(marks, opener)
        # At any other line nbconvert may begin a block, and so miss one of the delimiters.
        leads = start == 0 or (end <= plain_until and _begins_line(chunk, start, indent))
        kept = end > 0 and (leads or not 0 <= marks.find("\n", start) < end)
        out += chunk[pos:start], chunk[start:end] if kept else _escape_opener(opener)
        pos = end if kept else opener.end()
    out.append(chunk[pos:])
    return "".join(out)


def _plain_until(chunk: str, indent: str) -> int:
    """Return the start of the first line that may belong to a second block of the chunk."""
    until = 0
    for line in chunk.split("\n"):
        if not line.startswith(indent) or _BLOCK_START.match(line):
            return until
        until += len(line) + 1
    return until


def _begins_line(chunk: str, place: int, indent: str) -> bool:
    before = "\n" + indent
    return place == len(indent) or chunk.startswith(before, max(0, place - len(before)))


def _end(marks: StringPositions, opener: re.Match[str]) -> int:
    """Return the position after the formula; -1 if it does not end."""
    end = "$$"
    if opener["bracket"]:
        end = "\\\\]"
    elif opener["environment"]:
        end = f"\\end{{{opener['name']}}}"
    found = marks.find(end, opener.end())
    return found + len(end) if found >= 0 else -1


def _escape_opener(opener: re.Match[str]) -> str:
    if opener[0] == "$$":
        return "&#36;&#36;"
    if slashes := opener["bracket"]:
        return "&#92;" * (len(slashes) // 2) + ("&#91;" if len(slashes) % 2 else "[")
    slashes = opener["environment"]
    return "&#92;" * ((len(slashes) + 1) // 2) + opener[0][len(slashes) :]


_IN_TEX = re.compile(
    r"<(?=[A-Za-z/!?])|\"|!\[|\](?=[(:])|~{3,}|`|&(?=\#|(?i:bsol;))|\\@|:(?=//)|\\(?=(.{0,100}))|\|",
    re.DOTALL,
)
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_BREAKS = re.compile(
    r"\n[ \t]*(?:[-+*](?:\s|\Z)|[0-9]+[.)](?:\s|\Z)|[-_*=]+[ \t]*(?:\n|\Z)|>|\|| {4})"
)
"""A line in a formula that some parser takes for a list, a heading or a quote."""


def safe_tex(tex: str, *, table: bool = False) -> str:
    r"""Return TeX that does nothing, whether it is read as a formula or as text, and looks the same.

    `table`: the formula stands in a row of a table, where a pipe would end the cell.
    """
    if _BREAKS.search(tex):
        tex = " ".join(line.strip() for line in _COMMENT.sub("", tex).split("\n")).strip()
    hides_pipes = table and "{array}" not in tex

    def written(found: re.Match[str]) -> str:
        match found[0]:
            case "<" | "]" | "&" | ":":
                return found[0] + " "
            case '"':
                return "''"
            case "![":
                return "! ["
            case "`":
                return "{}"
            case "\\@":
                return "{@}"
            case "|":
                return r"\vert " if hides_pipes else "|"
            case "\\":
                following = html.unescape(found[1])
                return "\\" + WORD_JOINER if LOADING_TEX.match(following) else "\\"
            case tildes:
                return "{}".join(tildes)

    if hides_pipes:
        tex = tex.replace("\\\\|", "\\\\ |").replace("\\|", "\\Vert ")
    return _IN_TEX.sub(written, tex)
