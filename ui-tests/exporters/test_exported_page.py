"""Exported pages in a real browser, without a network."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import pytest
from exported_notebooks import conversation, hostile_answer, hostile_notebook, notebook
from hostile_turns import hostile_notebook as hostile_notebook_of_texts
from nbconvert.exporters import HTMLExporter
from nbformat import from_dict, v4
from PIL import Image

from msgbook_format.exporters import MsgHTMLExporter, MsgSlidesExporter

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page


CDN = "https://cdnjs.cloudflare.com/ajax/libs/"
STOCK_SCRIPTS = (f"{CDN}mathjax/", f"{CDN}require.js/")


class Visit:
    """A page opened from its file, and all that it tried: what it asks for is refused."""

    def __init__(self, browser: Browser, html: str, folder: Path) -> None:
        path = folder / "page.html"
        path.write_text(html, encoding="utf-8")
        self.url = path.as_uri()
        self.tried: list[str] = []
        self.requests: list[str] = []
        self.page: Page = browser.new_page()
        self.page.on("dialog", self._dialog)
        self.page.on("popup", lambda popup: self.tried.append(f"popup {popup.url}"))
        self.page.on("framenavigated", lambda frame: self.tried.append(f"navigation {frame.url}"))
        self.page.route("**/*", self._route)
        self.page.goto(self.url, wait_until="load")
        # Whatever an event can start, and what is loaded when it comes into view.
        self.page.evaluate(
            """() => {
                for (const details of document.querySelectorAll('details')) details.open = true;
                for (const element of document.querySelectorAll('main *')) {
                    for (const name of ['mouseover', 'focus', 'error', 'load', 'toggle'])
                        element.dispatchEvent(new Event(name));
                }
                window.scrollTo(0, document.body.scrollHeight);
                return new Promise(done => requestAnimationFrame(() => setTimeout(done)));
            }"""
        )
        self.page.close()

    def _dialog(self, dialog: Any) -> None:
        self.tried.append(f"dialog {dialog.message}")
        dialog.dismiss()

    def _route(self, route: Any) -> None:
        url = route.request.url
        if url == self.url or url.startswith("data:"):
            route.continue_()
        else:
            self.requests.append(url)
            route.abort()


def test_a_hostile_page_does_nothing(browser: Browser, tmp_path: Path) -> None:
    visit = Visit(browser, MsgHTMLExporter().from_notebook_node(hostile_notebook())[0], tmp_path)
    assert visit.tried == [f"navigation {visit.url}"]
    assert visit.requests == []


def test_a_hostile_answer_does_nothing_in_the_page_of_the_stock_exporter(
    browser: Browser, tmp_path: Path
) -> None:
    book = notebook(v4.new_code_cell("hello", outputs=[hostile_answer()]))
    visit = Visit(browser, HTMLExporter().from_notebook_node(book)[0], tmp_path)
    assert visit.tried == [f"navigation {visit.url}"]
    assert [url for url in visit.requests if not url.startswith(STOCK_SCRIPTS)] == []


def test_the_visit_would_see_a_script_run(browser: Browser, tmp_path: Path) -> None:
    html = "<main><img src='http://e.example/p.png' onmouseover='alert(1)'></main>"
    visit = Visit(browser, html, tmp_path)
    assert "dialog 1" in visit.tried
    assert visit.requests == ["http://e.example/p.png"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_details_are_closed_and_open_on_a_click(
    browser: Browser, tmp_path: Path, scheme: Any
) -> None:
    path = tmp_path / "page.html"
    path.write_text(MsgHTMLExporter().from_notebook_node(conversation())[0], encoding="utf-8")
    page = browser.new_page(color_scheme=scheme)
    page.goto(path.as_uri())
    reasoning = page.get_by_text("Let me look.")
    assert not reasoning.is_visible()
    page.get_by_text("Thinking Process").click()
    assert reasoning.is_visible()
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    assert dark == (scheme == "dark")
    page.close()


@pytest.mark.parametrize("exporter", [MsgHTMLExporter, MsgSlidesExporter, HTMLExporter])
def test_each_hostile_text_does_nothing_in_an_exported_page(
    exporter: Any, browser: Browser, tmp_path: Path
) -> None:
    # In the cells themselves, the stock exporter keeps what a Markdown note of the user says.
    book = from_dict(hostile_notebook_of_texts(by_us=True))
    visit = Visit(browser, exporter().from_notebook_node(book)[0], tmp_path)
    assert visit.tried == [f"navigation {visit.url}"]
    assert [url for url in visit.requests if not url.startswith(STOCK_SCRIPTS)] == []


def test_formulas_look_as_tex_sets_them(browser: Browser, tmp_path: Path) -> None:
    """The bar of a root stands off what is low, and a mark over the middle of its base."""
    source = (
        r"$\sqrt{\pi}$ $\sqrt[3]{\pi}$ $\vec{a}$ $\widehat{x}$ $\overline{ab}$ $\underline{ab}$"
    )
    book = notebook(v4.new_markdown_cell(source))
    (tmp_path / "page.html").write_text(MsgHTMLExporter().from_notebook_node(book)[0], "utf-8")
    page = browser.new_page(device_scale_factor=4)
    page.goto((tmp_path / "page.html").as_uri())
    page.evaluate("() => document.fonts.ready.then(() => null)")
    page.locator("math").first.screenshot(path=tmp_path / "root.png")
    assert gap_below_bar(tmp_path / "root.png") >= 8
    places = page.locator("mover, munder").evaluate_all(
        """found => found.map(({ children }) => {
            const [base, mark] = [...children].map(node => node.getBoundingClientRect());
            return [base.x + base.width / 2 - mark.x - mark.width / 2, mark.width];
        })"""
    )
    page.close()
    assert len(places) == 4
    for off, width in places:
        assert abs(off) < 2
        assert width > 2


def gap_below_bar(picture: Path) -> int:
    """Return how many rows are empty between the bar of a root and the letter below it, in its column."""
    grey = Image.open(picture).convert("L")
    column = [grey.getpixel((round(grey.width * 0.75), y)) for y in range(grey.height)]
    middle = (min(column) + max(column)) / 2
    runs = [(dark, len(list(rows))) for dark, rows in groupby(column, lambda v: v < middle)]
    bar = next(index for index, (dark, _) in enumerate(runs) if dark)
    return runs[bar + 1][1]
