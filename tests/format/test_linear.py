"""Hostile texts are read, edited and written in time that grows with their length."""

from __future__ import annotations

from itertools import product

import pytest
from linear_time import require_linear

from msgbook_format.agent_context.content import shown_text
from msgbook_format.checks import check
from msgbook_format.document import reader, writer
from msgbook_format.jsontext import is_too_deep

STARTS = ("", "# %% [^x]\n\n[^x]: [code]\n\n", "# %% [^x]\n\n# %%% [^y]\n\n")
PIECES = (
    "# %%",
    "# %% [^a] x",
    "## %% [^a]",
    "[^a]",
    "[^a]: ",
    "[^a]: [raw]\n",
    "[^a] history",
    "\n",
    " \n",
    "\r",
    " ",
    "```\n",
    "~~~\n",
    "\\",
    "\\\n",
    "stdout> a\n",
    "stdout>\r",
    'a="',
    "a=b ",
    "[a=b]",
    "[",
    "> [^a]: history=none\n",
    "history =",
    "- [^a] [raw]\n",
)
END = "\n\n# %% [^x]\n\nhi\n\n[^x]: [raw]\n"


def read_and_write(text: str) -> None:
    writer.writes(reader.reads(text))


def edit(text: str) -> None:
    notebook = reader.reads(text)
    for cell in notebook["cells"]:
        cell["source"] += "x"
    writer.writes(notebook)


@pytest.mark.parametrize("function", [read_and_write, edit, check])
def test_time_grows_with_the_length_of_a_repeated_piece(function):
    for start, piece in product(STARTS, PIECES):
        require_linear(function, start, piece, END)


@pytest.mark.parametrize("end", ["", "</content_reference>", "</content_reference>x"])
def test_time_grows_with_the_length_of_the_references_that_were_sent_with_a_message(end):
    for piece in ("# Source: a\n", "{", "} ", " ", "<content_reference>\n# Source: a"):
        require_linear(shown_text, "<content_reference>\n# Source: a\n", piece, end)
        require_linear(shown_text, f"<content_reference>\n# Source: a{end}", piece)


@pytest.mark.parametrize("piece", ['"', '"\\', '["', '"\\\n', "\\", "[]"])
def test_time_grows_with_the_length_of_a_text_whose_depth_is_counted(piece):
    require_linear(is_too_deep, "[", piece, "[" * 300)
