"""Hostile texts in turns, saved and live, run nothing, load nothing and cover nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
from chats import SPEC
from hostile_strings import KINDS
from hostile_turns import END, hostile_notebook
from page_guard import see_all
from playwright.sync_api import expect
from scripted_server import Answer, delta, finish


def write(path: Path, notebook: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook))


def test_saved_turns_in_trusted_and_untrusted_notebooks(
    lab: Any, lab_root: Any, guard: Any, screenshot: Any
) -> None:
    notebook = hostile_notebook()
    write(lab_root / "panels" / "saved.ipynb", notebook)
    for state in ("untrusted", "trusted", "reopened"):
        lab.open("panels/saved.ipynb")
        lab.wait_for_kernel()
        if state == "trusted":
            lab.page.evaluate(
                """() => {
                    for (const cell of window.jupyterapp.shell.currentWidget.content.model.cells) {
                        cell.trusted = true;
                    }
                }"""
            )
        lab.reveal(0)
        expect(lab.cell(0).get_by_text(END)).to_be_visible()
        see_all(lab)
        expect(lab.notebook.get_by_text(END)).to_have_count(len(notebook["cells"]))
        guard.assert_unharmed()
        screenshot(f"saved-{state}")
        lab.save()
        lab.close_all()
    assert [p.name for p in (lab_root / "panels").glob("[!.]*")] == ["saved.ipynb"]


def test_what_a_server_sends_while_it_is_shown(
    lab: Any, lab_root: Any, model_server: Any, guard: Any, screenshot: Any
) -> None:
    kinds = list(KINDS.values())
    answers = []
    for words in kinds:
        cut = [word[:2_000] for word in words]
        calls = [
            delta(tool_calls=[{"index": n, "id": f"c{n}", "type": "function",
                               "function": {"name": word, "arguments": word}}])
            for n, word in enumerate(cut)
        ]  # fmt: skip
        thoughts = [delta(reasoning_content=f"{word}\n\n") for word in cut]
        said = [delta(content=f"{word}\n\n") for word in cut]
        answers.append(Answer([*thoughts, *said, *calls, finish("tool_calls")]))
        answers.append(Answer([*said, delta(content=f"\n\n{END}"), finish("stop")]))
    model_server.answers = answers
    cells = [nbformat.v4.new_code_cell(f"Be evil {n}") for n, _ in enumerate(kinds)]
    write(
        lab_root / "live.ipynb",
        nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": SPEC}),
    )
    lab.open("live.ipynb")
    lab.wait_for_kernel()
    for number, _ in enumerate(kinds):
        lab.page.evaluate(
            "index => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = index; }",
            number,
        )
        lab.command("notebook:run-cell")
        expect(lab.cell(number).locator(".jp-InputPrompt")).to_have_text(f"[{number + 1}]:")
        guard.assert_unharmed()
    see_all(lab)
    guard.assert_unharmed()
    screenshot("live")
    assert not list(lab_root.rglob("hacked"))
