"""The request follows the notebook on the screen, saved or not, and only changes are sent for it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
from chats import SPEC, turn_of
from lab import Lab
from playwright.sync_api import WebSocket, expect
from scripted_server import ScriptedServer, text

MODEL = "window.jupyterapp.shell.currentWidget.content.model"
"""The notebook in front, in JavaScript."""


def write_notebook(path: Path, *cells: dict[str, Any]) -> None:
    notebook = nbformat.v4.new_notebook(cells=[*cells], metadata={"kernelspec": SPEC})
    nbformat.write(notebook, path)


def prompt(cell_id: str, source: str) -> dict[str, Any]:
    cell: dict[str, Any] = nbformat.v4.new_code_cell(source, id=cell_id)
    return cell


def spoken(server: ScriptedServer) -> list[str]:
    """What the last request's messages say, without the system message."""
    return [message["content"] for message in server.messages()[1:]]


def run_and_wait(lab: Lab, index: int, number: int) -> None:
    """Run a cell, which becomes the one with that number."""
    lab.run(index)
    expect(lab.cell(index).locator(".jp-InputPrompt")).to_have_text(f"[{number}]:")


def select(lab: Lab, index: int) -> None:
    lab.cell(index).locator(".jp-InputPrompt").click()


def sources(lab: Lab, index: int) -> tuple[str, int]:
    """Where the turn of a cell had its history from, and of how many cells it was."""
    context = turn_of(lab.cells()[index])["context"]
    return context["source"], context["cells"]


def metadata(lab: Lab, index: int) -> dict[str, Any]:
    """A cell's metadata, without what JupyterLab keeps there while the notebook is open."""
    return {key: v for key, v in lab.cells()[index]["metadata"].items() if key != "trusted"}


def share_kernel(lab: Lab, first: str, second: str) -> None:
    """Open two notebooks, the second in front, with one kernel."""
    lab.open(first)
    lab.wait_for_kernel()
    kernel = lab.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.id"
    )
    lab.open(second)
    lab.wait_for_kernel()
    lab.page.evaluate(
        "id => window.jupyterapp.shell.currentWidget.sessionContext.changeKernel({id})"
        ".then(() => null)",
        kernel,
    )
    lab.wait_for_kernel()


def test_the_request_is_what_stands_on_the_page_though_nothing_is_saved(
    lab, lab_root, model_server
):
    path = lab_root / "unsaved.ipynb"
    write_notebook(path, *(prompt(name, f"Question {name}") for name in "abcd"))
    saved = path.read_bytes()
    model_server.answers = [text(f"Answer {n}.") for n in range(1, 20)]
    lab.set("saveTurns", False)
    lab.open("unsaved.ipynb")
    lab.wait_for_kernel()

    lab.type_in(0, "Question a, edited before it ran")
    lab.command("notebook:run-all-cells")
    expect(lab.cell(3).get_by_text("Answer 4.")).to_be_visible()
    above_c = ["Question a, edited before it ran", "Answer 1.", "Question b", "Answer 2."]
    assert spoken(model_server) == [*above_c, "Question c", "Answer 3.", "Question d"]
    assert sources(lab, 3) == ("live", 3)

    lab.type_in(1, "Question b, edited")
    run_and_wait(lab, 3, 5)
    edited = ["Question b, edited", "Answer 2."]
    unmoved = [*above_c[:2], *edited, "Question c", "Answer 3.", "Question d"]
    assert spoken(model_server) == unmoved

    select(lab, 2)
    lab.command("notebook:move-cell-up")
    run_and_wait(lab, 3, 6)
    moved = [*above_c[:2], "Question c", "Answer 3.", *edited, "Question d"]
    assert spoken(model_server) == moved

    select(lab, 1)
    lab.command("notebook:delete-cell")
    run_and_wait(lab, 2, 7)
    assert spoken(model_server) == [*above_c[:2], *edited, "Question d"]
    assert sources(lab, 2) == ("live", 2)

    select(lab, 1)
    lab.command("notebook:undo-cell-action")
    expect(lab.cell(3)).to_be_visible()
    # JupyterLab undoes what was done within half a second together: the move, perhaps.
    order = [cell["id"] for cell in lab.cells()[:4]]
    assert order in (["a", "c", "b", "d"], ["a", "b", "c", "d"])
    run_and_wait(lab, 3, 8)
    assert spoken(model_server) == (moved if order[1] == "c" else unmoved)
    assert sources(lab, 3) == ("live", 3)
    assert path.read_bytes() == saved
    lab.set("saveTurns", True)


def test_a_second_question_takes_only_what_changed_over_the_wire(lab, lab_root, model_server):
    answers: list[bytes] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framesent", lambda frame: answers.append(_bytes(frame)))

    lab.page.on("websocket", listen)
    long = "A long first question. " * 1000
    write_notebook(
        lab_root / "wire.ipynb", prompt("a", long), prompt("b", "Second"), prompt("c", "Third")
    )
    model_server.answers = [text("One."), text("Two."), text("Three.")]
    lab.open("wire.ipynb")
    lab.wait_for_kernel()
    run_and_wait(lab, 0, 1)
    run_and_wait(lab, 1, 2)
    answers.clear()
    run_and_wait(lab, 2, 3)
    lab.page.remove_listener("websocket", listen)

    # The turn's own question, and perhaps one of the status bar, which counts tokens.
    told = [answer for answer in answers if b'"type":"cells"' in answer]
    assert told
    assert all(re.search(rb'"same":[12]\b', answer) for answer in told)
    assert all(len(answer) < len(long) / 2 for answer in told)
    assert spoken(model_server) == [long, "One.", "Second", "Two.", "Third"]


