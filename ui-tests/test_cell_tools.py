"""A model mends a cell of the notebook: the diff is approved in place, the change is one step of undo, and the cell is run again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from chat_pages import prompt
from chats import SPEC, answer, approve
from lab import Lab
from playwright.sync_api import expect
from scripted_server import ScriptedServer, call, text

BROKEN = "%%python\nx = 1\nx / 0"
MENDED = "%%python\nx = 1\nx / 4"
EDIT = call("edit_cell", {"cell": "broken", "old": "x / 0", "new": "x / 4"}, "c1")


def source(lab: Lab) -> str:
    return str(lab.cells()[0]["source"])


def open_chat(lab: Lab, path: Path, *cells: dict[str, Any]) -> None:
    metadata = {"kernelspec": SPEC}
    nbformat.write(nbformat.v4.new_notebook(cells=[*cells], metadata=metadata), path)
    lab.open(path.name)
    lab.wait_for_kernel()


def open_broken(lab: Lab, root: Path, name: str) -> None:
    open_chat(lab, root / name, prompt("broken", BROKEN), prompt("ask", "Mend the cell above."))
    lab.run(0)
    expect(lab.cell(0).get_by_text("ZeroDivisionError").first).to_be_visible()


@pytest.mark.smoke
def test_a_broken_cell_is_mended_in_one_step_and_run_again(
    lab: Lab, lab_root: Path, model_server: ScriptedServer, screenshot
) -> None:
    model_server.answers = [EDIT, call("run_cell", {"cell": "broken"}, "c2"), text("Mended.")]
    open_broken(lab, lab_root, "mend.ipynb")

    lab.run(1)

    cell = lab.cell(1)
    expect(cell.locator(".msgbook-Diff-added")).to_contain_text("+x / 4")
    expect(cell.get_by_text("It changes the cell broken")).to_be_visible()
    assert source(lab) == BROKEN
    screenshot("diff")
    answer(approve(cell))
    runs = "It runs, with all rights of the notebook, the cell broken"
    expect(cell.get_by_text(runs)).to_be_visible()
    assert source(lab) == MENDED
    answer(approve(cell))
    expect(cell.get_by_text("Mended.", exact=True)).to_be_visible()

    expect(lab.cell(0).locator(".jp-OutputArea").get_by_text("0.25")).to_be_visible()
    expect(lab.cell(0).get_by_text("ZeroDivisionError")).to_have_count(0)
    screenshot("mended")
    lab.command("notebook:undo-cell-action")
    assert source(lab) == BROKEN
    lab.command("notebook:redo-cell-action")
    assert source(lab) == MENDED


def test_a_cell_edited_by_hand_while_its_diff_is_shown_is_asked_about_again(
    lab: Lab, lab_root: Path, model_server: ScriptedServer
) -> None:
    model_server.answers = [EDIT, text("A pity.")]
    open_broken(lab, lab_root, "mine.ipynb")
    lab.run(1)
    cell = lab.cell(1)
    expect(cell.locator(".msgbook-Diff-added")).to_contain_text("+x / 4")

    mine = "%%python\nmine = 2\nx / 0"
    lab.type_in(0, mine)
    answer(approve(cell))

    expect(cell.locator(".msgbook-Diff")).to_contain_text(" mine = 2")
    assert source(lab) == mine
    answer(cell.get_by_role("button", name="Deny", exact=True))
    expect(cell.get_by_text("A pity.", exact=True)).to_be_visible()
    assert source(lab) == mine


def test_a_new_cell_appears_below_the_message_and_is_taken_back_by_one_undo(
    lab: Lab, lab_root: Path, model_server: ScriptedServer
) -> None:
    new = {"after": "ask", "kind": "code", "source": "6 * 7"}
    model_server.answers = [call("insert_cell", new, "c1"), text("There it is.")]
    open_chat(lab, lab_root / "new.ipynb", prompt("ask", "Add a cell."))
    lab.run(0)
    cell = lab.cell(0)
    expect(cell.locator(".msgbook-Diff-added")).to_contain_text("+6 * 7")

    answer(approve(cell))

    expect(cell.get_by_text("There it is.", exact=True)).to_be_visible()
    assert [one["source"] for one in lab.cells()][1] == "%%python\n6 * 7"
    count = len(lab.cells())
    lab.command("notebook:undo-cell-action")
    assert len(lab.cells()) == count - 1
