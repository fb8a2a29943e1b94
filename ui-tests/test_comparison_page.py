"""The comparison of several models in a real browser: an answer shows nothing outside of its cell."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hostile_turns import SAVABLE
from last_words import picture_of
from playwright.sync_api import Browser, Page

from msgbook.extras.many.models import (
    ComparedModel,
    ComparedPrompt,
    Comparison,
    ModelAnswer,
    Numbers,
    comparison_page,
)

CELLS = ".wide > table > tbody > tr > *"
MIDDLE = 2


def page_of(*texts: str) -> str:
    models = [ComparedModel(f"m{n}", "f", "done", Numbers()) for n in range(len(texts))]
    answers = [ModelAnswer("m", "", "done", text, Numbers()) for text in texts]
    return comparison_page(Comparison(1, "f", models, [ComparedPrompt("a", "prompt", answers)]))


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 2600, "height": 1000})
    yield page
    page.close()


@pytest.mark.parametrize(
    "text",
    [
        r"$\hspace{50em}\text{forged}$",
        r"$\hspace{-50em}\text{forged}$",
        r"$$\hspace{50em}\text{forged}$$",
        "$" + "x" * 900 + "$",
        r"$\llap{" + "forged " * 60 + "}$",
        r"$\smash{\begin{array}{c}" + r"forged\\" * 60 + r"\end{array}}$",
        "| a |\n|---|\n| $\\hspace{50em}\\text{forged}$ |",
        "|" + "forged|" * 300 + "\n|" + "-|" * 300,
        "x" + "\u0301" * 400,
    ],
)
def test_an_answer_shows_nothing_in_the_cell_of_another(page, text):
    page.set_content(page_of("before", text, "after"))
    cells = page.locator(CELLS)
    others = [cells.nth(n) for n in range(cells.count()) if n != MIDDLE]

    with_it = [cell.screenshot() for cell in others]
    cells.nth(MIDDLE).evaluate("cell => cell.style.visibility = 'hidden'")

    assert [cell.screenshot() for cell in others] == with_it


def test_hostile_answers_do_nothing(page):
    tried: list[str] = []
    page.on("dialog", lambda dialog: (tried.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: tried.append(request.url))

    page.set_content(page_of(*SAVABLE))
    loaded = [url for url in tried if not url.startswith("data:image/")]

    assert loaded == []
    assert page.locator(CELLS).count() == 1 + len(SAVABLE)


def test_formulas_have_the_font_of_exported_pages(page, request):
    page.set_content(page_of("One.", r"$$\begin{pmatrix} a & b \\ c & d \end{pmatrix}$$"))

    assert page.evaluate(
        "() => document.fonts.ready.then(f => [...f].map(f => [f.family, f.status]))"
    ) == [["msgbook Math", "loaded"]]
    page.screenshot(path=picture_of(request.node, "formulas"))
    page.set_content(page_of("One.", "Two."))
    assert page.evaluate("() => document.fonts.size") == 0
