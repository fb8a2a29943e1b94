r"""Display formulas that end before the next blank line.

In nbconvert `$$`, `\\[` and `\begin{x}` begin a formula anywhere in a text, even within a line. The
formula runs to its end over blank lines and fences. Inside it, strikethrough and emphasis are read
first, and fenced code becomes text. So a formula's beginning may be written only if nbconvert finds
its end before the next blank line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from msgbook_format.html_references import unescape
from msgbook_format.syntax.fence import StringPositions
from msgbook_format.turn.markdown.escape import LOADING_TEX, WORD_JOINER

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.ruler import RuleOptionsType
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token


EAST_ASIAN = re.compile(
    "[\u1100-\u11ff\u2e80-\u2fff\u3001-\ua4cf\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff01-\uffee\U00020000-\U0003ffff]"
)
"""Letters and punctuation of texts without blanks between words."""

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


def on_one_line(tex: str) -> str:
    """Return TeX on one line, without its comments, which would hide the rest."""
    return " ".join(line.strip() for line in _COMMENT.sub("", tex).split("\n")).strip()


def safe_tex(tex: str, *, table: bool = False) -> str:
    r"""Return TeX that does nothing, whether it is read as a formula or as text, and looks the same.

    `table`: the formula stands in a row of a table, where a pipe would end the cell.
    """
    if _BREAKS.search(tex):
        tex = on_one_line(tex)
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
                following = unescape(found[1])
                return "\\" + WORD_JOINER if LOADING_TEX.match(following) else "\\"
            case tildes:
                return "{}".join(tildes)

    if hides_pipes:
        tex = tex.replace("\\\\|", "\\\\ |").replace("\\|", "\\Vert ")
    return _IN_TEX.sub(written, tex)


# Where formulas are in Markdown, as rules of markdown-it.
#
# A single `$` opens one as in pandoc: nothing blank behind it, none before the closing one, no digit
# after that. `$$`, `\(`, `\[`, their forms with two backslashes and `\begin{aligned}` and the like open
# one anywhere outside of code. None reaches over a blank line, out of an item, or out of a table's cell.
#
# Lines inside a formula begin no list, heading or quote. A pipe inside a formula or inside code ends
# no cell of a table.


FORMULA = "formula"
"""Type of the token of a formula within a line; its content is TeX without delimiters."""
DISPLAY = "display_formula"
"""Type of the token of a formula that stands alone, in a paragraph or between blocks."""

LONGEST = 8_000
"""Greatest length of a formula, in characters; the search for its end is no longer."""
_MOST_LINES = 200
"""Most lines of a formula; a longer one has an end that somebody forgot."""
_MOST_SEARCHED = 100_000
"""Most lines of a text in which ends of formulas are looked for: each line may begin one, and look through the
same lines. Beyond, a formula ends in its line."""
_SEARCHED = "formula_lines"

_NAMES = (
    "equation|align|alignat|flalign|gather|multline|eqnarray|math|displaymath|subequations"
    "|aligned|alignedat|gathered|multlined|split|array|subarray|smallmatrix|[pbBvV]?matrix|[dr]?cases|CD"
)
_FORMULA_OPENER = re.compile(
    rf"\$\$?|(?P<bracket>\\\\?)(?P<side>[(\[])|\\begin\{{(?P<name>(?:{_NAMES})\*?)\}}"
)
_CODE_OR_OPENER = re.compile(rf"\\[`|]|(?P<run>`+)|(?P<opener>{_FORMULA_OPENER.pattern})|\\\\")
_BLOCK_OPENER = re.compile(rf"\$\$|\\\\?\[|\\begin\{{(?:{_NAMES})\*?\}}")
_MARK = "\ufdd0"
"""Stands for a pipe that ends no cell. No text has this character, which is none."""


class Formula(NamedTuple):
    """A formula in a text."""

    end: int
    """Position after its closing delimiter."""
    tex: str
    display: bool


def formula_at(text: str, pos: int) -> Formula | None:
    """Return the formula that begins at `pos`; None if none does."""
    opener = _FORMULA_OPENER.match(text, pos)
    if opener is None:
        return None
    start = opener.end()
    if opener[0] == "$":
        return _in_backticks(text, start) if text.startswith("`", start) else _dollar(text, start)
    if opener["name"]:
        end = _environment_end(text, start, opener["name"])
        return Formula(end, text[pos:end], True) if end > 0 else None
    close, until = "$$", -1
    if opener["side"]:
        close = opener["bracket"] + (")" if opener["side"] == "(" else "]")
        # Where another one opens, that one may be the formula.
        until = text.find(opener[0], start, start + LONGEST)
    found = _find(text[start : until if until >= 0 else start + LONGEST], close, start)
    if found < 0 or not (tex := text[start:found]).strip() or "`" in tex:
        return None
    end = found + len(close)
    if opener["side"] and "](" in text[start : end + 1]:
        # Brackets that are escaped, around a link.
        return None
    return Formula(end, tex.strip(), opener["side"] != "(")


def _in_backticks(text: str, start: int) -> Formula | None:
    """Return GitHub's other form of a formula, ``$`x`$``."""
    end = text.find("`$", start + 1, start + LONGEST)
    tex = text[start + 1 : end]
    if end < 0 or "`" in tex or not tex.strip() or text[end + 2 : end + 3].isdecimal():
        return None
    return Formula(end + 2, tex.strip(), False)


