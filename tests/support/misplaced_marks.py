"""A conversation with hidden texts, and what people and other writers do to the marks that hide them.

Each hidden text holds a word of its own, so that a request shows whether it was sent. A backslash
before a marker is no accident: it says that the marker is content. Nor is a marker that was moved:
another text is below it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

HIDDEN = """\
---
agents:
  helper: {models: m-1}
---

# %% A question[^ask]

[^ask]: [markdown] topic="greetings" history="none"

CANARY-ask: a hidden question.

# %%% [^ask-1]

[^ask-1]: [helper] time="2025-05-30T00:00:00+08:00"

CANARY-ask: its hidden answer.

# %% [^open]

[^open]: [markdown]

An open question.

# %%% [^open-1]

[^open-1]: [helper] history=exclude

CANARY-open-1: a hidden answer.

# %%% Call[^open-1.cafe0001]

[^open-1.cafe0001]: [tool] name="read" history="false"

<tool_call><arguments>{"path": "CANARY-open-1.cafe0001"}</arguments></tool_call>

# %%% [^open-1.cafe0001.1]

[^open-1.cafe0001.1]: [tool] status="success" duration=0.5s

CANARY-open-1.cafe0001: a hidden result.

# %%% [^open-2]

[^open-2]: [helper]

An open answer.

## %% [^sum]

[^sum]: [code] history=0

```python
print("CANARY-sum: hidden code")
```

# %%% [^sum.1]

[^sum.1]: [python] status="success"

stdout> CANARY-sum: hidden output

# %% [^show]

[^show]: [code]

```python
show()
```

# %%% [^show.2]

[^show.2]: [python] [history=none] status="success"

stdout> CANARY-show.2: a hidden line

# %%% [^show.2.2]

[^show.2.2]: [python] history="exclude" mime_type="text/plain"

CANARY-show.2.2: a hidden value

# %% [^memo]

[^memo]: [raw]

CANARY-memo: never sent.

# %% [^note]

[^note]: [markdown] cell=markdown history="exclude"

CANARY-note: a hidden note.

# %% [^last]

[^last]: [markdown]

