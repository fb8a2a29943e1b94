"""A real JupyterLab, and a hand to use it with."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar
from weakref import WeakSet

from playwright.sync_api import Locator, Page, Request, expect
from processes import free_port, stop_jupyter


def until(found: Callable[[], bool]) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + 300
    while not found():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@contextmanager
def running_lab(
    root: Path,
    log: Path,
    settings: dict[str, str],
    *options: str,
    program: Sequence[str] = ("jupyter", "lab"),
    base: str = "",
    token: str = "",
) -> Iterator[str]:
    """Run JupyterLab on a folder, on a free port of 127.0.0.1, and give its URL.

    Args:
        log: File that takes what the server prints.
        settings: Environment variables beside the test's own.
        options: Further arguments.
        program: The module that is run, and its first argument.
        base: Path of the URL, which begins with a slash.
    """
    port = free_port()
    url = f"http://127.0.0.1:{port}{base}"
    app = "JupyterNotebookApp" if program == ("notebook",) else "LabApp"
    command = [
        sys.executable,
        "-m",
        *program,
        "--no-browser",
        "--allow-root",
        f"--ServerApp.port={port}",
        "--ServerApp.ip=127.0.0.1",
        f"--IdentityProvider.token={token}",
        "--ServerApp.password=",
        f"--ServerApp.root_dir={root}",
        f"--{app}.expose_app_in_browser=True",
        f"--{app}.user_settings_dir={settings_without_news(log.parent)}",
        f"--ServerApp.base_url={base}/",
        *options,
    ]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, env={**os.environ, **settings}
        )
        try:
            _wait_until_up(url, process, log)
            yield url
        finally:
            stop_jupyter(process)


def settings_without_news(folder: Path) -> Path:
    """JupyterLab's settings with no to its question about news, which would cover the page."""
    file = folder / "settings" / "@jupyterlab" / "apputils-extension" / "notification"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.with_suffix(".jupyterlab-settings").write_text('{"fetchNews": "false"}')
    return folder / "settings"


def _wait_until_up(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/api", timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text()}")


