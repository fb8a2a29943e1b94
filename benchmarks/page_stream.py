"""An answer of 20,000 tokens in 20 s on the page, against its text rendered once by JupyterLab.

The text is Markdown of headings, lists, bold and code. The baseline is a cell of Python that shows it
as `text/markdown`, in the same browser, by turns. Tasks are those of Chromium's own trace, by the clock
and by the processor time of the page's thread, which other work on the machine stretches less. Goals: total
blocking time at most 2 x the baseline's, no task over 100 ms, DOM nodes within 1.2 x, and neither heap
nor DOM nodes grow with each time that the notebook is opened and closed.

Usage: PYTHONPATH=tests/support python benchmarks/page_stream.py [ROUNDS]
"""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path

from chats import write_notebook
from markdown_answer import markdown_answer
from paced_server import paced_server
from rows import row
from traced_page import Task, Trace, TracedLab, traced_lab

TOKENS, RATE = 20_000, 1000
CYCLES = 5
"""How often the notebook is opened and closed."""
OURS, THEIRS, WARM = "streamed.ipynb", "whole.ipynb", "another.ipynb"
SHOW = """%%python
import pathlib
from IPython.display import Markdown
display(Markdown(pathlib.Path({file!r}).read_text()))
"""


def prepare(root: Path) -> None:
    """Write the answer, one notebook that asks for it, and two that show it or the start of another."""
    (root / "answer.md").write_text(markdown_answer(TOKENS))
    (root / "another.md").write_text(markdown_answer(600).replace("count", "another"))
    write_notebook(root / OURS, f"{TOKENS} {RATE} markdown")
    write_notebook(root / THEIRS, SHOW.format(file="answer.md"))
    write_notebook(root / WARM, SHOW.format(file="another.md"))


def streamed(lab: TracedLab) -> tuple[Trace, int]:
    """What the page does while the answer comes, and the nodes of it."""
    lab.open(OURS)
    lab.wait_for_kernel()
    with lab.traced() as trace:
        lab.run(0)
        lab.wait_for(".msgbook-Header[data-status=done]")
        lab.settle()
    return trace, lab.nodes(".msgbook-Text")


def whole(lab: TracedLab) -> tuple[Trace, int]:
    """The same of JupyterLab's Markdown, rendered once."""
    lab.open(THEIRS)
    lab.wait_for_kernel()
    with lab.traced() as trace:
        lab.run(0)
        lab.wait_for(".jp-RenderedMarkdown h2")
        lab.settle()
    return trace, lab.nodes(".jp-RenderedMarkdown")


def open_and_close(lab: TracedLab, path: str) -> list[tuple[float, int]]:
    """Heap and nodes each time after the notebook with the answer was closed."""
    found = []
    for _ in range(CYCLES):
        lab.open(path)
        lab.wait_for(".jp-RenderedMarkdown h2")
        lab.settle()
        lab.close_all()
        lab.settle()
        found.append(lab.live())
    return found


def told(name: str, trace: Trace, nodes: int) -> None:
    print(
        f"  {name}: blocking {both(trace.blocking)}, longest task {both(trace.longest)}, "
        f"busy {both(trace.busy)}, {nodes} nodes",
        flush=True,
    )


def both(task: Task) -> str:
    return f"{task.wall:.0f} ms ({task.cpu:.0f} ms of the processor)"


def main(rounds: int) -> None:
    with (
        paced_server() as url,
        traced_lab({"OPENAI_BASE_URL": url, "MSGBOOK_MODEL": "m"}) as lab,
    ):
        prepare(lab.root)
        runs = []
        for _ in range(rounds):
            ours, our_nodes = afresh(lab, streamed)
            told("streamed", ours, our_nodes)
            theirs, their_nodes = afresh(lab, whole)
            told("rendered once", theirs, their_nodes)
            runs.append((ours, theirs, our_nodes / their_nodes))
        summary(runs)
        for path in (OURS, THEIRS):
            cycles = open_and_close(lab, path)
            told_cycles = ", ".join(f"{heap:.1f} MB and {nodes} nodes" for heap, nodes in cycles)
            print(f"{path} opened and closed {len(cycles)} times: {told_cycles}")


def afresh(lab: TracedLab, measured: Callable[[TracedLab], tuple[Trace, int]]) -> tuple[Trace, int]:
    """Measure in a page that has rendered another Markdown, and so has loaded what it loads late."""
    lab.close_all()
    lab.load()
    lab.open(WARM)
    lab.wait_for_kernel()
    lab.run(0)
    lab.wait_for(".jp-RenderedMarkdown h2")
    lab.settle()
    lab.close_all()
    found = measured(lab)
    lab.save()
    return found


def summary(runs: list[tuple[Trace, Trace, float]]) -> None:
    nodes = statistics.median(ratio for _, _, ratio in runs)
    for what in ("wall", "cpu"):
        of = attrgetter(what)
        # Summed: a median of the baseline is often 0.
        mine = sum(of(ours.blocking) for ours, _, _ in runs)
        theirs = sum(of(theirs.blocking) for _, theirs, _ in runs)
        multiple = mine / theirs if theirs else math.inf if mine else 0
        longest = statistics.median(of(ours.longest) for ours, _, _ in runs)
        row(f"{what}: blocking in {len(runs)} rounds", multiple, "x", 2)
        row(f"{what}: blocking a round", mine / len(runs), "ms")
        row(f"{what}: longest task", longest, "ms", 100)
        print(
            f"{TOKENS} tokens in {TOKENS // RATE} s, {what}: blocking {mine:.0f} ms in {len(runs)} rounds, "
            f"rendered once {theirs:.0f} ms: {multiple:.2f} x (goal: 2 x); "
            f"longest task {longest:.0f} ms (goal: 100 ms)"
        )
    row("nodes", nodes, "x", 1.2)
    print(f"{nodes:.2f} x the nodes (goal: 1.2 x)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
