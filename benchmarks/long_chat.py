"""A chat of 1,000 turns on the page, against the same texts as plain Markdown outputs of a Python notebook.

The chat is a message file and builds only its cells in view; the plain notebook is as JupyterLab has it, which makes all
outputs. Each is opened in a fresh page until it has nothing more to do, typed in, run at its end twice, saved, and edited at its top.

Usage: PYTHONPATH=tests/support python benchmarks/long_chat.py [ROUNDS [TURNS]]
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import psutil
from notebooks import KERNEL, chat
from paced_server import paced_server
from page_open import WATCH_KEYS, WORDS
from rows import row
from traced_page import TracedLab, traced_lab

import msgbook_format
from msgbook.request.history import Reader, View, known_summaries
from msgbook_format.turn import TURN_MIME

TURNS = 1000
OURS, THEIRS = "turns.msg.md", "plain.ipynb"
ASKED = "20 100000"
"""What the scripted server is asked for: twenty tokens at once."""
CODE = 'from IPython.display import Markdown, display\ndisplay(Markdown("word " * 20))'


@dataclass
class Used:
    """What one notebook cost. Times in milliseconds, the processor's in the kernel, bytes in kilobytes."""

    opened: float
    key: float
    blocking: float
    longest: float
    first_paint: float
    second_paint: float
    sent: float
    kernel: float
    saved: float
    edited: float


def prepare(root: Path, turns: int, settings: dict[str, str]) -> None:
    """Write the chat, whose turns are not stale, and the plain notebook."""
    notebook = chat(turns)
    view = View("assistant", system_prompt(root, settings))
    used = Reader()
    for number, cell in enumerate(notebook.cells):
        prompt = used.prompt_message(cell.source, {}, view)
        above = notebook.cells[:number]
        asked = used.read(above, view, known_summaries(above)).with_prompt(prompt, number)
        turn = cell.outputs[0].data[TURN_MIME]
        turn["context"]["request_hash"] = used.request_hash(asked)
    end = {"cell_type": "code", "id": "last", "metadata": {}, "execution_count": None}
    for source in (ASKED, ASKED):
        end = {**end, "id": f"{end['id']}-x", "source": source, "outputs": []}
        notebook.cells.append(nbformat.from_dict(end))
    msgbook_format.write(notebook, root / OURS)
    for cell in notebook.cells:
        for output in cell.outputs:
            del output.data[TURN_MIME]
        if not cell.outputs:
            cell.source = CODE
    notebook.metadata = nbformat.from_dict({"kernelspec": KERNEL})
    nbformat.write(notebook, root / THEIRS)


def system_prompt(root: Path, settings: dict[str, str]) -> str:
    """Return the system message of a chat in a folder."""
    file = root / "asked.msg.md"
    file.write_text("# %% [^a]\n\n[^a]: [markdown]\n\nHello\n", "utf-8")
    command = [sys.executable, "-m", "msgbook", "preview", str(file), "--json"]
    printed = subprocess.run(
        command, env={**os.environ, **settings}, check=True, capture_output=True, text=True
    )
    file.unlink()
    content: str = json.loads(printed.stdout)["messages"][0]["content"]
    return content


def use(lab: TracedLab, path: str, turns: int) -> Used:
    """Open a notebook in a fresh page, and use it. A chat has an empty message behind the two that are run."""
    lab.close_all()
    lab.load()
    lab.settle()
    opened = float(lab.page.evaluate(OPEN, path))
    lab.wait_for_kernel()
    lab.settle()
    go_to(lab, turns)
    key = slowest_key(lab)
    runs = [run(lab, at, path) for at in (turns, turns + 1)]
    saved = statistics.median(save(lab) for _ in range(3))
    edited = edit(lab, path)
    first, second = runs
    return Used(
        opened,
        key,
        first["blocking"],
        max(found["longest"] for found in runs),
        first["paint"],
        second["paint"],
        sum(found["sent"] for found in runs),
        sum(found["kernel"] for found in runs),
        saved,
        edited,
    )


def go_to(lab: TracedLab, at: int) -> None:
    """Make a cell active, put the cursor in it, and wait until the page rests."""
    lab.page.evaluate(GO_TO, at)
    lab.settle()


