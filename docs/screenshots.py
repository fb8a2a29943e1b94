"""Pictures and the animation of the documentation: the tour, run in a real JupyterLab with the demo model.

Usage: make screenshots; writes docs/images/.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path

from chats import answer, approve, write_notebook
from chromium import CHROMIUM_FLAGS, find_chromium
from lab import Lab, running_lab
from PIL import Image
from playwright.sync_api import Browser, Locator, expect, sync_playwright
from scripted_server import ScriptedServer, call, text

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"

HELLO, MEMORY, TEAM = 1, 3, 7
"""Places of the tour's prompts."""

QUESTION = "Hello! Who are you, and what can you show me?"
TASKS = """\
Start a sub-agent for each of these tasks.

- assistant: Count the files in this folder.
- assistant: Look for a file that explains itself."""

MODULE = """\
def mean(values):
    return sum(values) / len(values)


def spread(values):
    return max(values) - min(values)
"""

expect.set_options(timeout=60_000)


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_chromium(playwright), args=CHROMIUM_FLAGS
        )
        pictures_of_the_tour(browser)
        animation(browser)
        pictures_of_an_edit(browser)
        browser.close()


@contextmanager
def opened(browser: Browser, settings: dict[str, str], width: int, height: int) -> Iterator[Lab]:
    """Open a tab of a new JupyterLab; its folder holds the tour as `demo.msg.md`, and `stats.py`."""
    temporary = tempfile.TemporaryDirectory
    with temporary(prefix="project-") as chats, temporary() as logs:
        folder, log = Path(chats), Path(logs) / "log.txt"
        with resources.as_file(resources.files("msgbook").joinpath("tour.msg.md")) as path:
            shutil.copy(path, folder / "demo.msg.md")
        (folder / "stats.py").write_text(MODULE)
        write_notebook(folder / "chat.ipynb", "", "")
        write_notebook(
            folder / "stats.ipynb", "`mean` fails on an empty list. Mend it in @[stats.py]."
        )
        with running_lab(folder, log, settings) as url:
            page = browser.new_page(viewport={"width": width, "height": height})
            page.set_default_timeout(60_000)
            yield Lab(page, url)
            page.close()


def tour(lab: Lab) -> None:
    lab.load("demo.msg.md")
    lab.wait_for_kernel()
    lab.command("application:toggle-left-area")


def ended(cell: Locator) -> None:
    expect(cell.locator("[data-status=done]").first).to_be_visible()
    expect(cell.locator(".msgbook-mod-deaf")).to_have_count(0)


def take(lab: Lab, name: str) -> None:
    """Take a picture in which nothing is hovered."""
    lab.page.mouse.move(0, 0)
    lab.page.screenshot(path=IMAGES / f"{name}.png")


def pictures_of_the_tour(browser: Browser) -> None:
    with opened(browser, {"MSGBOOK_MODEL": "demo"}, 1280, 900) as lab:
        tour(lab)
        lab.run(HELLO)
        ended(lab.cell(HELLO))
        lab.cell(HELLO).locator("summary").first.click()
        lab.run(MEMORY)
        ended(lab.cell(MEMORY))
        lab.command("msgbook:open-context")
        expect(lab.page.locator(".msgbook-Context")).to_contain_text("tokens")
        lab.cell(HELLO).scroll_into_view_if_needed()
        lab.cell(0).evaluate("node => node.scrollIntoView()")
        take(lab, "conversation")
        lab.command("application:toggle-right-area")
        lab.command("msgbook:show-agents")
        lab.run(TEAM)
        answer(approve(lab.cell(TEAM)))
        lab.wait_for_kernel()
        states = lab.page.locator(".msgbook-AgentsPanel-agent")
        expect(states.filter(has_text="running")).to_have_count(0)
        lab.cell(TEAM - 1).evaluate("node => node.scrollIntoView()")
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
        with opened(browser, settings, 1000, 660) as lab:
            lab.load("stats.ipynb")
            lab.wait_for_kernel()
            lab.command("application:toggle-left-area")
            lab.run(0)
            expect(approve(lab.cell(0))).to_be_visible()
            expect(lab.page.locator(".msgbook-mod-deaf")).to_have_count(0)
            with lab.dark():
                take(lab, "approval")


def animation(browser: Browser) -> None:
    """Write a question, see it answered, let the model start two agents, see them run."""
    with opened(browser, {"MSGBOOK_MODEL": "demo"}, 960, 640) as lab:
        lab.load("chat.ipynb")
        lab.wait_for_kernel()
        lab.command("application:toggle-left-area")
        frames = Frames(lab)
        lab.type_in(0, "")
        for word in QUESTION.split():
            lab.page.keyboard.insert_text(f"{word} ")
            frames.take(120)
        lab.page.keyboard.press("Shift+Enter")
        frames.take_until(lab.cell(0).locator("[data-status=done]"))
        frames.take(2000)
        team = lab.cell(1)
        lab.type_in(1, TASKS)
        team.evaluate("node => node.scrollIntoView()")
        frames.take(1000)
        lab.page.keyboard.press("Control+Enter")
        frames.take_until(approve(team))
        expect(lab.page.locator(".msgbook-mod-deaf")).to_have_count(0)
        approve(team).hover()
        frames.take(1500)
        answer(approve(team))
        frames.take_until(team.get_by_text("My sub-agents have reported"))
        lab.wait_for_kernel()
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
        first, *others = self._pictures
        first.save(
            path,
            save_all=True,
            append_images=others,
            duration=self._durations,
            loop=0,
            quality=70,
            method=4,
        )


if __name__ == "__main__":
    main()
