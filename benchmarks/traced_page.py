"""A JupyterLab in a headless Chromium, and what Chromium's own trace says of it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chromium import CHROMIUM_FLAGS, find_chromium
from lab import Lab, running_lab
from playwright.sync_api import Browser, CDPSession, sync_playwright

LONG = 50.0
"""Milliseconds after which a task counts as blocking, as browsers have it."""

CATEGORIES = ["__metadata", "toplevel"]

Json = dict[str, Any]


@dataclass
class Task:
    """One task of the main thread, in milliseconds."""

    wall: float
    cpu: float
    """Without the time in which the machine ran something else."""


@dataclass
class Trace:
    """The main thread's tasks while something was done."""

    tasks: list[Task] = field(default_factory=list)

    @property
    def blocking(self) -> Task:
        """The time of each task beyond 50 ms, summed up."""
        return Task(*(sum(max(0.0, time - LONG) for time in times) for times in self._times()))

    @property
    def longest(self) -> Task:
        return Task(*(max(times, default=0.0) for times in self._times()))

    @property
    def busy(self) -> Task:
        return Task(*(sum(times) for times in self._times()))

    def _times(self) -> tuple[list[float], list[float]]:
        return [task.wall for task in self.tasks], [task.cpu for task in self.tasks]


class TracedLab(Lab):
    """A tab of JupyterLab that can be traced."""

    def __init__(self, browser: Browser, url: str, root: Path) -> None:
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        super().__init__(context.new_page(), url)
        self.page.set_default_timeout(120_000)
        self.root = root
        self._browser = browser
        self.cdp: CDPSession = context.new_cdp_session(self.page)

    @contextmanager
    def traced(self) -> Iterator[Trace]:
        """Trace what is done; the figures are there when the context has ended."""
        trace = Trace()
        self._browser.start_tracing(page=self.page, categories=CATEGORIES)
        yield trace
        trace.tasks = main_tasks(json.loads(self._browser.stop_tracing())["traceEvents"])

    def wait_for(self, selector: str) -> None:
        """Wait for an element; Playwright's `expect` would draw up a picture of the page again and again."""
        self.page.wait_for_function(
            "selector => document.querySelector(selector) !== null", arg=selector, polling=100
        )

    def settle(self) -> None:
        """Wait until the page has had nothing to do for half a second, or for ten seconds on a busy machine."""
        self.page.evaluate(SETTLE)

    def nodes(self, selector: str) -> int:
        """Return the number of DOM nodes below the first match, texts included."""
        return int(self.page.evaluate(COUNT_NODES, selector))

    def live(self) -> tuple[float, int]:
        """Return megabytes of the heap and number of DOM nodes after garbage collection, detached ones included."""
        for _ in range(3):
            self.cdp.send("HeapProfiler.collectGarbage")
        heap = self.cdp.send("Runtime.getHeapUsage")["usedSize"] / 1e6
        return heap, self.cdp.send("Memory.getDOMCounters")["nodes"]


SETTLE = """async () => {
    for (let quiet = 0, tries = 0; quiet < 20 && tries < 400; tries += 1) {
        const before = performance.now();
        await new Promise(done => setTimeout(done, 25));
        quiet = performance.now() - before < 40 ? quiet + 1 : 0;
    }
}"""

COUNT_NODES = """selector => {
    const walker = document.createTreeWalker(document.querySelector(selector), NodeFilter.SHOW_ALL);
    let count = 1;
    while (walker.nextNode()) count += 1;
    return count;
}"""


def main_tasks(events: list[Json]) -> list[Task]:
    """Return the tasks of the page's main thread."""
    by_thread: dict[tuple[int, int], list[Task]] = {
        (event["pid"], event["tid"]): []
        for event in events
        if event["name"] == "thread_name" and event["args"].get("name") == "CrRendererMain"
    }
    for event in events:
        found = by_thread.get((event["pid"], event["tid"]))
        if found is not None and event["name"] == "ThreadControllerImpl::RunTask":
            found.append(Task(event.get("dur", 0) / 1000, event.get("tdur", 0) / 1000))
    # Chromium may keep a spare process for the next page.
    return max(by_thread.values(), key=lambda tasks: sum(task.wall for task in tasks))


@contextmanager
def traced_lab(settings: dict[str, str]) -> Iterator[TracedLab]:
    """A JupyterLab on an empty folder, loaded in a tab."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        root = Path(folder) / "root"
        root.mkdir()
        with running_lab(root, Path(folder) / "jupyterlab.txt", settings) as url:
            browser = playwright.chromium.launch(
                executable_path=find_chromium(playwright), args=CHROMIUM_FLAGS
            )
            lab = TracedLab(browser, url, root)
            lab.load()
            yield lab
            browser.close()
