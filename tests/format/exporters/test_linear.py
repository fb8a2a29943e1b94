"""Hostile HTML and Markdown cost time in proportion to their length, and raise nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from linear_time import require_linear

from msgbook_format.exporters.nbconvert_markdown import spell_for_nbconvert
from msgbook_format.exporters.sanitize import sanitize_html
from msgbook_format.turn import safe_markdown
from msgbook_format.turn.markdown.escape import code_block, escape_line, inline_code
from msgbook_format.turn.markdown.formulas import contain_formulas
from msgbook_format.turn.output_cells.call_text import read_call_text

PIECES = (
    "<a ",
    "<![a]>",
    "<![",
    "<!--",
    "<a>",
    "</a>",
    "<",
    "</",
    "<?",
    "<![CDATA[",
    "]]>",
    "<a/>",
    "<a b='c'/>",
    "<style>",
    "<script>",
    '<a "',
    "<div>",
    "<p><b>",
    "<table><tr><td>",
    '<a href="',
    "<a x='",
    "&",
    "&#x",
    "&lt",
    "a=",
    " ",
    '"',
    "`",
    "``` ",
    "~",
    "```a\n",
    "~~~\n",
    "[",
    "]",
    "![",
    "](",
    "[a](",
    "![a](",
    "[a]: b\n",
    "[^a]",
    "$",
    "$$ ",
    "\\(",
    "\\[",
    "\\",
    "\\begin{a}",
    "\\\\[",
    "$a",
    "\r",
    "\n",
    "  \n",
    "> ",
    "- ",
    "1. ",
    "#",
    "|a",
    "|\n|-|\n",
    "*",
    "_",
    "#define a ",
    "(((a",
    "@[",
    "http://",
    "ftp:",
    "data:image/png;base64,",
    "![x](attachment:a b",
    "\0",
    "\u2028",
)


def read_call(text: str) -> object:
    return read_call_text(text, "a")


FUNCTIONS: tuple[Callable[[str], object], ...] = (
    sanitize_html,
    safe_markdown,
    contain_formulas,
    spell_for_nbconvert,
    inline_code,
    escape_line,
    code_block,
    read_call,
)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_time_grows_with_the_length_of_a_repeated_piece(function: Callable[[str], object]) -> None:
    for piece in PIECES:
        require_linear(function, "", piece)
