"""What is a table, a list, code or a formula on the page is one in an export."""

from __future__ import annotations

import re
from typing import Any

import pytest
from answer_corpus import FILE, counted, read_answers, texts
from exported_notebooks import answer, notebook, turn
from nbformat import v4
from outline import outline

from msgbook_format.exporters import MsgHTMLExporter, MsgSlidesExporter, markdown_to_html
from msgbook_format.exporters.page_markdown import formula_html

WRITTEN = [(text, counted(rows), len(rows) == 1) for text, rows in texts()]

COMMANDS = (
    r"""
\frac{a}{b} | \sqrt{x} | \sqrt[3]{x} | x_i^2 | \sum_{i=1}^n i | \prod_i x_i | \int_0^1 x\,dx | \iint_D f | \oint f
\lim_{x\to 0} f | \infty | \alpha\beta\gamma\varepsilon | \partial f | \nabla f | a\cdot b\times c | a\leq b\geq c
x\in A\notin B | A\subseteq B\cup C\cap D | \forall x\,\exists y | a\to b\Rightarrow c\iff d | f\mapsto g
\left(\frac a b\right) | \left\{x\right. | \bigl(x\bigr) | \hat{x}\bar{x}\vec{x}\tilde{x}\dot{x} | \overline{ab}
\underline{ab} | \widehat{abc} | \overbrace{a+b}^{n} | \underbrace{a+b}_{n} | \mathbb{R} | \mathcal{L} | \mathfrak{g}
\mathbf{x} | \mathrm{d}x | \boldsymbol{\alpha} | \text{if }x | \text{a $x$ b} | \textbf{a} | \operatorname{arg}x
\operatorname*{arg\,max}_x f | \sin x+\log y | \max_x f | \arg\min_\theta f | \begin{matrix}a&b\\c&d\end{matrix}
\begin{pmatrix}a&b\\c&d\end{pmatrix} | \begin{bmatrix}a&b\\c&d\end{bmatrix} | \begin{vmatrix}a&b\\c&d\end{vmatrix}
\begin{cases}a&x>0\\b&x<0\end{cases} | \begin{aligned}a&=b\\c&=d\end{aligned} | \begin{gathered}a\\b\end{gathered}
\begin{align}a&=b\\c&=d\end{align} | \begin{alignat}{2}a&=b&c&=d\end{alignat} | \begin{split}a&=b\\c&=d\end{split}
\begin{array}{cc}a&b\\c&d\end{array} | \begin{equation}a=b\end{equation} | \begin{eqnarray}a&=&b\end{eqnarray}
\boxed{x=1} | x=1\tag{1} | x\tag*{A} | \binom{n}{k} | \dfrac{a}{b} | \overset{d}{=} | \underset{x}{\min} | \stackrel{?}{=}
\xrightarrow{f} | a\bmod b\pmod n | a\quad b\,c\;d\!e | \ldots\cdots\vdots\ddots | \langle x\rangle | \lVert x\rVert
\lfloor x\rfloor\lceil y\rceil | x\mid y | \oplus\otimes | a\sim b\approx c\equiv d\propto e | x'\dagger | \ell\hbar\Re
\cancel{x} | \color{red}{x} | \substack{a\\b} | \sum\limits_i x | \displaystyle\sum_i x | \left.\frac{df}{dx}\right\rvert_0
\begin{smallmatrix}a&b\end{smallmatrix} | \begin{dcases}a&b\end{dcases} | \coloneqq | \mathop{\mathrm{KL}} | \label{e}x
""".replace("\n", " | ")
    .strip(" |")
    .split(" | ")
)


def export(text: str, exporter: Any = MsgHTMLExporter) -> str:
    cell = v4.new_code_cell("?", outputs=[answer(turn({"type": "text", "text": text}))])
    page: str = exporter().from_notebook_node(notebook(cell))[0]
    return page


@pytest.mark.parametrize(("text", "found", "alone"), WRITTEN, ids=lambda value: repr(value)[:40])
def test_a_reader_finds_what_was_written(text: str, found: dict[str, int], alone: bool) -> None:
    shown = outline(markdown_to_html(text))
    for mark, count in found.items():
        assert (shown.count(mark) == count) if alone else (shown.count(mark) >= count), mark


def test_the_file_of_the_page_s_tests_is_what_exports_show() -> None:
    known = read_answers()
    assert len(known) >= 300
    assert [one["text"] for one in known] == [text for text, _ in texts()], FILE
    assert {one["text"]: outline(markdown_to_html(one["text"])) for one in known} == {
        one["text"]: one["outline"] for one in known
    }