Go on.
"""

LABELS = sorted(set(re.findall(r"CANARY-([\w.-]*\w)", HIDDEN)))
"""Labels of the cells, blocks and outputs that are hidden."""

Accident = Callable[[list[str], int], list[str]]
"""Changes the lines of a text; the number is that of a line with a mark (0: the first line)."""


def marks(lines: list[str]) -> list[int]:
    """Return the numbers of the lines that are or were footnotes or markers of hidden texts."""
    ends = "|".join(map(re.escape, LABELS))
    return [n for n, line in enumerate(lines) if re.search(rf"\[\^\s?({ends})\s?\]", line, re.I)]


def _line(change: Callable[[str], str]) -> Accident:
    return lambda lines, n: [*lines[:n], *change(lines[n]).split("\n"), *lines[n + 1 :]]


def _replace(pattern: str, by: str) -> Accident:
    return _line(lambda line: re.sub(pattern, by, line))


def _move(target: Callable[[list[str], int], int]) -> Accident:
    def moved(lines: list[str], n: int) -> list[str]:
        if "%%" in lines[n]:
            return lines
        rest = [*lines[:n], *lines[n + 1 :]]
        place = target(rest, n)
        return [*rest[:place], lines[n], *rest[place:]]

    return moved


def _next_marker(lines: list[str], n: int) -> int:
    return next((i for i in range(n, len(lines)) if re.match("#+ %%", lines[i])), len(lines))


def _marker_above(lines: list[str], n: int) -> int:
    return next((i for i in range(n - 1, -1, -1) if re.match("#+ %%", lines[i])), 0)


def _join(footnote: Callable[[str], str]) -> Accident:
    """Put what a footnote says on the line of the marker above it."""

    def joined(lines: list[str], n: int) -> list[str]:
        above = _marker_above(lines, n)
        if "%%" in lines[n] or not lines[above].startswith("#"):
            return lines
        marker = f"{lines[above]}{footnote(lines[n])}"
        return [*lines[:above], marker, *lines[above + 1 : n], *lines[n + 1 :]]

    return joined


def _whole(change: Callable[[str], str]) -> Accident:
    return lambda lines, _: change("\n".join(lines)).split("\n")


_HISTORY = r"\[?history=\"?(\w+)\"?\]?"

ACCIDENTS: dict[str, Accident] = {
    "moved to the end of the file": _move(lambda lines, n: len(lines)),
    "moved to the end of its cell": _move(_next_marker),
    "moved above its marker": _move(_marker_above),
    "moved below its text": _move(lambda lines, n: min(n + 2, len(lines))),
    "moved to the first line": _move(lambda lines, n: 0),
    "moved behind the frontmatter": _move(lambda lines, n: min(5, len(lines))),
    "joined to its marker": _join(lambda line: f" {line}"),
    "joined to its marker without its label": _join(lambda line: line.partition("]")[2]),
    "as in other percent formats": _join(lambda line: line.partition("]:")[2]),
    "indented by one": _replace("^", " "),
    "indented by four": _replace("^", "    "),
    "in a quote": _replace("^", "> "),
    "in a list": _replace("^", "- "),
    "in a numbered list": _replace("^", "1. "),
    "in a comment": _replace("^(.*)$", r"<!-- \1 -->"),
    "in bold": _replace(r"(\[\^[^\]]+\])", r"**\1**"),
    "in a fence": _replace("^(.*)$", r"```\n\1\n```"),
    "in wide brackets": _replace(r"\[\^([^\]]+)\]", r"［^\1］"),
    "without its label": _replace(r"\[\^[^\]]+\]", ""),
    "with another label": _replace(r"\[\^([^\]]+)\]", r"[^\1x]"),
    "with an inverted label": _replace(r"\[\^([^\]]+)\]", r"^[\1]"),
    "without percent signs": _replace(" %+", ""),
    "escaped": _replace(r"^\[", r"\\["),
    "escaped twice": _replace(r"\[\^", r"\\[^"),
    "space before the colon": _replace(r"\]:", "] :"),
    "no space behind the colon": _replace(r"\]: ", "]:"),
    "no colon": _replace(r"\]:", "]"),
    "a wide colon": _replace(r"\]:", "]："),
    "two labels": _replace(r"^(\[\^[^\]]+\]): ", r"\1: \1: "),
    "label in capitals": _replace(r"\[\^([^\]]+)\]", lambda m: m[0].upper()),  # type: ignore[arg-type]
    "space in the label": _replace(r"\[\^([^\]]+)\]", r"[^ \1 ]"),
    "no caret": _replace(r"\[\^", "["),
    "trailing spaces": _replace("$", "   "),
    "trailing backslash": _replace("$", "\\\\"),
    "blank line above": _replace("^", "\n"),
    "blank line below": _replace("$", "\n"),
    "text above": _replace("^", "A line of text.\n"),
    "wrapped at a space": _replace(r"(?<=\]) (?=\S*history)", "\n"),
    "wrapped before history": _replace(rf" (?={_HISTORY})", "\n    "),
    "wrapped behind the colon": _replace(r"\]: ", "]:\n    "),
    "attributes turned round": _line(lambda line: _turned(line)),
    "single quotes": _replace(_HISTORY, r"history='\1'"),
    "double quotes": _replace(_HISTORY, r'history="\1"'),
    "no quotes": _replace(_HISTORY, r"history=\1"),
    "quotes of a word processor": _replace(_HISTORY, "history=“\\1”"),
    "quote not closed": _replace(_HISTORY, r'history="\1'),
    "spaces around the equals sign": _replace(_HISTORY, r"history = \1"),
    "a colon for the equals sign": _replace(_HISTORY, r"history: \1"),
    "key in capitals": _replace(_HISTORY, r"History=\1"),
    "value in capitals": _replace(_HISTORY, lambda m: f"history={m[1].upper()}"),  # type: ignore[arg-type]
    "another word": _replace(_HISTORY, "history=hidden"),
    "no value": _replace(_HISTORY, "history="),
    "a flag": _replace(_HISTORY, "history"),
    "brackets": _replace(_HISTORY, r"[history=\1]"),
    "brackets with spaces": _replace(_HISTORY, r"[ history=\1 ]"),
    "braces": _replace(_HISTORY, r"{history=\1}"),
    "a comma": _replace(rf"(\S) {_HISTORY}", r"\1, history=\2"),
    "a comma behind": _replace(_HISTORY, r"history=\1, x=1"),
    "given twice": _replace(_HISTORY, r"history=\1 history=include"),
    "six number signs": _replace("^#+ ", "###### "),
    "no space in the marker": _replace("^#+ ", "#"),
    "two spaces in the marker": _replace("^(#+) ", r"\1  "),
    "five number signs": _replace("^#+ ", "##### "),
    "a marker that is indented": _replace("^#", "  #"),
    "text behind the label": _replace(r"^(#.*)$", r"\1 more"),
    "type without brackets": _replace(r"\]: \[(\w+)\]", r"]: \1"),
    "space before the type's end": _replace(r"\]: \[(\w+)\]", r"]: [\1 ]"),
    "type in capitals": _replace(r"\]: \[(\w+)\]", lambda m: m[0].upper()),  # type: ignore[arg-type]
    "no type": _replace(r"\]: \[(\w+)\]", "]:"),
    "line ends of Windows": _whole(lambda text: text.replace("\n", "\r\n")),
    "line ends of old Macs": _whole(lambda text: text.replace("\n", "\r")),
    "a byte order mark": _whole(lambda text: "\ufeff" + text),
    "no blank lines": _whole(lambda text: re.sub("\n\n+", "\n", text)),
    "more blank lines": _whole(lambda text: text.replace("\n\n", "\n\n\n")),
    "indented throughout": _whole(lambda text: re.sub("^(?=.)", "  ", text, flags=re.M)),
    "no-break spaces": _line(lambda line: line.replace(" ", "\u00a0")),
    "tabs": _line(lambda line: line.replace(" ", "\t")),
}  # fmt: skip


def _turned(line: str) -> str:
    head, bracket, rest = line.partition("] ")
    if not line.startswith("[^") or not bracket:
        return line
    return f"{head}{bracket}{' '.join(reversed(rest.split(' ')))}"