def slowest_key(lab: TracedLab) -> float:
    """Type in the active cell, and take it back; the longest time from a key to the paint behind it."""
    lab.page.evaluate(WATCH_KEYS)
    lab.page.keyboard.type(WORDS, delay=60)
    lab.settle()
    slowest = float(lab.page.evaluate("() => Math.max(0, ...window.keyTimes)"))
    for _ in WORDS:
        lab.page.keyboard.press("Backspace")
    lab.settle()
    return slowest


def run(lab: TracedLab, at: int, path: str) -> dict[str, float]:
    """Run a cell with Shift+Enter: what blocks the page in 5 s, and when its output is painted."""
    go_to(lab, at)
    kernel = kernel_process(path)
    with counted(lab) as sent, lab.traced() as trace:
        before = kernel_time(kernel)
        lab.page.evaluate(WATCH_OUTPUT, at)
        lab.page.keyboard.press("Shift+Enter")
        paint = float(lab.page.evaluate("() => window.painted"))
        lab.page.wait_for_timeout(5000)
        used = kernel_time(kernel) - before
    return {
        "blocking": trace.blocking.wall,
        "longest": trace.longest.wall,
        "paint": paint,
        "sent": sum(sent) / 1000,
        "kernel": used * 1000,
    }


@contextmanager
def counted(lab: TracedLab) -> Iterator[list[int]]:
    """Count the bytes of each message that the page sends over its web sockets."""
    sent: list[int] = []

    def note(frame: dict[str, Any]) -> None:
        sent.append(len(frame["response"]["payloadData"]))

    lab.cdp.send("Network.enable")
    lab.cdp.on("Network.webSocketFrameSent", note)
    yield sent
    lab.cdp.remove_listener("Network.webSocketFrameSent", note)
    lab.cdp.send("Network.disable")


def kernel_process(path: str) -> psutil.Process:
    """Return the process of the kernel that started last for a notebook of this kind."""
    name = "msgbook.kernel" if path == OURS else "ipykernel_launcher"
    found = [
        process
        for process in psutil.Process().children(recursive=True)
        if name in process.cmdline()
    ]
    return max(found, key=lambda process: float(process.create_time()))


