"""Servers with JupyterLab or Notebook 7, each with something else around it, and tabs for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lab import Lab
from last_words import picture_of, pytest_runtest_makereport  # noqa: F401 - a hook
from playwright.sync_api import Browser, expect
from scripted_server import ScriptedServer

expect.set_options(timeout=300_000)


@pytest.fixture(scope="module")
def model_server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that is served."""
    return tmp_path_factory.mktemp("everywhere")


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("log") / "server.txt"


@pytest.fixture(scope="module")
def settings(model_server: ScriptedServer) -> dict[str, str]:
    """Environment of a server whose kernels ask the scripted model."""
    return {"OPENAI_BASE_URL": model_server.url, "MSGBOOK_MODEL": "scripted-model"}


@pytest.fixture
def new_tab(browser: Browser, model_server: ScriptedServer) -> Iterator[Callable[[str], Lab]]:
    """Opens a tab for a server, in a browser of its own."""
    model_server.reset()
    contexts = []

    def open_tab(url: str) -> Lab:
        contexts.append(browser.new_context(viewport={"width": 1100, "height": 800}))
        page = contexts[-1].new_page()
        page.set_default_timeout(300_000)
        return Lab(page, url)

    yield open_tab
    for context in contexts:
        context.close()


@pytest.fixture
def screenshots(request: pytest.FixtureRequest) -> Callable[[Lab, str], None]:
    """Keeps pictures of a tab under test-results/: light, dark and 700 px wide."""

    def take(lab: Lab, name: str) -> None:
        lab.page.screenshot(path=picture_of(request.node, name))
        with lab.dark():
            lab.page.screenshot(path=picture_of(request.node, f"{name}-dark"))
        with lab.width(700):
            lab.page.screenshot(path=picture_of(request.node, f"{name}-700"))

    return take