_BETWEEN = re.compile(r"[/:=,;.+&(\[<>\"^%@#~-]\Z|\A_*[A-Z][A-Z0-9_]+\Z")
"""What stands between two dollars that are not a formula, right before a name: `$HOME/$USER`, `$5; x=$y$`."""
_AMOUNT = re.compile(r"\A\d[\d.,]*\s(?:[^\\]*\s)?[a-z]+\Z")
"""An amount of money and the words behind it, right before a formula: `$1,000 per m$^3$`."""
_OF_TEXT = re.compile(r"\\(?:text|mathrm|mbox|operatorname)\{[^{}]*\}")


def _is_between(tex: str, after: str) -> bool:
    """Return whether a text between two dollars is prose or a path, and the second one opens something itself."""
    if after in ("^", "_", "{", "\\") and _AMOUNT.search(tex):
        return True
    if not (after.isascii() and (after.isalpha() or after in ("_", "{", "\\"))):
        return False
    return bool(_BETWEEN.search(tex) or EAST_ASIAN.search(_OF_TEXT.sub("", tex)))


def _dollar(text: str, start: int) -> Formula | None:
    found = _find(text[start : start + LONGEST], "$", start)
    if found <= start or text[start].isspace() or text[found - 1].isspace():
        return None
    after, tex = text[found + 1 : found + 2], text[start:found]
    if after.isdecimal() or "`" in tex or _is_between(tex, after):
        return None
    if tex.count("|") % 2 and (after.isalnum() or text[max(0, start - 2) : start - 1].isalnum()):
        # Two cells of a table, as in `|$a|$b|` or `|5$|6$|`.
        return None
    return Formula(found + 1, tex, False)


def _find(near: str, close: str, start: int) -> int:
    """Return where `close` stands first in `near`, which begins at `start`, without a backslash before it."""
    found = near.find(close)
    while found >= 0:
        before = found
        while before > 0 and near[before - 1] == "\\":
            before -= 1
        if (found - before) % 2 == 0:
            return start + found
        found = near.find(close, found + 1)
    return -1


def _environment_end(text: str, start: int, name: str) -> int:
    begin, end, depth, pos = f"\\begin{{{name}}}", f"\\end{{{name}}}", 1, start
    while depth:
        found = text.find(end, pos, start + LONGEST)
        if found < 0:
            return -1
        depth += text.count(begin, pos, found) - 1
        pos = found + len(end)
    return pos


def add_formulas(md: MarkdownIt) -> None:
    """Add the rules to a parser."""
    md.core.ruler.before("block", "hide_pipes", _hide_pipes)
    md.core.ruler.after("block", "show_pipes", _show_pipes)
    md.core.ruler.after("show_pipes", "math_fences", _read_math_fences)
    interrupting: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote"]}
    md.block.ruler.before("fence", DISPLAY, _block_rule, interrupting)
    md.block.ruler.before("lheading", "formula_paragraph", _paragraph_rule)
    md.inline.ruler.before("escape", FORMULA, _inline_rule)


