"""Markdown of one paragraph, made safe for the reasons in the module `safe`.

A lexer, not a parser: all that it does not touch stays byte for byte as the model wrote it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgbook_format.html_references import unescape
from msgbook_format.syntax.fence import StringPositions
from msgbook_format.turn.markdown.dialect import TAG, TAGS
from msgbook_format.turn.markdown.escape import (
    AUTOLINK,
    DANGER,
    DATA_TAIL,
    LOADING_TEX,
    WORD_JOINER,
    escape_punctuation,
    escape_text,
    find_destination,
    html_span,
    safe_destination,
)
from msgbook_format.turn.markdown.formulas import TEX_OPENER, Formula, formula_at, safe_tex

if TYPE_CHECKING:
    from collections.abc import Mapping

_SPECIAL = re.compile(
    r"\\|``*|~~~+|\$\$?|<|!\[|\[|\]|\"|:(?=//)|&(?:#0{0,5}92|#[xX]0{0,4}5[cC]|(?i:bsol));"
)
_TAG_START = re.compile(r"[A-Za-z/!?]")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_FOOTNOTE = re.compile(r"\[\^([^\]\s]{1,50})\](:?)")
_LONE_DOLLAR = re.compile(r"(?<!\\)\$")
_DOLLAR = "<span>&#36;</span>"
"""A dollar that no renderer takes for the beginning of a formula: it stands alone in an element."""
_TAG_END = 2_000
"""Greatest distance of a tag and its end, in characters."""
_CLOSING = {name: re.compile(f"</{name}>", re.IGNORECASE) for name in TAGS}

_END_PATTERNS = (
    re.compile(r"(`+)"),
    re.compile(r"(?<!\\)(\\end\{[A-Za-z]*\*?\})"),
    re.compile(r"(\]\()"),
)
"""Patterns of closing strings: runs of backticks, ends of environments, links."""


def safe_inline(
    text: str,
    references: Mapping[str, str],
    *,
    quotes: bool,
    table: bool,
    footnotes: Mapping[str, int] | None = None,
    dollars: bool = False,
) -> str:
    """Return one paragraph, heading or table row without container prefixes, made safe.

    The result has no more lines than `text`.

    Args:
        text: Free of control characters, as `replace_controls` leaves it.
        references: Allowed link definitions, by normalised label.
        quotes: Whether `"` has to be escaped, since the text has formulas.
        table: Whether the text is a table's row.
        footnotes: Numbers of footnotes, by label.
        dollars: Whether a dollar that opens nothing could meet another one.
    """
    return _Lexer(text, references, quotes, table, footnotes or {}, dollars).run()


@dataclass(slots=True)
class _Opener:
    index: int
    """Index of the bracket in the output."""
    start: int
    """Position in the text of the bracket's content."""
    image: bool


