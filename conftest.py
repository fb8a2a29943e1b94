"""What the tests share: a clean environment, the scripted server, real kernels, a real browser."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from apis import asking_over
from chromium import CHROMIUM_FLAGS, find_chromium
from fences import fences  # noqa: F401 - a fixture
from forked import ForkServer
from hypothesis import HealthCheck, settings
from kernel_client import KernelClient
from nbclient import NotebookClient
from playwright.sync_api import Browser, sync_playwright
from scripted_server import ScriptedServer

from msgbook.network.variables import VARIABLES

# How fast examples are made depends on the machine and says nothing about the code.
settings.register_profile(
    "random", suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=200
)
# A change is judged by the same examples each time; `make fuzz` looks for new ones.
settings.register_profile("many", settings.get_profile("random"), derandomize=True)
# `make test` looks at some of those of `make test-laws`.
settings.register_profile("few", settings.get_profile("many"), max_examples=10)
settings.load_profile("few")


TIERS = {"tests/integration": "integration", "tests/compat": "compat", "ui-tests": "ui"}
"""The mark that all tests of a folder have. What has none runs in process."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark each test with the tier of its folder, and begin with what takes longest.

    A file that begins late ends late, while the other workers have nothing left to do.
    """
    for item in items:
        path = item.path.relative_to(config.rootpath).as_posix()
        for folder, tier in TIERS.items():
            if path.startswith(f"{folder}/"):
                item.add_marker(tier)
                if os.environ.get("CI"):
                    # Decision 260: these wait for processes and browsers of a machine that others use, too.
                    item.add_marker(pytest.mark.flaky(reruns=1))
    order = ("ui", "compat", "integration")
    items.sort(key=lambda item: [tier not in item.keywords for tier in order])


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Write out lone surrogates in a report: a worker that cannot send its report ends, and all tests with it."""
    report = yield
    if report.longrepr is not None and _sendable(report.longreprtext) != report.longreprtext:
        report.longrepr = _sendable(report.longreprtext)
    report.sections = [(name, _sendable(content)) for name, content in report.sections]
    return report


def _sendable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> None:
    """Let what tests start be interrupted, also if a shell began the tests with `&`, which ignores Ctrl+C."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def clean_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No setting, no configuration and no history of the person who runs the tests."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in [*os.environ]:
            if name.startswith("MSGBOOK_") or name in VARIABLES or name.upper() in VARIABLES:
                patch.delenv(name)
        patch.setenv("IPYTHONDIR", str(home / "ipython"))
        for kind in ("CONFIG", "DATA", "RUNTIME"):
            patch.setenv(f"JUPYTER_{kind}_DIR", str(home / kind.lower()))
        yield


@pytest.fixture(scope="session")
def fork_server() -> Iterator[ForkServer]:
    """Runs programs that use Jupytext, nbconvert or the command without their imports' seconds."""
    imports = (
        "import jupytext.cli, nbconvert.nbconvertapp, nbformat, msgbook.__main__\n"
        "nbformat.validate(nbformat.v4.new_notebook())"
    )
    with ForkServer(imports) as running:
        yield running


@pytest.fixture(scope="session")
def fork_before_jupytext() -> Iterator[ForkServer]:
    """Runs programs that are the first to import Jupytext and msgbook."""
    imports = "import nbformat, yaml\nnbformat.validate(nbformat.v4.new_notebook())"
    with ForkServer(imports, MSGBOOK_NO_AUTOLOAD="1") as running:
        yield running


@pytest.fixture(scope="module", autouse=True)
def api(request: pytest.FixtureRequest) -> Iterator[str]:
    """The API over which servers are asked: chat, or each of the three where a test is marked `over_all_apis`."""
    name: str = getattr(request, "param", "chat")
    with asking_over(name):
        yield name


@pytest.fixture
def no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing is configured, whichever API the other tests of the module use."""
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "no-settings"))


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """A scripted server; give it `answers` before it is asked."""
    with ScriptedServer() as running:
        yield running


@pytest.fixture(scope="module")
def module_server() -> Iterator[ScriptedServer]:
    """One server for the tests of a file that need no settings of their own."""
    with ScriptedServer() as running:
        yield running


@pytest.fixture(scope="module")
def module_kernel(
    api: str, module_server: ScriptedServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[KernelClient]:
    """One kernel for the tests of a file that need no settings of their own."""
    settings = {"OPENAI_BASE_URL": module_server.url, "MSGBOOK_MODEL": "m"}
    with KernelClient(settings, str(tmp_path_factory.mktemp("notebook"))) as client:
        yield client


@pytest.fixture
def kernel(module_kernel: KernelClient, module_server: ScriptedServer) -> KernelClient:
    """A kernel that remembers nothing; starting one takes longer than most tests."""
    module_server.reset()
    module_kernel.forget()
    return module_kernel


RunNotebook = Callable[..., list[Any]]


@pytest.fixture
def run_notebook(tmp_path: Path) -> RunNotebook:
    """Runs sources as the cells of a notebook on a real msgbook kernel, as `jupyter execute` does."""

    def run(*sources: str, env: dict[str, str] | None = None) -> list[Any]:
        cells = [nbformat.v4.new_code_cell(source) for source in sources]
        notebook = nbformat.v4.new_notebook(cells=cells)
        client = NotebookClient(
            notebook,
            kernel_name="msgbook",
            timeout=300,
            allow_errors=True,
            resources={"metadata": {"path": str(tmp_path)}},
        )
        client.execute(env={**os.environ, **(env or {})})
        nbformat.validate(notebook)
        cells_run: list[Any] = notebook.cells
        return cells_run

    return run


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless Chromium: Playwright's own, or the system's.

    Of the module, since Playwright's event loop occupies the thread as long as it runs.
    """
    with sync_playwright() as playwright:
        found = find_chromium(playwright)
        if found is None:
            reason = "no Chromium: install Debian's, or run `playwright install chromium`"
            if os.environ.get("CI"):
                pytest.fail(reason)
            pytest.skip(reason)
        running = playwright.chromium.launch(executable_path=found, args=CHROMIUM_FLAGS)
        yield running
        running.close()
