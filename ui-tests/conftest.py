"""One JupyterLab for all browser tests, one tab for each file of them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lab import Lab, running_lab
from last_words import picture_of, pytest_runtest_makereport  # noqa: F401 - a hook
from page_guard import PageGuard
from playwright.sync_api import Browser, expect
from scripted_server import ScriptedServer

from msgbook.approval.store import data_file
from msgbook.kernel.page.kept_turns import turns_folder

expect.set_options(timeout=300_000)

CONFIG = """
[providers.responses]
base_url = "{url}"
api = "responses"

[agents.thinker]
provider = "responses"
models = ["scripted-model"]
"""
"""Settings of all kernels; the agent `thinker` is asked over the Responses API."""


@pytest.fixture(scope="session")
def model_server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


@pytest.fixture(scope="session")
def lab_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lab")


@pytest.fixture(scope="session")
def config_file(model_server: ScriptedServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The settings of the kernels that start from now on."""
    path = tmp_path_factory.mktemp("config") / "msgbook.toml"
    path.write_text(CONFIG.format(url=model_server.url))
    return path


@pytest.fixture(scope="session")
def lab_url(
    lab_root: Path,
    model_server: ScriptedServer,
    config_file: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[str]:
    settings = {"OPENAI_BASE_URL": model_server.url, "MSGBOOK_MODEL": "scripted-model"}
    settings["MSGBOOK_CONFIG"] = str(config_file)
    log = tmp_path_factory.mktemp("log") / "jupyterlab.txt"
    with running_lab(lab_root, log, settings) as url:
        yield url


@pytest.fixture(scope="module")
def tab(browser: Browser, lab_url: str) -> Iterator[Lab]:
    """One tab for the tests of a file: loading JupyterLab takes longer than most of them."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(300_000)
    loaded = Lab(page, lab_url)
    loaded.load()
    yield loaded
    context.close()


@pytest.fixture
def lab(tab: Lab, model_server: ScriptedServer) -> Lab:
    """The tab with nothing open but the launcher; what was asked and allowed before is forgotten."""
    tab.close_all()
    for name in ("rules.json", "rule_uses.json", "trust.json"):
        data_file(name).unlink(missing_ok=True)
    # A notebook of the same name would be given the answers that an earlier test did not save.
    shutil.rmtree(turns_folder() / "turns", ignore_errors=True)
    # After that, no kernel of an earlier test takes an answer of this one.
    model_server.reset()
    tab.requests.clear()
    return tab


@pytest.fixture
def screenshot(lab: Lab, request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Keeps a picture of the tab under test-results/."""

    def take(name: str) -> None:
        lab.page.screenshot(path=picture_of(request.node, name))

    return take


@pytest.fixture
def guard(lab: Lab) -> Iterator[PageGuard]:
    """Watches the tab while it is attacked."""
    watching = PageGuard(lab)
    yield watching
    watching.end()
    lab.close_all()
