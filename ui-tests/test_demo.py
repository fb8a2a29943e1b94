"""`msgbook demo`: its notebook of Python, walked to its end as a newcomer does, and the chat that it leads to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from chats import answer, approve
from lab import Lab, running_lab
from playwright.sync_api import expect

from msgbook.cli.demo import lab_environment, prepare
from msgbook.provider.demo_model import BROKEN, MENDED

LOAD, PLOT, QUESTION, AVERAGE, FIX = 1, 3, 5, 7, 8
"""Places of its cells; the last one is what **Fix** inserts."""


@pytest.fixture(scope="module")
def lab_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare(tmp_path_factory.mktemp("demo") / "msgbook-demo").parent


@pytest.fixture(scope="module")
def lab_url(lab_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    log = tmp_path_factory.mktemp("log") / "jupyterlab.txt"
    settings = lab_environment({"MSGBOOK_MODEL": "another"})
    with running_lab(lab_root, log, settings) as url:
        yield url


def sources(lab: Lab) -> list[str]:
    return [str(cell["source"]) for cell in lab.cells()]


def take_in_all_looks(lab: Lab, screenshot: Callable[[str], None], name: str, index: int) -> None:
    """Keep pictures in which a cell is in view: light, dark and narrow."""
    lab.reveal(index, "start")
    screenshot(name)
    with lab.dark():
        screenshot(f"{name}-dark")
    with lab.width(700):
        lab.reveal(index, "start")
        screenshot(f"{name}-narrow")


@pytest.mark.smoke
def test_the_notebook_of_python_is_walked_to_its_end(
    lab: Lab, screenshot: Callable[[str], None]
) -> None:
    lab.load("rain.ipynb")
    lab.wait_for_kernel()
    lab.command("application:toggle-left-area")
    expect(lab.notebook.get_by_text("Python + Chat (msgbook)").first).to_be_visible()
    take_in_all_looks(lab, screenshot, "opened", 0)

    lab.command("notebook:run-all-cells")

    lab.reveal(LOAD)
    expect(lab.cell(LOAD).get_by_text("12 months, 11 of them measured")).to_be_visible()
    lab.reveal(PLOT)
    picture = lab.cell(PLOT).locator(".jp-OutputArea-output img")
    expect(picture).to_be_visible()
    # It was drawn: a browser gives a picture that it cannot read no size.
    assert picture.evaluate("node => node.naturalWidth") == 450
    lab.reveal(QUESTION)
    turn = lab.cell(QUESTION).locator(".msgbook-Turn")
    expect(turn).to_contain_text("July has the largest number, 103.1")
    expect(turn).to_contain_text("add up to 761")
    take_in_all_looks(lab, screenshot, "answered", PLOT)

    lab.reveal(AVERAGE)
    lab.cell(AVERAGE).get_by_role("button", name="Fix").click()
    cell = lab.cell(FIX)
    expect(cell.locator(".msgbook-Diff-added")).to_have_text(f"+{MENDED}")
    assert BROKEN in sources(lab)[AVERAGE]
    take_in_all_looks(lab, screenshot, "asked", FIX)
    answer(approve(cell))
    expect(cell.get_by_text("It runs, with all rights of the notebook, the cell")).to_be_visible()
    assert MENDED in sources(lab)[AVERAGE]
    answer(approve(cell))
    expect(cell.get_by_text("takes only months that rain has")).to_be_visible()
    expect(lab.cell(AVERAGE).get_by_text("In autumn, 70.4 mm a month")).to_be_visible()
    expect(lab.cell(AVERAGE).get_by_text("KeyError")).to_have_count(0)
    take_in_all_looks(lab, screenshot, "mended", AVERAGE)

    lab.reveal(FIX + 1)
    lab.cell(FIX + 1).get_by_role("link", name="demo.msg.md").click()
    expect(lab.notebook.get_by_role("heading", name="A tour in five steps")).to_be_visible()
    lab.wait_for_kernel()
    assert sources(lab)[1] == "Hello! Who are you, and what can you show me?"
    assert lab.requests == []
