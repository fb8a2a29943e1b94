"""Pictures and the animation of the documentation: the demo, walked in a real JupyterLab with the demo model.

Usage: make screenshots; writes docs/images/.
"""

from __future__ import annotations

import io
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from chats import answer, approve, write_notebook
from chromium import CHROMIUM_FLAGS, find_chromium
from lab import Lab, running_lab
from PIL import Image
from playwright.sync_api import Browser, Locator, expect, sync_playwright
from scripted_server import ScriptedServer, call, text

from msgbook.cli.demo import prepare

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"

LOAD, PLOT, QUESTION, AVERAGE, FIX = 1, 3, 5, 7, 8
"""Places of the cells of `rain.ipynb`; the last one is what **Fix** inserts."""

REFERENCE, TEAM = 5, 7
"""Places of two of the tour's messages."""

MODULE = """\
def mean(values):
    return sum(values) / len(values)


def spread(values):
    return max(values) - min(values)
"""

COLOURS = 128
"""Colours of the animation: with fewer, the signs of a turn that is done and of an error are grey."""

expect.set_options(timeout=300_000)


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(playwright), args=CHROMIUM_FLAGS
        )
        pictures_of_python(browser)
        pictures_of_chats(browser)
        animation(browser)
        pictures_of_an_edit(browser)
        browser.close()


@contextmanager
def opened(
    browser: Browser,
    settings: dict[str, str],
    width: int,
    height: int,
    fill: Callable[[Path], object] = prepare,
) -> Iterator[Lab]:
    """Open a tab of a new JupyterLab whose folder is filled: with the demo, if nothing else is said."""
    temporary = tempfile.TemporaryDirectory
    with temporary(prefix="project-") as chats, temporary() as logs:
        folder, log = Path(chats), Path(logs) / "log.txt"
        fill(folder)
        with running_lab(folder, log, settings) as url:
            page = browser.new_page(viewport={"width": width, "height": height})
            page.set_default_timeout(300_000)
            yield Lab(page, url)
            page.close()


def load(lab: Lab, name: str) -> None:
    lab.load(name)
    lab.wait_for_kernel()
    lab.command("application:toggle-left-area")


def to_top(lab: Lab, index: int) -> None:
    """Scroll until a cell begins at the top of the view."""
    lab.reveal(index)
    lab.cell(index).evaluate("node => node.scrollIntoView()")


def ended(cell: Locator) -> None:
    expect(cell.locator("[data-status=done]").first).to_be_visible()
    expect(cell.locator(".msgbook-mod-deaf")).to_have_count(0)


def take(lab: Lab, name: str) -> None:
    """Take a picture in which nothing is hovered, with a palette: it takes a third of the bytes."""
    lab.page.mouse.move(0, 0)
    picture = Image.open(io.BytesIO(lab.page.screenshot())).convert("RGB")
    picture.quantize(256, dither=Image.Dither.NONE).save(IMAGES / f"{name}.png", optimize=True)


def fix(lab: Lab) -> Locator:
    """Press **Fix** below the error, and return the cell of the message once its call waits."""
    lab.cell(AVERAGE).get_by_role("button", name="Fix").click()
    cell = lab.cell(FIX)
    expect(approve(cell)).to_be_visible()
    expect(lab.page.locator(".msgbook-mod-deaf")).to_have_count(0)
    return cell


def pictures_of_python(browser: Browser) -> None:
    with opened(browser, {"MSGBOOK_MODEL": "demo"}, 1000, 900) as lab:
        load(lab, "rain.ipynb")
        for cell in (LOAD, PLOT, QUESTION):
            lab.run(cell)
        ended(lab.cell(QUESTION))
        to_top(lab, PLOT)
        take(lab, "python")
        lab.run(AVERAGE)
        fix(lab)
        to_top(lab, AVERAGE)
        take(lab, "fix")


def with_a_new_chat(folder: Path) -> None:
    prepare(folder)
    (folder / "chat.msg.md").write_text("")


def with_a_module(folder: Path) -> None:
    (folder / "stats.py").write_text(MODULE)
    write_notebook(folder / "stats.ipynb", "`mean` fails on an empty list. Fix it in @[stats.py].")


