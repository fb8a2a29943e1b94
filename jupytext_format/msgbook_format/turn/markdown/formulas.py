r"""Display formulas that end before the next blank line.

In nbconvert `$$`, `\\[` and `\begin{x}` begin a formula anywhere in a text, even within a line. The
formula runs to its end over blank lines and fences. Inside it, strikethrough and emphasis are read
first, and fenced code becomes text. So a formula's beginning may be written only if nbconvert finds
its end before the next blank line.
"""

from __future__ import annotations

import re

from msgbook_format.syntax.string_positions import StringPositions

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


def find_closer(opener: re.Match[str]) -> str:
    """Return the string that ends the formula that a match of `TEX_OPENER` begins."""
    if opener[1] is not None:
        return f"\\end{{{opener[1]}}}"
    return opener[0][:-1] + (")" if opener[0].endswith("(") else "]")
