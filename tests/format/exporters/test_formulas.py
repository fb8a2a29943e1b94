r"""Formulas of an exported page: MathML of known elements, or their TeX."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook_format.exporters.formula_process import MOST_ENDS
from msgbook_format.exporters.page_markdown import (
    ATTRIBUTES,
    MAX_TEX,
    TAGS,
    Texts,
    formula_html,
    text_html,
)


class Elements(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


@pytest.mark.parametrize(
    "tex",
    [
        "x^2",
        r"\frac{a}{b}",
        r"\sum_{i=1}^n i = \frac{n(n+1)}{2}",
        r"\begin{pmatrix}1 & 2\\3 & 4\end{pmatrix}",
        r"\int_0^\infty e^{-x}\,dx",
        r"\mathbb{R} \to \text{if } x < 1",
        r"\begin{align*}a &= b\\ c &= d\end{align*}",
    ],
)
def test_a_formula_is_mathml(tex: str) -> None:
    html = formula_html(tex, block=True)
    assert html.startswith('<math display="block"')
    assert html.endswith("</math>")


@pytest.mark.parametrize(
    ("tex", "written"),
    [
        (r"\sqrt{\pi}", '<msqrt><mspace height="0.62em"></mspace><mi>π</mi></msqrt>'),
        (
            r"\sqrt[3]{\pi}",
            '<mroot><mrow><mspace height="0.62em"></mspace><mi>π</mi></mrow><mn>3</mn></mroot>',
        ),
        (r"\overline{ab}", '<mo stretchy="true">\u203e</mo></mover>'),
        (r"\widetilde{ab}", '<mo stretchy="true">\u0303</mo></mover>'),
    ],
)
def test_roots_have_room_and_marks_are_as_wide_as_their_base(tex: str, written: str) -> None:
    assert written in formula_html(tex, block=False)


@pytest.mark.parametrize(
    "tex",
    [r"\notacommand{x}", r"\frac{a", r"\begin{x}", "x" * (MAX_TEX + 1), "{" * 1500 + "}" * 1500],
)
def test_a_formula_that_cannot_be_read_stays_tex(tex: str) -> None:
    html = formula_html(tex, block=False)
    assert html.startswith('<code class="msg-TeX">$')


@pytest.mark.parametrize(
    "tex",
    [
        r"\def\a#1{\a{#1#1}}\a x",
        r"\newcommand{\aa}{x}\aa",
        r"\gdef\aa{x}\aa",
        r"\let\a=\b\a",
        r"\renewcommand\aa{x}\aa",
    ],
)
def test_a_formula_that_defines_commands_stays_tex(tex: str) -> None:
    assert formula_html(tex, block=True).startswith('<code class="msg-TeX">$$')


UNCLOSED = [
    "(" * 60,
    "[" * 60,
    r"\lceil " * 60 + "x",
    "(x" * 60,
    r"\sin(" * 60,
    "(" * 500 + ")" * 400,
]


@pytest.mark.parametrize("tex", UNCLOSED)
def test_brackets_without_end_hold_up_no_export(tex: str) -> None:
    page = text_html(f"${tex}$ and $x^2$\n")
    assert page.count("<math") == 1
    assert '<code class="msg-TeX">$' in page


def test_many_formulas_that_take_too_long_leave_those_of_the_next_page() -> None:
    texts = Texts()
    hostile = " ".join(f"${'(' * 60}{number}$" for number in range(2 * MOST_ENDS))
    page = texts.html(texts.add(f"{hostile} and $y^2$"))
    assert "<math" not in page
    texts.clear()
    assert "<math" in texts.html(texts.add("$y^2$"))


def test_the_search_for_formulas_over_lines_has_an_end() -> None:
    formula = "\n$$\nx\n$$\n"
    assert '<div class="msg-Formula">' in text_html("\\[\n" * 100 + formula)
    assert '<div class="msg-Formula">' not in text_html("\\[\n" * 1_000 + formula)


HOSTILE = [
    r"\href{javascript:alert(1)}{x}",
    r"\text{<img src=x onerror=alert(1)>}",
    r"\text{&lt;script&gt;alert(1)&lt;/script&gt;}",
    r"\color{red;background:url(http://e.example)}{x}",
    r"\style{position:fixed}{x}",
    r"\class{x}{y}",
    r"\hspace{99999em}x",
    r"\raisebox{-99em}{x}",
    '"><script>alert(1)</script>',
]


@pytest.mark.parametrize("tex", HOSTILE)
def test_a_hostile_formula_has_known_elements_and_values_alone(tex: str) -> None:
    html = formula_html(tex, block=True)
    found = Elements(html)
    assert found.tags <= TAGS | {"code"}
    assert found.attributes <= ATTRIBUTES | {"class"}
    assert "99" not in html or html.startswith("<code")


@given(st.text(alphabet="\\{}$^_&<>\"'ab1 frachesqtxbgin", max_size=40))
def test_no_text_makes_other_elements(tex: str) -> None:
    found = Elements(formula_html(tex, block=False))
    assert found.tags <= TAGS | {"code"}
    assert found.attributes <= ATTRIBUTES | {"class"}
