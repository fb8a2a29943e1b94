from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hostile_markdown import PIECES, PIXEL
from hypothesis import given, settings
from hypothesis import strategies as st
from renderers import Page, commonmark

from msgbook_format.turn import safe_markdown
from msgbook_format.turn.markdown.inline import safe_inline

if TYPE_CHECKING:
    pass

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("a $$x$$ b $$", "a $$x$$ b &#36;&#36;"),
        ("$$\na\n\nb\n$$", "$$\na\nb\n$$"),
        ("$$ a\n\nb\n$$", "&#36;&#36; a\n\nb\n&#36;&#36;"),
        ("$$\n#a\n$$", "$$\n#a\n$$"),
        ("Words:\n$$\na_1\n$$\nwords", "Words:\n$$\na_1\n$$\nwords"),
        ("- a\n\n  $$\n  a_1\n  $$", "- a\n\n  $$\n  a_1\n  $$"),
        ("#a $$\nb $$", "#a &#36;&#36;\nb &#36;&#36;"),
        ("a\n    $$\nb\n$$", "a\n    &#36;&#36;\nb\n&#36;&#36;"),
        ("a $$\n$$ b", "a &#36;&#36;\n&#36;&#36; b"),
        (r"\\[ a \\] \\[ b", r"\\[ a \\] &#92;[ b"),
        (r"\\begin{a} \begin{b}x\end{b}", r"&#92;begin{a} \begin{b}x\end{b}"),
    ],
)
def test_a_display_formula_stays_where_it_surely_ends_in_its_paragraph(
    text: str, safe: str
) -> None:
    assert safe_markdown(text) == safe
    assert safe_markdown(safe) == safe


# Lines of code that are hostile when they are not code.
CODE_LINES = st.lists(st.sampled_from([p for p in PIECES if p.isprintable()]), max_size=4).map(
    "".join
)
SPANS = CODE_LINES.map(lambda code: "`` " + code.replace("`", "'").strip() + "x ``")
BLOCKS = st.lists(CODE_LINES, min_size=1, max_size=4).map(
    lambda lines: "\n".join(["``````", *(line.replace("``````", "`") for line in lines), "``````"])
)
PIECE_OF_DOCUMENT = st.one_of(
    SPANS.map(lambda span: f"Words {span} words"),
    BLOCKS,
    BLOCKS.map(lambda block: "- " + block.replace("\n", "\n  ")),
    BLOCKS.map(lambda block: "> " + block.replace("\n", "\n> ")),
    BLOCKS.map(lambda block: "7. > " + block.replace("\n", "\n   > ")),
    BLOCKS.map(lambda block: "words\n\n" + block.replace("``````", "    ").replace("\n", "\n    ")),
)


@settings(deadline=None)
@given(text=st.lists(PIECE_OF_DOCUMENT, min_size=1, max_size=5).map("\n\n".join))
def test_code_stays_as_it_is_for_the_reader(text: str) -> None:
    expected = Page(commonmark(text, html=False))
    seen = Page(commonmark(safe_markdown(text)))
    assert seen.code == expected.code


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("$a<b$ and $$x<y$$", "$a< b$ and $$x< y$$"),
        (r"\(a<b\) and \[x<y\]", r"$a< b$ and $$x< y$$"),
        (r"\\(a<b\\) and \\[x<y\\]", r"\\(a< b\\) and \\[x< y\\]"),
        (r"\begin{align}a&<b\end{align}", r"\begin{align}a&< b\end{align}"),
        (r"$f[x](y) = g[x]:h$", r"$f[x] (y) = g[x] :h$"),
        ("$a<1$", "$a<1$"),
    ],
)
def test_formulas_hold_no_tag_and_no_entity(text: str, safe: str) -> None:
    assert safe_markdown(text) == safe


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("![alt](http://e.example/p.png)", "[alt](http://e.example/p.png)"),
        ("![](p.png)", "[p.png](p.png)"),
        ("![a*b](data:image/png;base64,AAAA)", "![a&#42;b](data:image/png;base64,AAAA)"),
        ("!<http://a.example>", "! [http://a.example](http://a.example)"),
        ("[x](javascript:alert(1))", "[x&#93;(javascript:alert(1))"),
        ("a\x1b[31mb\x00\udc80\r\nc", "a␛[31mb␀�\nc"),
        ("```py\nx\n", "```py\nx\n```"),
        ("````xMermaid-\nx\n````", "```text\nx\n```"),
    ],
)
def test_writings(text: str, safe: str) -> None:
    assert safe_markdown(text).lstrip() == safe


@pytest.mark.parametrize(
    "text",
    [
        r"$\style{cursor: url(//e.example/c), auto}{x}$",
        r"\$\\style{cursor: url(//e.example/c), auto}{x}\$",
        r"&#36;&#92;style{cursor: url(//e.example/c), auto}{x}&#36;",
        r"&#36;\\&#115;tyle{cursor: url(//e.example/c), auto}{x}&#36;",
        r"<http://e.example/$\require{x}$>",
        r"$\let\x\require$",
    ],
)
def test_tex_that_loads_something_is_no_command(text: str) -> None:
    shown = Page(commonmark(safe_markdown(text))).text
    assert re.search("\\\\\u2060(style|require)", shown)
    assert not re.search(r"\\(style|require)", shown)


def _tex(kind: str) -> list[str]:
    """TeX commands that the page's tests read as well."""
    commands: list[str] = json.loads((FIXTURES / "tex_commands.json").read_text())[kind]
    return commands


@pytest.mark.parametrize("tex", _tex("broken"))
def test_tex_that_loads_or_marks_something_is_broken(tex: str) -> None:
    shown = Page(commonmark(safe_markdown(f"${tex}$"))).text
    assert "\\\u2060" in shown
    assert tex not in shown


@pytest.mark.parametrize("tex", _tex("kept"))
def test_tex_that_does_neither_stays(tex: str) -> None:
    assert safe_markdown(f"${tex}$").strip() == f"${tex}$"


class _Counted(str):
    """A text that counts the characters that are copied out of it or searched in it."""

    work = 0

    def __getitem__(self, key: Any) -> str:
        piece = super().__getitem__(key)
        self.work += len(piece)
        return piece

    def find(self, sub: str, start: Any = None, end: Any = None) -> int:
        found = super().find(sub, start, end)
        self.work += (len(self) if found < 0 else found) - (start or 0)
        return found


@pytest.mark.parametrize(
    "text",
    [
        "\\(" * 2000 + "`" + "\\)",
        "\\[" * 2000 + "](" + "\\]",
        "".join(f"\\begin{{{'a' * (n % 40)}{'b' * (n // 40)}}}" for n in range(400)),
        "![" * 2000 + "](http://x)" * 2000,
        "![" * 2000 + f"]({PIXEL})" * 2000,
        "[" * 2000 + "]" * 2000,
        "".join("`" * n + " " for n in range(1, 100)),
    ],
    ids=lambda text: text[:12],
)
def test_the_work_grows_with_the_text_and_not_with_its_square(text: str) -> None:
    counted = _Counted(text)
    safe_inline(counted, {"x": "http://x"}, quotes=True, table=False)
    assert counted.work <= 300 * len(text)