@pytest.mark.parametrize("exporter", [MsgHTMLExporter, MsgSlidesExporter])
def test_a_whole_page_shows_answers_in_the_same_way(exporter: Any) -> None:
    alone = [text for text, _, single in WRITTEN if single]
    cells = [
        v4.new_code_cell("?", outputs=[answer(turn({"type": "text", "text": text}))])
        for text in alone
    ]
    page: str = exporter().from_notebook_node(notebook(*cells))[0]
    shown = outline(page.partition("<main>")[2].partition("</main>")[0])
    for text in alone:
        assert outline(markdown_to_html(text)) in shown


@pytest.mark.parametrize("tex", COMMANDS)
def test_the_commonest_commands_are_formulas(tex: str) -> None:
    assert formula_html(tex, block=True).startswith("<math")


def test_there_are_sixty_of_them() -> None:
    assert len(COMMANDS) >= 60


@pytest.mark.parametrize(
    ("tex", "shown"),
    [
        (r"\begin{aligned}a&=b\\c&=d\end{aligned}", r"(<mtr>.*){2}"),
        (r"\begin{gathered}a\\b\\c\end{gathered}", r"(<mtr>.*){3}"),
        (r"\begin{alignat}{2}a&=b&c&=d\end{alignat}", r"<mtable"),
        (r"\operatorname*{arg\,max}_x", r"<munder>.*arg.max"),
        (r"\boxed{x}", r'<menclose notation="box">'),
        (r"x=1\tag{7}", r"<mtd.*<mtext>\(7\)</mtext>"),
    ],
)
def test_formulas_that_are_easily_wrong(tex: str, shown: str) -> None:
    assert re.search(shown, formula_html(tex, block=True))


@pytest.mark.parametrize(
    "tex", [r"\begin{align}a&=b\end{align}", r"\begin{equation}a\end{equation}"]
)
def test_no_formula_has_a_number_that_it_was_not_given(tex: str) -> None:
    assert "(1)" not in formula_html(tex, block=True)


@pytest.mark.parametrize("tex", [r"\ce{H2O}", r"\unknown x", r"\frac{a", r"\begin{CD}A\end{CD}"])
def test_a_formula_that_is_not_known_stays_tex(tex: str) -> None:
    assert outline(markdown_to_html(f"${tex}$ and $${tex}$$")) == "<p><$> and <$$></p>"
    assert f"$${tex}$$" in markdown_to_html(f"$${tex}$$").replace("&amp;", "&")


def test_a_page_has_a_font_of_mathematics_if_it_has_a_formula() -> None:
    assert "font/woff2" in export("$x$")
    assert "font/woff2" not in export("It costs $5.")


def test_code_in_a_list_and_in_a_quote_has_its_colours() -> None:
    page = markdown_to_html(
        "- x\n  ```python\n  a = '<b>$x$ ![i](http://x)'\n  ```\n\n> ```diff\n> +a\n> -b\n> ```"
    )
    assert '<div class="highlight"><pre><code class="language-python"><span' in page
    assert '<span class="gi">' in page
    assert '<span class="gd">' in page


def test_a_diagram_stands_in_a_box_that_says_so() -> None:
    page = markdown_to_html("```mermaid\ngraph TD\n  A --> B\n```")
    assert "Diagram (Mermaid)" in page
    assert "A --&gt; B" in page


@pytest.mark.parametrize(
    "data",
    [
        {"application/vnd.vegalite.v5+json": {"mark": "bar"}, "text/plain": "alt.Chart(...)"},
        {"text/html": "<style>x{}</style><div id='vis'></div><script>draw()</script>"},
        {
            "text/html": "<div id='vis'></div><script>draw()</script>",
            "text/plain": "alt.Chart(...)",
        },
    ],
)
def test_a_chart_that_a_script_draws_does_not_vanish_without_a_word(data: dict[str, Any]) -> None:
    cell = v4.new_code_cell("%%python\nchart", outputs=[v4.new_output("display_data", data=data)])
    page: str = MsgHTMLExporter().from_notebook_node(notebook(cell))[0]
    assert "is not shown here" in page


def test_the_text_of_an_image_keeps_its_formulas_and_code() -> None:
    assert outline(markdown_to_html("![of $x$ and `y`](p.png)")) == "<p><a p.png>of x and y</a></p>"