def _bytes(frame: str | bytes) -> bytes:
    return frame.encode() if isinstance(frame, str) else frame


def test_two_notebooks_with_one_kernel_have_a_history_each(lab, lab_root, model_server):
    for name in ("left", "right"):
        cells = [prompt(f"{name}-{n}", f"{name} {n}") for n in (1, 2, 3)]
        write_notebook(lab_root / f"{name}-history.ipynb", *cells)
    model_server.answers = [text(f"Answer {n}.") for n in range(1, 20)]
    share_kernel(lab, "left-history.ipynb", "right-history.ipynb")

    run_and_wait(lab, 0, 1)
    lab.open("left-history.ipynb")
    run_and_wait(lab, 0, 2)
    run_and_wait(lab, 1, 3)
    assert spoken(model_server) == ["left 1", "Answer 2.", "left 2"]
    lab.open("right-history.ipynb")
    run_and_wait(lab, 1, 4)
    assert spoken(model_server) == ["right 1", "Answer 1.", "right 2"]
    lab.open("left-history.ipynb")
    run_and_wait(lab, 2, 5)

    assert spoken(model_server) == ["left 1", "Answer 2.", "left 2", "Answer 3.", "left 3"]
    assert sources(lab, 2) == ("live", 2)


def test_cells_that_the_kernel_marks_are_marked_together_and_undone_together(
    lab, lab_root, model_server
):
    mark = {"type": "cells.mark", "cells": ["a", "b", "gone"], "history": "summary"}
    asking = f"%%python\nget_ipython().kernel._session.page.send_mark({mark!r})"
    first = prompt("a", "One")
    first["metadata"] = {"tags": ["x"], "msgbook": {"agent": "x"}}
    write_notebook(
        lab_root / "marked.ipynb", first, prompt("b", "Two"), prompt("c", asking), prompt("d", "")
    )
    lab.open("marked.ipynb")
    lab.wait_for_kernel()
    run_and_wait(lab, 2, 1)

    ours = f"{MODEL}.cells.get(1).getMetadata('msgbook')"
    lab.page.wait_for_function(f"() => {ours}?.history === 'summary'")
    assert metadata(lab, 0) == {"tags": ["x"], "msgbook": {"agent": "x", "history": "summary"}}
    assert metadata(lab, 1) == {"msgbook": {"history": "summary"}}

    select(lab, 1)
    lab.command("notebook:undo-cell-action")

    assert metadata(lab, 0) == {"tags": ["x"], "msgbook": {"agent": "x"}}
    assert metadata(lab, 1) == {}


def test_a_summary_that_a_turn_needed_stands_in_its_cell_and_is_a_persons_to_edit(
    lab, lab_root, model_server
):
    path = lab_root / "summed-up.ipynb"
    story = prompt("story", "Tell me a story")
    story["metadata"] = {"msgbook": {"history": "summary"}}
    write_notebook(path, story, prompt("b", "And then?"), prompt("c", "And now?"))
    model_server.answers = [
        text("Once upon a time there was a long story."),
        text("A story was told."),
        text("Then it ended."),
        text("Now it is over."),
    ]
    lab.open("summed-up.ipynb")
    lab.wait_for_kernel()
    run_and_wait(lab, 0, 1)
    run_and_wait(lab, 1, 2)
    assert spoken(model_server) == ["[summary] A story was told.", "And then?"]
    ours = f"{MODEL}.cells.get(0).getMetadata('msgbook')"
    lab.page.wait_for_function(f"() => {ours}.summary !== undefined")
    assert metadata(lab, 0)["msgbook"]["history"] == "summary"
    made = metadata(lab, 0)["msgbook"]["summary"]
    assert made == turn_of(lab.cells()[1])["context"]["summaries"]["story"]
    lab.save()
    assert nbformat.read(path, 4).cells[0]["metadata"]["msgbook"]["summary"] == made

    lab.close_all()
    lab.open("summed-up.ipynb")
    lab.wait_for_kernel()
    expect(lab.cell(1).get_by_text("Then it ended.")).to_be_visible()
    assert lab.page.evaluate(f"() => {MODEL}.dirty") is False

    edited = {"text": "Somebody told a story.", "source": made["source"]}
    lab.page.evaluate(
        f"summary => {MODEL}.cells.get(0).setMetadata('msgbook', {{...{ours}, summary}})",
        edited,
    )
    run_and_wait(lab, 2, 1)
    assert spoken(model_server) == [
        "[summary] Somebody told a story.",
        "And then?",
        "Then it ended.",
        "And now?",
    ]
    assert metadata(lab, 0)["msgbook"]["summary"] == edited
