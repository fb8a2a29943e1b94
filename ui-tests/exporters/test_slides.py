"""Slides are turned by keys, and only their own script runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from exported_notebooks import answer, notebook, turn
from nbformat import v4

from msgbook_format.exporters import MsgSlidesExporter

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

SHORT, LONG = "One line.", "\n\n".join(f"Paragraph {n}." for n in range(60))


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    texts = [SHORT, LONG, SHORT]
    cells = [
        v4.new_code_cell(f"Question {n}", outputs=[answer(turn({"type": "text", "text": text}))])
        for n, text in enumerate(texts)
    ]
    html, _ = MsgSlidesExporter().from_notebook_node(notebook(*cells, title="A talk"))
    file = tmp_path / "talk.slides.html"
    file.write_text(html.replace("</main>", "<script>document.title = 'hostile'</script></main>"))
    shown = browser.new_page(viewport={"width": 1000, "height": 700})
    shown.goto(file.as_uri())
    yield shown
    shown.close()


def at(page: Page) -> int:
    """The slide at the top of the screen, 0 for the title."""
    return page.evaluate(
        """() => [...document.querySelectorAll('.msg-Title, .msg-Slide')]
            .findLastIndex(slide => slide.getBoundingClientRect().top <= 4)"""
    )


def press(page: Page, *keys: str) -> int:
    for key in keys:
        page.keyboard.press(key)
    return at(page)


def test_arrows_home_and_end_turn_whole_slides(page: Page) -> None:
    assert [press(page, "ArrowRight") for _ in range(4)] == [1, 2, 3, 3]
    assert [press(page, "ArrowLeft") for _ in range(4)] == [2, 1, 0, 0]
    assert (press(page, "End"), press(page, "Home")) == (3, 0)


@pytest.mark.parametrize(("forward", "back"), [("Space", "Shift+Space"), ("PageDown", "PageUp")])
def test_a_long_answer_is_read_to_its_end_before_the_next_slide(
    page: Page, forward: str, back: str
) -> None:
    page.keyboard.press("ArrowRight")
    seen = [press(page, forward) for _ in range(20)]

    assert seen == sorted(seen)
    assert seen.count(2) > 2
    assert seen[-1] == 3
    assert press(page, *[back] * 20) == 0


def test_no_other_script_runs(page: Page) -> None:
    assert page.title() != "hostile"