def kernel_time(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def save(lab: TracedLab) -> float:
    """Change the last cell and save: milliseconds until the server has answered."""
    with lab.page.expect_request_finished(
        lambda request: request.method == "PUT" and "/api/contents/" in request.url
    ) as saving:
        lab.page.evaluate(CHANGE_LAST_AND_SAVE)
    timing = saving.value.timing
    lab.settle()
    return float(timing["responseEnd"] - timing["requestStart"])


def edit(lab: TracedLab, path: str) -> float:
    """Edit the first cell: what the page does until the marks of the turns below stand."""
    if path == OURS and lab.page.locator(".msgbook-Stale").count():
        raise RuntimeError("turns are stale before anything was edited")
    with lab.traced() as trace:
        lab.page.evaluate(EDIT_FIRST)
        if path == OURS:
            lab.page.wait_for_function(HAS_MARKS, polling=100)
        else:
            lab.page.wait_for_timeout(3000)
        lab.settle()
    return trace.busy.wall


OPEN = """async path => {
    const began = performance.now();
    let last = began;
    const observer = new PerformanceObserver(list => {
        for (const { startTime, duration } of list.getEntries()) last = startTime + duration;
    });
    observer.observe({ type: 'longtask' });
    const panel = await window.jupyterapp.commands.execute('docmanager:open', { path });
    await panel.context.ready;
    const wait = time => new Promise(done => setTimeout(done, time));
    // JupyterLab builds all cells of its own notebooks, and of a chat those in view.
    const { content } = panel;
    const isBuilt = () => content.notebookConfig.windowingMode === 'full'
        ? content.activeCell !== null && !content.activeCell.isPlaceholder()
        : !content.widgets.some(cell => cell.isPlaceholder());
    while (!isBuilt()) await wait(25);
    last = performance.now();
    while (performance.now() - last < 1000) await wait(25);
    observer.disconnect();
    return last - began;
}"""

GO_TO = """async index => {
    const notebook = window.jupyterapp.shell.currentWidget.content;
    notebook.activeCellIndex = index;
    notebook.deselectAll();
    await notebook.scrollToItem(index, 'end');
    await notebook.widgets[index].ready;
    notebook.mode = 'edit';
    const { editor } = notebook.widgets[index];
    editor.focus();
    editor.setCursorPosition(editor.getPositionAt(editor.model.sharedModel.getSource().length));
}"""

WATCH_OUTPUT = """at => {
    const { widgets } = window.jupyterapp.shell.currentWidget.content;
    const { node } = widgets[at];
    window.painted = new Promise(resolve => {
        let began = 0;
        const key = () => { began = performance.now(); };
        window.addEventListener('keydown', key, { capture: true, once: true });
        const seen = () => [...node.querySelectorAll('.jp-OutputArea-output p')]
            .some(({ textContent }) => textContent.includes('word'));
        const look = () => {
            if (began > 0 && seen()) {
                // The frame with it has been painted when the next task begins.
                requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)));
            } else {
                requestAnimationFrame(look);
            }
        };
        look();
    });
}"""

CHANGE_LAST_AND_SAVE = """() => {
    const panel = window.jupyterapp.shell.currentWidget;
    const { cells } = panel.content.model;
    const { sharedModel } = cells.get(cells.length - 1);
    sharedModel.setSource(sharedModel.getSource() + ' ');
    void window.jupyterapp.commands.execute('docmanager:save');
}"""

EDIT_FIRST = """() => {
    const { sharedModel } = window.jupyterapp.shell.currentWidget.content.model.cells.get(0);
    sharedModel.setSource(sharedModel.getSource() + ' And more.');
}"""

HAS_MARKS = "() => document.querySelector('.msgbook-Stale') !== null"


def report(runs: list[tuple[Used, Used]]) -> None:
    """Add the rows, and print them with the numbers of both notebooks."""

    def add(what: str, key: str, unit: str, goal: float) -> None:
        ours, theirs = (
            statistics.median(getattr(used, key) for used in side)
            for side in zip(*runs, strict=True)
        )
        value = ours / max(theirs, 1) if unit == "x" else ours
        row(what, value, unit, goal)
        print(f"{what}: {value:.3g} {unit} (goal {goal:g}); {ours:.0f}, plain {theirs:.0f}")

    add("idle after opening", "opened", "x", 0.05)
    add("a key to its frame, the slowest", "key", "ms", 50)
    add("Shift+Enter: blocking", "blocking", "x", 0.08)
    add("Shift+Enter: longest task", "longest", "ms", 100)
    add("first paint of a turn", "first_paint", "x", 0.25)
    add("first paint of the second turn", "second_paint", "x", 0.25)
    add("two turns: sent by the page", "sent", "kB", 100)
    add("two turns: processor time of the kernel", "kernel", "ms", 40)
    add("save of the message file, answered", "saved", "x", 1.5)
    add("edit of the first cell: page busy until the marks stand", "edited", "x", 1.2)


def main(rounds: int, turns: int) -> None:
    """Measure both notebooks by turns."""
    runs: list[tuple[Used, Used]] = []
    with paced_server() as url:
        settings = {"OPENAI_BASE_URL": url, "MSGBOOK_MODEL": "m"}
        with traced_lab(settings) as lab:
            lab.page.set_default_timeout(600_000)
            prepare(lab.root, turns, settings)
            for _ in range(rounds):
                runs.append((use(lab, OURS, turns), use(lab, THEIRS, turns)))
                for name, found in zip((OURS, THEIRS), runs[-1], strict=True):
                    print(re.sub(r"(\d+\.\d)\d*", r"\1", f"  {name}: {found}"), flush=True)
                prepare(lab.root, turns, settings)
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"{turns} turns, medians of {rounds}{load}:")
    report(runs)


if __name__ == "__main__":
    words = [int(word) for word in sys.argv[1:]]
    main(words[0] if words else 1, words[1] if words[1:] else TURNS)
