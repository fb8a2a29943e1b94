"""Pictures of the documentation: the sample conversation in a real JupyterLab.

Usage: make screenshots; writes docs/images/*.png.
"""

from __future__ import annotations

import shutil
import tempfile
from importlib import resources
from pathlib import Path

from chromium import CHROMIUM_FLAGS, find_chromium
from lab import Lab, running_lab
from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder, log = Path(name) / "chats", Path(name) / "log.txt"
        folder.mkdir()
        sample = resources.files("msgbook").joinpath("tour.msg.md")
        with resources.as_file(sample) as path:
            shutil.copy(path, folder / "demo.msg.md")
        browser = playwright.chromium.launch(
            executable_path=find_chromium(playwright), args=CHROMIUM_FLAGS
        )
        with running_lab(folder, log, {"MSGBOOK_MODEL": "demo"}) as url:
            page = browser.new_page(viewport={"width": 1180, "height": 1020})
            conversation(Lab(page, url))
        browser.close()


def conversation(lab: Lab) -> None:
    """Run the sample and take its picture, with the reasoning open."""
    lab.load("demo.msg.md")
    lab.wait_for_kernel()
    lab.command("notebook:run-all-cells")
    expect(lab.cell(2).get_by_text("the notebook is all my memory", exact=False)).to_be_visible(
        timeout=60_000
    )
    lab.cell(1).locator("summary").first.click()
    lab.page.mouse.move(0, 0)
    lab.page.screenshot(path=IMAGES / "conversation.png")


if __name__ == "__main__":
    main()