@dataclass(slots=True)
class _Lexer:
    text: str
    references: Mapping[str, str]
    quotes: bool
    table: bool
    footnotes: Mapping[str, int]
    dollars: bool
    pos: int = 0
    out: list[str] = field(default_factory=list)
    openers: list[_Opener] = field(default_factory=list)
    inside_links: int = 0
    """Number of openers around a link, which cannot be links themselves."""
    tags: list[str] = field(default_factory=list)
    """Names of the open tags."""
    ends: StringPositions = field(init=False)

    def run(self) -> str:
        self.ends = StringPositions(self.text, _END_PATTERNS)
        while special := _SPECIAL.search(self.text, self.pos):
            self.out.append(self.text[self.pos : special.start()])
            self.pos = special.start()
            match special[0]:
                case "\\":
                    self._backslash()
                case "$" | "$$" as mark:
                    if not self._formula():
                        self._put(self._dollar() if mark == "$" else mark, len(mark))
                case "<":
                    self._less_than()
                case "[":
                    if not self._footnote():
                        self._open("[", image=False)
                case "![":
                    self._open("&#33;[", image=True)
                case "]":
                    self._close()
                case '"':
                    self._put(self._quote(), 1)
                case ":":
                    is_ftp = self.text[max(0, self.pos - 3) : self.pos].lower() == "ftp"
                    self._put("&#58;" if is_ftp else ":", 1)
                case reference if reference[0] == "&":
                    self._put_backslash(reference, len(reference))
                case run if run[0] == "~":
                    self._put(escape_punctuation(run), len(run))
                case run:
                    self._backticks(len(run))
        self.out.append(self.text[self.pos :])
        return "".join(self.out)

    def _put(self, written: str, consumed: int) -> None:
        self.out.append(written)
        self.pos += consumed

    def _dollar(self) -> str:
        return _DOLLAR if self.dollars else "$"

    def _quote(self) -> str:
        return "&quot;" if self.quotes else '"'

    def _footnote(self) -> bool:
        note = _FOOTNOTE.match(self.text, self.pos) if self.footnotes else None
        number = self.footnotes.get(note[1]) if note else None
        if note is None or number is None or (note[2] and self.pos > 0):
            return False
        self._put(f"<sup>&#91;{number}&#93;</sup>", len(note[0]))
        return True

    def _backslash(self) -> None:
        if TEX_OPENER.match(self.text, self.pos) and self._formula():
            return
        escape = _ESCAPE.match(self.text, self.pos)
        written = escape[0] if escape else "\\"
        following = self.text[self.pos + 2 : self.pos + 3]
        match written[1:]:
            case "" | "\\":
                self._put_backslash(written, len(written))
            case "<" if _TAG_START.match(following):
                self._put("&lt;", 2)
            case '"' if self.quotes:
                self._put(self._quote(), 2)
            case "$" if self.dollars:
                self._put(_DOLLAR, 2)
            case "@":
                # marked would unescape it, and `@@0@@` is JupyterLab's mark for a formula.
                self._put("&#64;", 2)
            case "]" if following in ("(", ":"):
                self._put("&#93;", 2)
            case _:
                self._put(written, 2)

    def _put_backslash(self, written: str, consumed: int) -> None:
        following = self.text[self.pos + consumed : self.pos + consumed + 100]
        broken = WORD_JOINER if LOADING_TEX.match(unescape(following)) else ""
        self._put(written + broken, consumed)

    def _formula(self) -> bool:
        """Write a formula if one begins here, in delimiters that every renderer of formulas knows."""
        found = formula_at(self.text, self.pos) or self._other_environment()
        if found is None:
            return False
        written = self.text[self.pos : found.end]
        tex, mark = found.tex, ""
        if written[:2] in ("\\(", "\\["):
            mark = "$$" if found.display else "$"
            if _LONE_DOLLAR.search(tex):
                # JupyterLab knows these as well, and they can hold a dollar.
                safe = safe_tex(tex, table=self.table)
                self._put(f"\\{written[:2]}{safe}\\{written[-2:]}", len(written))
                return True
        elif written.startswith("$"):
            mark = "$$" if written.startswith("$$") else "$"
            tex = written[len(mark) : -len(mark)]
        else:
            tex = written
        safe = safe_tex(tex, table=self.table)
        self._put(mark + (safe.strip() if mark == "$" else safe) + mark, len(written))
        return True

    def _other_environment(self) -> Formula | None:
        """Return the environment that begins here and that JupyterLab would take for a formula."""
        opener = TEX_OPENER.match(self.text, self.pos)
        if opener is None or opener[1] is None:
            return None
        end = f"\\end{{{opener[1]}}}"
        found = self.ends.find(end, opener.end())
        return Formula(found + len(end), "", True) if found >= 0 else None

    def _tag(self) -> bool:
        """Write a tag that is kept, if it is one and has its end near."""
        found = TAG.match(self.text, self.pos)
        if found is None:
            return False
        name = (found[2] or "").lower()
        if not name:
            self._put("<br>", len(found[0]))
            return True
        if found[1]:
            if self.tags[-1:] != [name]:
                return False
            self.tags.pop()
        else:
            end = _CLOSING[name].search(self.text, found.end(), found.end() + _TAG_END)
            if end is None or (self.table and "|" in self.text[found.end() : end.start()]):
                return False
            self.tags.append(name)
        self._put(f"<{found[1]}{name}>", len(found[0]))
        return True

    def _less_than(self) -> None:
        if not _TAG_START.match(self.text, self.pos + 1):
            self._put("<", 1)
            return
        if self._tag():
            return
        autolink = AUTOLINK.match(self.text, self.pos)
        destination = safe_destination(autolink[1]) if autolink else None
        if autolink and destination:
            label = self._link_start(len(self.out)) + escape_text(autolink[1])
            self._put(f"{label}]({destination})", len(autolink[0]))
            return
        self._put("&lt;", 1)

    def _backticks(self, length: int) -> None:
        run = "`" * length
        closing = self.ends.find(run, self.pos + length)
        # Three or more could be a fence to a parser that begins a block here.
        if closing < 0:
            self._put(run if length < 3 else escape_punctuation(run), length)
            return
        end = closing + length
        span = self.text[self.pos : end]
        # No renderer agrees with another about a pipe in a table's code span, so it becomes HTML.
        piped = self.table and "|" in span
        if piped or length > 2 or DANGER.search(span) or (self.quotes and '"' in span):
            code = span[length:-length]
            span = html_span(code.replace("\\|", "|") if piped else code)
        self._put(span, end - self.pos)

    def _open(self, written: str, *, image: bool) -> None:
        consumed = 2 if image else 1
        self.openers.append(_Opener(len(self.out), self.pos + consumed, image))
        self._put(written, consumed)

    def _close(self) -> None:
        opener = self.openers.pop() if self.openers else None
        linkable = opener and (opener.image or len(self.openers) >= self.inside_links)
        self.inside_links = min(self.inside_links, len(self.openers))
        if not (opener and linkable and self._link(opener)):
            following = self.text[self.pos + 1 : self.pos + 2]
            closer = "&#93;" if following in ("(", ":") else "]"
            self._put(closer, 1)

    def _link(self, opener: _Opener) -> bool:
        """Write the link or image that ends here; False when there is none, or none allowed."""
        if opener.image and (tail := DATA_TAIL.match(self.text, self.pos + 1)):
            alt = escape_punctuation(self.text[opener.start : min(self.pos, opener.start + 500)])
            del self.out[opener.index :]
            # After a bare URL, mistune would take the `!` for a part of it.
            self._put(f" ![{alt}]({tail[1]})", len(tail[0]) + 1)
            return True
        found = find_destination(self.text, opener.start, self.pos, self.references)
        if found is None:
            return False
        written, consumed = found
        destination = safe_destination(written)
        if destination is None:
            return False
        self.out[opener.index] = self._link_start(opener.index)
        if not any(self.out[index].strip() for index in range(opener.index + 1, len(self.out))):
            self.out.append(escape_text(written[:200]))
        self.inside_links = len(self.openers)
        self._put(f"]({destination})", consumed)
        return True

    def _link_start(self, index: int) -> str:
        # A `!` right before the bracket would make an image of it.
        # One of the last two pieces is not empty.
        return " [" if "".join(self.out[max(0, index - 2) : index]).endswith("!") else "["
