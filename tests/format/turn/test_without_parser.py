"""The way without a parser gives what the way with one gives."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from msgbook_format.turn.markdown.escape import replace_controls
from msgbook_format.turn.markdown.safe import safe_with_parser, safe_without_parser

# Lines that are plain, and lines that only look so.
LINES = [
    "", "", "", "words", "text `code` b", "- item", "1. one", "1) one", "+ p", "* s", "> quote", "# H", "## H ##",
    ">     code", "-     code", "===", "---", "***", "=", "-", "*", "-|-", "| a | b |", "| `x` | \"y\" |", "a | b",
    "```", "```python", "````", "````x", "``` x `y`", "```mermaid", "```text", "  two", "   three", "  - nested",
    "\"q\"", "\"a $5\"", "$x$ \"q\"", "$", "x = $HOME", "a $x < b$ c", "$a$$b$", "\\(a < b\\)", "\\(", "\\)", "\\\\(",
    "**b**", "_i_", "a_b_", "``a``", "`", "``", "`](u)", "[`]`](u)", "& &amp; x", "&lt;", "&#92;require", "\\require{x}",
    "a\\b", "a\\", "\\<b>", "[l](u)", "see [l](u \"t\")", "[a](http://x/y) b", "[j](javascript:x)", "a [b", "c](u)",
    "[x][y]", "x]", "[^1]", "[ ] t", "!", "![i](x)", "![d](data:image/png;base64,aGVs)", "a <http://q.r/> b", "<b>",
    "ftp:", "FTP://x", "http://x", "é中", "::",
]  # fmt: skip
ODD = [
    "x  ",
    " ",
    "\u00a0",
    "x\u00a0",
    "\u2028",
    "    code",
    "\tt",
    "-\tx",
    "    - n",
    "~~~",
    "~~",
    "[x]: u",
    "   ```",
]
TEXTS = st.one_of(
    st.lists(
        st.tuples(st.sampled_from(lines), st.sampled_from(["\n", "\n", "\n\n", "", " "])),
        max_size=8,
    ).map(lambda pairs: "".join(line + end for line, end in pairs))
    for lines in (LINES, LINES + ODD)
)


@settings(deadline=None)
@given(TEXTS)
def test_the_result_is_that_of_the_parser(text: str) -> None:
    text = replace_controls(text)

    assert safe_without_parser(text) in (None, safe_with_parser(text))


@pytest.mark.parametrize(
    "text",
    [
        "One line, **bold** and `code`.",
        "# Title\n\n- a\n- b\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted",
        "Before\n```python\nprint(a[1:2], '$', '<b>')\n```\nAfter",
        "See [the page](https://example.org/a) for $x < y$.\n\n- item",
    ],
)
def test_usual_answers_need_no_parser(text: str) -> None:
    assert safe_without_parser(text) == safe_with_parser(text)


@pytest.mark.parametrize(
    "text", ["    code", "- a\n\n      code", "[a]: /b\n\n[a]", "$$x$$", "```\nopen", "~~~\nx\n~~~"]
)
def test_what_a_parser_has_to_say_is_left_to_it(text: str) -> None:
    assert safe_without_parser(text) is None
