"""A notebook of 1,000 turns on the page, against the same notebook with plain Markdown outputs.

Each is opened in a fresh page, by turns, until it has all its outputs. Then the last cell is
gone to, and words are typed in it. Goals: opened in 0.9 x the time of the plain one; the last cell on
the screen within 100 ms; 50 ms from a key to the paint behind it.

Usage: PYTHONPATH=tests/support python benchmarks/page_open.py [ROUNDS [TURNS]]
"""

from __future__ import annotations

import statistics
import sys
from dataclasses import dataclass
from pathlib import Path

import nbformat
from notebooks import chat
from paced_server import paced_server
from rows import row
from traced_page import Task, TracedLab, traced_lab

from msgbook_format.turn import TURN_MIME

TURNS = 1000
WARM, OURS, THEIRS = "warm.ipynb", "turns.ipynb", "plain.ipynb"
WORDS = "What about this one?"


@dataclass
class Opened:
    first: float
    """Milliseconds until the first answer was in the page."""
    ready: float
    """Milliseconds until all outputs were in the page."""
    work: Task
    """The tasks until then."""
    last_cell: float
    """Milliseconds from the command until the last cell was on the screen."""
    key: float
    """Milliseconds from a key in it to the next paint, the slowest."""
    nodes: int


def prepare(root: Path, many: int) -> None:
    """Write the notebook with turns, and with their Markdown alone."""
    for name, turns in ((WARM, 20), (OURS, many), (THEIRS, many)):
        notebook = chat(turns)
        for cell in notebook.cells if name == THEIRS else []:
            del cell.outputs[0].data[TURN_MIME]
        nbformat.write(notebook, root / name)


def opened(lab: TracedLab, path: str) -> Opened:
    """Open a notebook in a page that has opened another one, and use it."""
    lab.close_all()
    lab.load()
    lab.open(WARM)
    lab.wait_for(".jp-RenderedMarkdown p")
    lab.wait_for_kernel()
    lab.settle()
    lab.close_all()
    lab.settle()
    with lab.traced() as trace:
        first, ready = lab.page.evaluate(OPEN, path)
    lab.wait_for_kernel()
    lab.settle()
    last_cell = lab.page.evaluate(GO_TO_LAST)
    nodes = lab.live()[1]
    return Opened(first, ready, trace.busy, last_cell, slowest_key(lab), nodes)


def slowest_key(lab: TracedLab) -> float:
    """Type in the active cell; the longest time from a key to the paint behind it."""
    lab.page.locator(".jp-mod-active .cm-content").first.click()
    lab.settle()
    lab.page.evaluate(WATCH_KEYS)
    lab.page.keyboard.type(WORDS, delay=60)
    lab.settle()
    return float(lab.page.evaluate("() => Math.max(0, ...window.keyTimes)"))


OPEN = """async path => {
    const began = performance.now();
    const panel = await window.jupyterapp.commands.execute('docmanager:open', { path });
    await panel.context.ready;
    const frame = () => new Promise(requestAnimationFrame);
    while (panel.node.querySelector('.jp-RenderedMarkdown p') === null) await frame();
    const first = performance.now() - began;
    // JupyterLab adds the cells one after the other, in idle time.
    const count = () => panel.node.querySelectorAll('.jp-OutputArea-output').length;
    while (count() < panel.content.model.cells.length) {
        await new Promise(done => setTimeout(done, 25));
    }
    const ready = performance.now();
    return [first, ready - began];
}"""

GO_TO_LAST = """async () => {
    const notebook = window.jupyterapp.shell.currentWidget.content;
    const began = performance.now();
    const index = notebook.widgets.length - 1;
    notebook.activeCellIndex = index;
    void notebook.scrollToItem(index, 'smart');
    const frame = () => new Promise(requestAnimationFrame);
    const seen = () => {
        const cell = notebook.widgets[index].node.getBoundingClientRect();
        const view = notebook.node.getBoundingClientRect();
        return cell.height > 0 && cell.bottom > view.top && cell.top < view.bottom;
    };
    for (;;) {
        await frame();
        if (seen()) return performance.now() - began;
        if (performance.now() - began > 20_000) return Infinity;
    }
}"""

WATCH_KEYS = """() => {
    window.keyTimes = [];
    const note = list => {
        for (const { name, duration } of list.getEntries()) {
            if (name.startsWith('key')) window.keyTimes.push(duration);
        }
    };
    new PerformanceObserver(note).observe({ type: 'event', durationThreshold: 16 });
}"""


def told(name: str, found: Opened) -> None:
    print(
        f"  {name}: first answer {found.first:.0f} ms, ready {found.ready:.0f} ms, tasks "
        f"{found.work.wall:.0f} ms ({found.work.cpu:.0f} ms of the processor), last cell "
        f"{found.last_cell:.0f} ms, slowest key {found.key:.0f} ms, {found.nodes} nodes",
        flush=True,
    )


def main(rounds: int, turns: int) -> None:
    runs: list[tuple[Opened, Opened]] = []
    with (
        paced_server() as url,
        traced_lab({"OPENAI_BASE_URL": url, "MSGBOOK_MODEL": "m"}) as lab,
    ):
        lab.page.set_default_timeout(600_000)
        prepare(lab.root, turns)
        # Otherwise a chat draws only the turns in view (long_chat.py measures that).
        lab.set("windowing", value=False)
        for _ in range(rounds):
            pair = opened(lab, OURS), opened(lab, THEIRS)
            told("turns", pair[0])
            told("plain", pair[1])
            runs.append(pair)
    print(f"{turns} turns, medians of {rounds}:")
    summary(runs)


def summary(runs: list[tuple[Opened, Opened]]) -> None:
    def medians(value: str) -> tuple[float, float]:
        mine, theirs = (
            [getattr(found, value) for found in side] for side in zip(*runs, strict=True)
        )
        return statistics.median(mine), statistics.median(theirs)

    ready, plain = medians("ready")
    cpu, plain_cpu = (
        statistics.median(found.work.cpu for found in side) for side in zip(*runs, strict=True)
    )
    row("all outputs in the page", ready / plain, "x", 0.9)
    print(
        f"ready {ready:.0f} ms, plain {plain:.0f} ms: {ready / plain:.2f} x (goal: 0.9 x); "
        f"{cpu / plain_cpu:.2f} x the processor time"
    )
    for value, what, goal in (("last_cell", "last cell", 100), ("key", "slowest key", 50)):
        mine, theirs = medians(value)
        row(what, mine, "ms", goal)
        print(f"{what}: {mine:.0f} ms, plain {theirs:.0f} ms (goal: {goal} ms)")


if __name__ == "__main__":
    words = [int(word) for word in sys.argv[1:]]
    main(words[0] if words else 3, words[1] if words[1:] else TURNS)
