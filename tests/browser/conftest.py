"""One JupyterLab for all browser tests, one tab for each file of them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from lab import Lab, running_lab
from playwright.sync_api import Browser, Error, expect
from scripted_server import ScriptedServer

from msgbook.approval.store import data_file

expect.set_options(timeout=30_000)

SCREENSHOTS = Path(os.environ.get("MSGBOOK_SCREENSHOTS", "test-results"))

CONFIG = """
[providers.responses]
base_url = "{url}"
api = "responses"

[agents.thinker]
provider = "responses"
models = ["scripted-model"]
"""
"""Settings of all kernels; the agent `thinker` is asked over the Responses API."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Function, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Of a test that fails: what each tab shows and holds."""
    report = yield
    if report.when == "call" and report.failed:
        tabs = {value: name for name, value in item.funcargs.items() if isinstance(value, Lab)}
        for tab, name in tabs.items():
            picture = _picture(item, f"failed-{name}")
            report.sections.append((f"{name}: {picture}", _last_words(tab, picture)))
    return report


def _last_words(lab: Lab, picture: Path) -> str:
    try:
        lab.page.screenshot(path=picture)
        return "\n".join([json.dumps(lab.cells(), indent=1), *lab.console])
    except Error as error:
        return "\n".join([str(error), *lab.console])


def _picture(test: pytest.Item, name: str) -> Path:
    SCREENSHOTS.mkdir(exist_ok=True)
    name_of_test = re.sub(r"\W+", "-", test.name)
    return SCREENSHOTS / f"{name_of_test}-{name}.png"


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
    folder = tmp_path_factory.mktemp("log")
    config = folder / "msgbook.toml"
    config.write_text(CONFIG.format(url=model_server.url))
    settings = {"OPENAI_BASE_URL": model_server.url, "MSGBOOK_MODEL": "scripted-model"}
    settings["MSGBOOK_CONFIG"] = str(config)
    log = folder / "jupyterlab.txt"
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
    """The tab with nothing open but the launcher; what was asked and allowed before is forgotten."""
    tab.close_all()
    for name in ("rules.json", "rule_uses.json", "trust.json"):
        data_file(name).unlink(missing_ok=True)
    # After that, no kernel of an earlier test takes an answer of this one.
    model_server.reset()
    tab.requests.clear()
    return tab


@pytest.fixture
def screenshot(lab: Lab, request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Keeps a picture of the tab under test-results/."""

    def take(name: str) -> None:
        lab.page.screenshot(path=_picture(request.node, name))

    return take