def pictures_of_chats(browser: Browser) -> None:
    with opened(browser, {"MSGBOOK_MODEL": "demo"}, 1280, 900, with_a_new_chat) as lab:
        load(lab, "chat.msg.md")
        for place, message in enumerate(("What can you do?", "And what did I ask you?")):
            lab.type_in(place, message)
            lab.run(place)
            ended(lab.cell(place))
        lab.cell(0).locator("summary").first.click()
        lab.command("msgbook:open-context")
        expect(lab.page.locator(".msgbook-Context")).to_contain_text("tokens")
        to_top(lab, 0)
        take(lab, "conversation")
    with opened(browser, {"MSGBOOK_MODEL": "demo"}, 1280, 900) as lab:
        load(lab, "demo.msg.md")
        lab.command("msgbook:show-agents")
        lab.run(REFERENCE)
        ended(lab.cell(REFERENCE))
        lab.run(TEAM)
        answer(approve(lab.cell(TEAM)))
        lab.wait_for_kernel()
        states = lab.page.locator(".msgbook-AgentsPanel-agent")
        expect(states.filter(has_text="running")).to_have_count(0)
        to_top(lab, TEAM - 1)
        take(lab, "agents")


def pictures_of_an_edit(browser: Browser) -> None:
    change = {
        "path": "stats.py",
        "old": "    return sum(values) / len(values)\n",
        "new": "    return sum(values) / len(values) if values else 0.0\n",
    }
    with ScriptedServer() as server:
        server.answers = [call("edit", change), text("An empty list now has the mean 0.")]
        settings = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "scripted-model"}
        with opened(browser, settings, 1000, 660, with_a_module) as lab:
            load(lab, "stats.ipynb")
            lab.run(0)
            expect(approve(lab.cell(0))).to_be_visible()
            expect(lab.page.locator(".msgbook-mod-deaf")).to_have_count(0)
            take(lab, "approval")


def animation(browser: Browser) -> None:
    """Draw data, ask about them, have an error mended."""
    with opened(browser, {"MSGBOOK_MODEL": "demo"}, 960, 640) as lab:
        load(lab, "rain.ipynb")
        expect(lab.page.locator(".msgbook-Picker-value").first).to_have_text("assistant")
        question = str(lab.cells()[QUESTION]["source"])
        lab.type_in(QUESTION, "")
        lab.run(LOAD)
        to_top(lab, PLOT)
        frames = Frames(lab)
        frames.take(1500)
        lab.run(PLOT)
        frames.take_until(lab.cell(PLOT).locator(".jp-OutputArea-output img"))
        frames.take(1500)
        to_top(lab, QUESTION)
        lab.type_in(QUESTION, "")
        for word in re.findall(r"\S+\s*", question):
            lab.page.keyboard.insert_text(word)
            frames.take(120)
        lab.page.keyboard.press("Control+Enter")
        frames.take_until(lab.cell(QUESTION).locator("[data-status=done]"))
        frames.take(3000)
        to_top(lab, AVERAGE)
        lab.run(AVERAGE)
        button = lab.cell(AVERAGE).get_by_role("button", name="Fix")
        frames.take_until(button)
        to_top(lab, AVERAGE)
        button.hover()
        frames.take(1500)
        cell = fix(lab)
        to_top(lab, AVERAGE)
        approve(cell).hover()
        frames.take(2500)
        answer(approve(cell))
        frames.take_until(cell.get_by_text("It runs, with all rights"))
        frames.take(1500)
        answer(approve(cell))
        frames.take_until(cell.get_by_text("takes only months that rain has"))
        lab.wait_for_kernel()
        to_top(lab, AVERAGE)
        frames.take(4000)
        frames.write(IMAGES / "conversation.webp")


class Frames:
    """Pictures of a page, one after the other, each shown for its own time."""

    def __init__(self, lab: Lab) -> None:
        self._page = lab.page
        self._pictures: list[Image.Image] = []
        self._durations: list[int] = []

    def take(self, duration: int) -> None:
        """Add what is seen now, shown for that many milliseconds."""
        self._pictures.append(Image.open(io.BytesIO(self._page.screenshot())).convert("RGB"))
        self._durations.append(duration)

    def take_until(self, awaited: Locator) -> None:
        """Add a picture every fifth of a second until `awaited` is seen."""
        for _ in range(300):
            self.take(200)
            if awaited.first.is_visible():
                return
            self._page.wait_for_timeout(100)
        sys.exit(f"not seen in one minute: {awaited}")

    def write(self, path: Path) -> None:
        """Write them without loss, in few colours that all share: so a picture is what differs from the one before."""
        width, height = self._pictures[0].size
        some = self._pictures[:: max(1, len(self._pictures) // 5)]
        together = Image.new("RGB", (width, height * len(some)))
        for place, picture in enumerate(some):
            together.paste(picture, (0, height * place))
        palette = together.quantize(COLOURS, dither=Image.Dither.NONE)
        first, *others = [
            picture.quantize(palette=palette, dither=Image.Dither.NONE).convert("RGB")
            for picture in self._pictures
        ]
        first.save(
            path,
            save_all=True,
            append_images=others,
            duration=self._durations,
            loop=0,
            lossless=True,
            quality=100,
            method=6,
            minimize_size=True,
        )


if __name__ == "__main__":
    main()