class Lab:
    """What a person does in one JupyterLab tab."""

    all: ClassVar[WeakSet[Lab]] = WeakSet()

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self._url = url
        self.requests: list[str] = []
        """URLs of all requests that left for anywhere but the server."""
        self.console: list[str] = []
        """Errors of the browser's console."""
        self._saves: set[Request] = set()
        self.all.add(self)
        # jupyter-collaboration asks this on a slow machine, and its dialog stays when the document is there.
        page.add_locator_handler(
            page.get_by_role("button", name="Continue waiting"), lambda button: button.click()
        )
        page.on("request", self._note)
        for end in ("requestfinished", "requestfailed"):
            page.on(end, lambda request: self._saves.discard(request))
        page.on("console", lambda m: self.console.append(m.text) if m.type == "error" else None)

    def load(self, path: str = "") -> None:
        """Load the page anew, on a file or on the launcher, and wait until it can be used."""
        # `reset` forgets the tabs that were open, which the server keeps.
        self.load_at(f"/lab/tree/{path}?reset" if path else "/lab?reset")

    def load_at(self, path: str) -> None:
        """Load an address of the server anew, and wait until its page can be used."""
        self.page.goto(f"{self._url}{path}", timeout=300_000)
        # Before it is shown, the splash is not there either.
        self.page.wait_for_function("() => window.jupyterapp", timeout=300_000)
        self.page.wait_for_selector("#jupyterlab-splash", state="detached", timeout=300_000)
        self.page.evaluate("() => window.jupyterapp.restored.then(() => null)")

    def open(self, path: str) -> None:
        """Open a file in a tab of its own."""
        self.command("docmanager:open", path=path)

    def double_click(self, name: str) -> None:
        """Open a file of the file browser's folder, also one that was just written."""
        self.command("filebrowser:refresh")
        self.page.locator(".jp-DirListing-item", has_text=name).dblclick()

    def is_changed(self) -> bool:
        """Return whether the notebook in front has changes to save, once its kernel has said what it is."""
        changed = self.page.evaluate(
            """async () => {
                const { context } = window.jupyterapp.shell.currentWidget;
                await context.sessionContext.session.kernel.info;
                return context.model.dirty;
            }"""
        )
        return bool(changed)

    def close_all(self) -> None:
        """Close all documents without a question, saved or not, and their kernels with them."""
        self.page.evaluate(
            """async () => {
                const { shell, serviceManager } = window.jupyterapp;
                for (const widget of [...shell.widgets('main')]) {
                    widget.dispose();
                }
                await serviceManager.sessions.shutdownAll();
            }"""
        )
        # A question about a document that is closed would cover the page of the next test.
        for _ in range(self.page.locator(".jp-Dialog").count()):
            self.page.keyboard.press("Escape")
        # A save that is under way would write over the file of the same name of the next test.
        while self._saves:
            self.page.wait_for_timeout(50)
        self.command("launcher:create")
        self.command("filebrowser:go-to-path", path="/", dontShowBrowser=True)

    def wait_for_kernel(self) -> None:
        """Wait until the notebook in front has an idle kernel; a cell run earlier is dropped."""
        self.page.wait_for_function(
            "() => window.jupyterapp?.shell.currentWidget?.sessionContext"
            "?.session?.kernel?.status === 'idle'",
            timeout=300_000,
        )

    @property
    def notebook(self) -> Locator:
        """The notebook in front."""
        return self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")

    def cell(self, index: int) -> Locator:
        """A cell of the notebook in front, by its place; out of view it may not be in the page."""
        place = f"[data-windowed-list-index='{index}']"
        return self.notebook.locator(f".jp-Notebook-cell{place}")

    def reveal(self, index: int, align: str = "smart") -> None:
        """Scroll the notebook in front, or beside the file in front, to a cell.

        As a person does, until it is in view: JupyterLab scrolls by the heights that it expects, and on a
        slow machine may give up before it has measured the cells on the way.
        """
        self.page.wait_for_function(
            """index => [...window.jupyterapp.shell.widgets('main')].some(
                ({ isVisible, content }) => isVisible && content?.widgets?.length > index
            )""",
            arg=index,
        )
        self.page.evaluate(
            """async ([index, align]) => {
                const { shell } = window.jupyterapp;
                const { content: notebook } = [shell.currentWidget, ...shell.widgets('main')]
                    .find(({ isVisible, content }) => isVisible && content?.scrollToItem);
                const { node, ready } = notebook.widgets[index];
                const isSeen = () => {
                    const view = notebook.outerNode.getBoundingClientRect();
                    const { top, bottom } = node.getBoundingClientRect();
                    return node.isConnected && bottom > view.top && top < view.bottom;
                };
                do {
                    await notebook.scrollToItem(index, align);
                    await ready;
                    await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)));
                } while (!isSeen());
            }""",
            [index, align],
        )

    def type_in(self, index: int, text: str) -> None:
        """Replace a cell's text."""
        self.reveal(index)
        self.cell(index).locator(".cm-content").first.click()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(text)

    def run(self, index: int) -> None:
        """Run a cell with Shift+Enter."""
        self.reveal(index)
        self.cell(index).locator(".cm-content").first.click()
        self.page.keyboard.press("Shift+Enter")

    def command(self, name: str, **arguments: Any) -> Any:
        """Run a command of JupyterLab and return what it gives."""
        return self.page.evaluate(
            "([name, args]) => window.jupyterapp.commands.execute(name, args).then(() => null)",
            [name, arguments],
        )

    @contextmanager
    def dark(self) -> Iterator[None]:
        """Use the dark theme while the context is open."""
        for theme in ("Dark", "Light"):
            self.command("apputils:change-theme", theme=f"JupyterLab {theme}")
            body = self.page.locator("body")
            expect(body).to_have_attribute("data-jp-theme-name", f"JupyterLab {theme}")
            expect(self.page.locator("#jupyterlab-splash")).to_have_count(0)
            if theme == "Dark":
                yield

    @contextmanager
    def width(self, pixels: int) -> Iterator[None]:
        """Make the page as wide as that while the context is open."""
        before = self.page.viewport_size
        assert before is not None
        self.page.set_viewport_size({"width": pixels, "height": before["height"]})
        try:
            yield
        finally:
            self.page.set_viewport_size(before)

    def set(
        self,
        key: str,
        value: bool | str | float,
        plugin: str = "@msgbook/labextension:settings",
    ) -> None:
        """Change a setting, by default of chats, as the settings editor does."""
        self.page.evaluate(
            """async ([plugin, key, value]) => {
                const { _services } = window.jupyterapp.pluginRegistry;
                const tokens = [...(_services?.keys() ?? [])];
                const token = tokens.find(({ name }) => name.endsWith(':ISettingRegistry'));
                const registry = await window.jupyterapp.resolveRequiredService(token);
                await registry.set(plugin, key, value);
            }""",
            [plugin, key, value],
        )

    def save(self) -> None:
        self.command("docmanager:save")

    def cells(self) -> list[dict[str, Any]]:
        """The cells of the notebook in front, as JSON."""
        found: list[dict[str, Any]] = self.page.evaluate(
            "() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells"
        )
        return found

    def _note(self, request: Request) -> None:
        url = request.url
        if request.method == "PUT" and "/api/contents/" in url:
            self._saves.add(request)
        if not url.startswith((self._url, "data:", "blob:", self._url.replace("http", "ws"))):
            self.requests.append(url)