def _inline_rule(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "$\\":
        return False
    found = formula_at(state.src, state.pos)
    if found is None:
        return _skip_dollars(state, silent)
    if not silent:
        token = state.push(DISPLAY if found.display else FORMULA, "", 0)
        token.content = found.tex
        token.markup = state.src[state.pos : found.end]
    state.pos = found.end
    return True


def _skip_dollars(state: StateInline, silent: bool) -> bool:
    """Take two dollars that open nothing as text; the second one opens nothing, either."""
    if not state.src.startswith("$$", state.pos):
        return False
    if not silent:
        state.pending += "$$"
    state.pos += 2
    return True


def _block_rule(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    if state.sCount[start_line] - state.blkIndent >= 4:
        return False
    begin = state.bMarks[start_line] + state.tShift[start_line]
    if not _BLOCK_OPENER.match(state.src, begin):
        return False
    last = _last_line(state, start_line, end_line)
    text = state.getLines(start_line, last + 1, state.sCount[start_line], False)
    found = formula_at(text, 0)
    if found is None:
        return _loose_block(state, start_line, end_line, silent)
    rest = text[found.end :].split("\n", 1)[0]
    if rest.strip(" \t"):
        return False
    if not silent:
        lines = text.count("\n", 0, found.end) + 1
        token = _push_block(state, start_line, start_line + lines)
        token.content, token.markup = found.tex, text[: found.end]
    return True


def _push_block(state: StateBlock, start_line: int, end_line: int) -> Token:
    state.line = end_line
    token = state.push(DISPLAY, "", 0)
    token.block = True
    token.map = [start_line, end_line]
    return token


_ALONE = re.compile(rf"(?:\$\$|\\\\?\[|\\begin\{{(?P<name>(?:{_NAMES})\*?)\}})[ \t]*\Z")
_LOOSE_LINES = 50
"""Most lines of a formula with blank lines in it."""
_NO_TEX = re.compile(r"[ \t]*(?:`{3}|~{3}|#{1,6}\s|[-*]\s|\d+[.)]\s|>|\||\$\$.|\\\\?\[[ \t]*\Z)")
"""A line that is in no formula with blank lines: it begins a block of another kind."""


def _loose_block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """Take a formula with blank lines in it, whose delimiters stand alone on their lines."""
    opener = _ALONE.match(_line(state, start_line))
    if opener is None:
        return False
    close = opener[0].strip(" \t").replace("[", "]").replace("\\begin", "\\end")
    searched = state.env.get(_SEARCHED, 0)
    most = min(end_line, start_line + (_LOOSE_LINES if searched < _MOST_SEARCHED else 1))
    state.env[_SEARCHED] = searched + most - start_line
    for line in range(start_line + 1, most):
        text = _line(state, line)
        if state.isEmpty(line):
            continue
        if state.sCount[line] < state.blkIndent:
            return False
        if text.rstrip(" \t") == close:
            return _loose_formula(state, start_line, line + 1, silent)
        if _NO_TEX.match(text):
            return False
    return False


def _loose_formula(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    text = state.getLines(start_line, end_line, state.sCount[start_line], False)
    whole = "\n".join(line for line in text.split("\n") if line.strip())
    found = formula_at(whole, 0)
    if found is None or whole[found.end :].strip():
        return False
    if not silent:
        token = _push_block(state, start_line, end_line)
        token.content, token.markup, token.meta = found.tex, whole, {"rewritten": True}
    return True


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _read_math_fences(state: StateCore) -> None:
    """Make formulas of the blocks of code whose language is `math`, as GitHub does."""
    for token in state.tokens:
        tex = "\n".join(line for line in token.content.split("\n") if line.strip())
        is_math = token.type == "fence" and token.info.strip() == "math"
        if is_math and tex and len(tex) <= LONGEST and "$$" not in tex and "`" not in tex:
            token.type, token.tag, token.info = DISPLAY, "", ""
            token.content, token.markup = tex.strip(), f"$$\n{tex}\n$$"
            token.meta = {"rewritten": True}


def _last_line(state: StateBlock, start_line: int, end_line: int) -> int:
    """Return the last line that a formula can reach."""
    line = start_line
    searched = state.env.get(_SEARCHED, 0)
    most = _MOST_LINES if searched < _MOST_SEARCHED else 1
    while (
        line + 1 < min(end_line, start_line + most)
        and not state.isEmpty(line + 1)
        and state.sCount[line + 1] >= state.blkIndent
    ):
        line += 1
    state.env[_SEARCHED] = searched + line - start_line
    return line


def _paragraph_rule(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """Take a paragraph of which a formula reaches over several lines."""
    if "\\" not in state.src and "$$" not in state.src:
        return False
    terminators = state.md.block.ruler.getRules("paragraph")
    old_parent, state.parentType = state.parentType, "paragraph"
    until = _formula_lines(state, start_line, end_line)
    reaches = until > start_line
    line = until + 1
    while line < end_line and not state.isEmpty(line):
        inside = state.sCount[line] - state.blkIndent > 3 or state.sCount[line] < 0
        if not inside:
            if any(rule(state, line, end_line, True) for rule in terminators):
                break
            if not reaches and _is_underline(state, line):
                break
        until = _formula_lines(state, line, end_line)
        reaches = reaches or until > line
        line = until + 1
    state.parentType = old_parent
    if not reaches:
        return False
    content = state.getLines(start_line, line, state.blkIndent, False).strip()
    state.line = line
    state.push("paragraph_open", "p", 1).map = [start_line, line]
    inline = state.push("inline", "", 0)
    inline.content, inline.map, inline.children = content, [start_line, line], []
    state.push("paragraph_close", "p", -1)
    return True


def _is_underline(state: StateBlock, line: int) -> bool:
    """Return whether a line makes a heading of those above it."""
    text = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
    return re.fullmatch(r"(?:=+|-+)[ \t]*", text) is not None


def _formula_lines(state: StateBlock, line: int, end_line: int) -> int:
    """Return the line in which the last formula ends that reaches out of `line`, else `line`."""
    begin = state.bMarks[line] + state.tShift[line]
    text = state.src[begin : state.eMarks[line]]
    if "\\" not in text and "$$" not in text:
        return line
    last = _last_line(state, line, end_line)
    if last == line:
        return line
    whole = state.getLines(line, last + 1, state.sCount[line], False)
    pos, until = 0, 0
    while (found := _CODE_OR_OPENER.search(whole, pos)) and found.start() <= _line_end(
        whole, until
    ):
        pos = found.end()
        if run := found["run"]:
            closing = re.compile(rf"(?<!`){run}(?!`)").search(whole, pos, pos + LONGEST)
            pos = closing.end() if closing else pos
        elif found["opener"] and (formula := formula_at(whole, found.start())):
            pos = formula.end
            if found["opener"] != "$":
                until = max(until, pos)
        elif found["opener"] == "$$":
            pos = found.start() + 2
    return line + whole.count("\n", 0, until)


def _line_end(text: str, pos: int) -> int:
    end = text.find("\n", pos)
    return len(text) if end < 0 else end


def _hide_pipes(state: StateCore) -> None:
    if "|" not in state.src or _MARK in state.src or not re.search(r"[`$\\]", state.src):
        return
    state.src = "\n".join(
        _without_pipes(line) if line.count("|") > 1 and re.search(r"[`$\\]", line) else line
        for line in state.src.split("\n")
    )


def _without_pipes(line: str) -> str:
    """Return the line with a mark for each pipe inside of code or a formula."""
    out, pos = [], 0
    while found := _CODE_OR_OPENER.search(line, pos):
        start, end = found.start(), found.end()
        out.append(line[pos:start])
        inside = line[start:end]
        if run := found["run"]:
            closing = re.compile(rf"(?<!`){run}(?!`)").search(line, end)
            end = closing.end() if closing else end
            inside = re.sub(r"(?<!\\)\|", _MARK, line[start:end])
        elif found["opener"] and (formula := formula_at(line, start)):
            end = formula.end
            inside = line[start:end].replace("|", _MARK)
        out.append(inside)
        pos = end
    return "".join(out) + line[pos:]


def _show_pipes(state: StateCore) -> None:
    if _MARK in state.src:
        for token in state.tokens:
            token.content = token.content.replace(_MARK, "|")
            token.info = token.info.replace(_MARK, "|")
