"""Hostile texts that are long because a piece of them recurs, and the functions that read such texts.

Each function takes time in proportion to the length, whatever the piece. `benchmarks/growth.py` measures that, as a ratio
in one run; `tests/test_hostile_lengths.py` holds that none of them hangs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import NamedTuple

from responses import decode, sse, text

from msgbook.config import redact
from msgbook.kernel.python.capture import Capture
from msgbook.notebook.outputs import outputs_text
from msgbook.text import capped, one_line, visible, without_data
from msgbook.tools import Output, TerminalText
from msgbook.tools.files.writing import preview
from msgbook_format.document import reader, writer
from msgbook_format.exporters.nbconvert_markdown import spell_for_nbconvert
from msgbook_format.exporters.page_markdown import text_html
from msgbook_format.exporters.sanitize import sanitize_html
from msgbook_format.extras.agent_context.content import shown_text
from msgbook_format.extras.checks import check
from msgbook_format.extras.merging import merge_texts
from msgbook_format.jsontext import is_too_deep
from msgbook_format.turn import safe_markdown
from msgbook_format.turn.markdown import escape
from msgbook_format.turn.markdown.formulas import contain_formulas
from msgbook_format.turn.output_cells.call_text import read_call_text


class Text(NamedTuple):
    """A text of any length: a piece that recurs, between a start and an end."""

    start: str
    piece: str
    end: str = ""

    def of_length(self, characters: int) -> str:
        return self.start + self.piece * (characters // len(self.piece)) + self.end


class Reader(NamedTuple):
    """A function, and the texts that it reads in time that grows with their length."""

    name: str
    run: Callable[[str], object]
    texts: tuple[Text, ...]


OUTPUT_PIECES = (
    "\r",
    "\r" * 999 + "x",
    "\r" * 5_000 + "\n",
    "a\b",
    "\x1b",
    "\x1b[0",
    "\x1b]0;title",
    "\x07\x1b\\",
    "\x1b[31mred\x1b[0m",
    "\n",
    "x",
    " ",
    "字",
    "\u200b\u202e",
    "data:image/png;base64,",
    "sk-0123",
    "\ud83d",
)
OUTPUT = (
    *(Text("", piece) for piece in OUTPUT_PIECES),
    Text("\x1b[", "0;"),
    Text("data:image/png;", "data:image/a;a="),
)
"""What programs print: sequences, lines and keys that do not end."""

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
FORMAT_PIECES = (
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
FORMAT = (
    *(Text(start, piece, END) for start, piece in product(STARTS, FORMAT_PIECES)),
    Text("# %% [^a]\n\n[^a]: history&#", "0", "61;exclude\n"),
    Text("# %% [^a]\n\n[^a]: &#", "1", ";\n"),
)
"""Markers, footnotes and fences of message files."""

MARKUP_PIECES = (
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
    "\\begin{align}\n",
    "\\[\n",
    "$$\n",
    "<sub>",
    "<sub>a</sub>",
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
MARKUP = (
    *(Text("", piece) for piece in MARKUP_PIECES),
    Text("<", "a"),
    Text("</", "a-"),
    Text("<a ", "a"),
    Text("<!", "a"),
    Text("<script>", "</script "),
    Text("&#", "1"),
    Text("&#", "0", "61;"),
    Text("&#x", "f", ";"),
    Text("[a](&#", "1", ";)"),
    Text('<a href="&#', "1", ';">'),
)
"""HTML and Markdown."""


def _by_pieces(size: int) -> Callable[[str], object]:
    def run(text: str) -> None:
        shown: list[str] = []
        output = Output(shown.append)
        for start in range(0, len(text), size):
            output.feed(text[start : start + size].encode("utf-8", "replace"))
            output.flush()
        output.finish()
        output.text()

    return run


def _print(text: str) -> None:
    capture = Capture(lambda piece: None)
    for start in range(0, len(text), 8192):
        capture.write(text[start : start + 8192])
        capture.flush()
    capture.content()


def _read_and_write(text: str) -> None:
    writer.writes(reader.reads(text))


def _edit(text: str) -> None:
    notebook = reader.reads(text)
    for cell in notebook["cells"]:
        cell["source"] += "x"
    writer.writes(notebook)


def _merge(text: str) -> None:
    """Merge a change of the middle with one of all letters."""
    middle = text.find("\n", len(text) // 2)
    merge_texts(text, f"{text[:middle]} changed{text[middle:]}", text.swapcase())


def _alternate_items(numbers: str) -> None:
    decode(sse(*(text("ab ", f"msg_{number}", int(number)) for number in numbers[::4])))


def _alternate_parts(numbers: str) -> None:
    pieces = enumerate(numbers[::4])
    decode(sse(*(text("", f"msg_{number}", int(number), part) for part, number in pieces)))


def _texts(starts: Iterable[str], pieces: Iterable[str], end: str = "") -> tuple[Text, ...]:
    return tuple(Text(start, piece, end) for start, piece in product(starts, pieces))


REFERENCES = ("# Source: a\n", "{", "} ", " ", "<content_reference>\n# Source: a")
DEPTHS = ('"', '"\\', '["', '"\\\n', "\\", "[]")
MERGED = (
    Text("# %%\n\n", "x\n"),
    Text("", f"# %%\n\n{'one ' * 50}\n\n# %%\n\n{'two ' * 50}\n\n"),
    Text("# %% [^a]\n\n", "[^a]: [raw]\n"),
    Text("---\n", "a: 1\n", "---\n"),
)

READERS = (
    Reader("a terminal", lambda t: (screen := TerminalText()).feed(t) + screen.finish(), OUTPUT),
    Reader("output in large pieces", _by_pieces(65_536), OUTPUT),
    Reader("output in small pieces", _by_pieces(1_000), OUTPUT),
    Reader("prints", _print, OUTPUT),
    Reader(
        "outputs of a cell",
        lambda t: outputs_text([{"output_type": "stream", "name": "out", "text": t}]),
        OUTPUT,
    ),
    Reader(
        "outputs of HTML",
        lambda t: outputs_text([{"output_type": "display_data", "data": {"text/html": t}}]),
        MARKUP,
    ),
    Reader("redaction", lambda t: redact(t, ["sk-0123456789", "sk-01"]), OUTPUT),
    Reader(
        "redaction of spelled keys",
        lambda t: redact(t, ['sk-0123456789/"\\']),
        _texts([""], ("\\", "\\u0073", "%", "%25", "\\/", "%C3", "sk-01234")),
    ),
    Reader("a cut", capped, OUTPUT),
    Reader("one line", one_line, OUTPUT),
    Reader("characters written out", visible, OUTPUT),
    Reader("terminal characters written out", escape.replace_controls, OUTPUT),
    Reader("without data", without_data, OUTPUT),
    Reader("without data, growing", lambda t: without_data(t, ended=False), OUTPUT),
    Reader("a diff", lambda t: preview("", t.encode("utf-8", "replace").decode(), "x"), OUTPUT),
    Reader("a message file", _read_and_write, FORMAT),
    Reader("an edited message file", _edit, FORMAT),
    Reader("check", check, FORMAT),
    Reader(
        "references that were sent",
        shown_text,
        (
            *_texts(["<content_reference>\n# Source: a\n"], REFERENCES),
            *_texts(["<content_reference>\n# Source: a\n"], REFERENCES, "</content_reference>"),
            *_texts(["<content_reference>\n# Source: a</content_reference>x"], REFERENCES),
        ),
    ),
    Reader("depth of JSON", is_too_deep, _texts(["["], DEPTHS, "[" * 300)),
    Reader("a merge", _merge, MERGED),
    Reader("HTML", sanitize_html, MARKUP),
    Reader("Markdown", safe_markdown, MARKUP),
    Reader("Markdown of pages", text_html, MARKUP),
    Reader("a destination", escape.safe_destination, MARKUP),
    Reader("formulas", contain_formulas, MARKUP),
    Reader("Markdown for nbconvert", spell_for_nbconvert, MARKUP),
    Reader("code in a line", escape.inline_code, MARKUP),
    Reader("a line", escape.escape_line, MARKUP),
    Reader("a block of code", escape.code_block, MARKUP),
    Reader("a call", lambda t: read_call_text(t, "a"), MARKUP),
    Reader("events of items by turns", _alternate_items, (Text("", "00001111"),)),
    Reader("events of parts by turns", _alternate_parts, (Text("", "00001111"),)),
)
"""All of them, each with its texts."""
