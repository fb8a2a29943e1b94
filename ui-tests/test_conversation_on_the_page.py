"""One conversation gives the same requests wherever it is held: on the page."""

from __future__ import annotations

from pathlib import Path

import nbformat
import one_conversation as table
from lab import Lab
from playwright.sync_api import expect

DO = """step => {
    const model = window.jupyterapp.shell.currentWidget.content.model;
    const place = id => [...model.cells].findIndex(cell => cell.id === id);
    step.deletes.forEach(id => model.sharedModel.deleteCell(place(id)));
    step.inserts.forEach(([index, cell]) => model.sharedModel.insertCell(index, cell));
    Object.entries(step.edits).forEach(([id, source]) => {
        model.cells.get(place(id)).sharedModel.setSource(source);
    });
}"""


ACTIVATE = """index => {
    window.jupyterapp.shell.currentWidget.content.activeCellIndex = index;
}"""


def run(lab: Lab, cell_id: str, number: int) -> None:
    index = [cell["id"] for cell in lab.cells()].index(cell_id)
    # Not by a click: cells that were inserted just now still move.
    lab.page.evaluate(ACTIVATE, index)
    lab.command("notebook:run-cell")
    expect(lab.cell(index).locator(".jp-InputPrompt")).to_have_text(f"[{number}]:")


def test_on_the_page(lab, lab_root: Path, model_server):
    notebook = nbformat.v4.new_notebook(metadata=table.METADATA)
    nbformat.write(notebook, lab_root / "one-conversation.ipynb")
    model_server.answers = table.ANSWERS
    lab.open("one-conversation.ipynb")
    lab.wait_for_kernel()

    number = 0
    for step in table.STEPS:
        lab.page.evaluate(DO, {**vars(step)})
        for cell_id in step.runs:
            number += 1
            run(lab, cell_id, number)

    assert table.requests(model_server) == table.REQUESTS
