"""One JupyterLab for all browser tests, one tab for each file of them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lab import Lab, running_lab
from playwright.sync_api import Browser, expect
from scripted_server import ScriptedServer

expect.set_options(timeout=30_000)

SCREENSHOTS = Path(os.environ.get("MSGBOOK_SCREENSHOTS", "test-results"))


@pytest.fixture(scope="session")
def model_server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


@pytest.fixture(scope="session")
def lab_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lab")


@pytest.fixture(scope="session")
def lab_url(
    lab_root: Path, model_server: ScriptedServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    settings = {"OPENAI_BASE_URL": model_server.url, "MSGBOOK_MODEL": "scripted-model"}
    log = tmp_path_factory.mktemp("log") / "jupyterlab.txt"
    with running_lab(lab_root, log, settings) as url:
        yield url


@pytest.fixture(scope="module")
def tab(browser: Browser, lab_url: str) -> Iterator[Lab]:
    """One tab for the tests of a file: loading JupyterLab takes longer than most of them."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(30_000)
    loaded = Lab(page, lab_url)
    loaded.load()
    yield loaded
    context.close()


@pytest.fixture
def lab(tab: Lab, model_server: ScriptedServer) -> Lab:
    """The tab with nothing open but the launcher; the server has forgotten what it was asked."""
    model_server.reset()
    tab.close_all()
    tab.requests.clear()
    return tab


@pytest.fixture
def screenshot(lab: Lab, request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Keeps a picture of the tab under test-results/."""

    def take(name: str) -> None:
        SCREENSHOTS.mkdir(exist_ok=True)
        test = re.sub(r"\W+", "-", request.node.name)
        lab.page.screenshot(path=SCREENSHOTS / f"{test}-{name}.png")

    return take
