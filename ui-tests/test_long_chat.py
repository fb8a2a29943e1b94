"""A long chat: only its cells in view are laid out, and all else is as in a short one."""

from __future__ import annotations

from typing import Any

import nbformat
import pytest
from chats import SPEC, Slow, answer, approve
from lab import Lab
from playwright.sync_api import Locator, expect
from scripted_server import call, text

import msgbook_format
from msgbook_format.turn import TURN_MIME, bundle

TURNS = 60
LAST = TURNS
"""The place of the cell below the turns."""

LAID_OUT = """() => [...document.querySelectorAll('.jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook-cell')]
    .filter(cell => cell.getBoundingClientRect().height > 0).length"""
MODE = "() => window.jupyterapp.shell.currentWidget.content.notebookConfig.windowingMode"
BUILT = """() => window.jupyterapp.shell.currentWidget.content.widgets
    .filter(cell => !cell.isPlaceholder()).length"""
WATCH_JUMPS = """() => {
    const outer = document.querySelector('.jp-NotebookPanel:not(.lm-mod-hidden) .jp-WindowedPanel-outer');
    window.seen = { steps: 0, most: 0 };
    let asked = 0;
    let places = new Map();
    outer.addEventListener('wheel', ({ deltaY }) => { asked += deltaY; });
    const frame = () => {
        const now = new Map([...outer.querySelectorAll('.jp-Notebook-cell')]
            .filter(cell => cell.offsetHeight > 0)
            .map(cell => [cell.id || cell.dataset.windowedListIndex, cell.getBoundingClientRect().top]));
        const moved = [...now].filter(([cell]) => places.has(cell))
            .map(([cell, top]) => top - places.get(cell));
        if (moved.length > 0 && moved.some(by => by !== 0)) {
            window.seen.steps += 1;
            window.seen.most = Math.max(window.seen.most, ...moved.map(by => Math.abs(by) - 150));
        }
        places = now;
        requestAnimationFrame(frame);
    };
    frame();
}"""
SCROLLED = "() => document.querySelector('.jp-NotebookPanel:not(.lm-mod-hidden) .jp-WindowedPanel-outer').scrollTop"


def write_chat(path: Any, last: str = "And now?") -> None:
    """Write a chat of many turns and a prompt below them."""
    cells = []
    for number in range(TURNS):
        said = f"## Part {number}\n\nThis is answer-{number}-end.\n\n" + "Some words. " * 60
        block = {"type": "text", "step": 1, "text": said}
        turn = {"version": 1, "status": "done", "agent": "assistant", "blocks": [block]}
        output = nbformat.v4.new_output("display_data", data=bundle(turn))
        cells.append(nbformat.v4.new_code_cell(f"Question {number}", outputs=[output]))
    cells.append(nbformat.v4.new_code_cell(last))
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": SPEC})
    msgbook_format.write(notebook, path)


@pytest.fixture
def chat(lab, lab_root, request):
    name = f"{abs(hash(request.node.name))}.msg.md"
    write_chat(lab_root / name)
    lab.open(name)
    lab.wait_for_kernel()
    return lab_root / name


def wait_for_mode(lab: Lab, mode: str) -> None:
    """Wait until the notebook in front has one of JupyterLab's windowing modes."""
    lab.page.wait_for_function(f"() => ({MODE})() === '{mode}'")


def run_last(lab: Lab) -> Locator:
    lab.run(LAST)
    return lab.cell(LAST)


def test_only_the_cells_in_view_of_a_chat_are_laid_out(lab, chat, lab_root, screenshot):
    assert lab.page.evaluate(MODE) == "full"
    assert lab.page.evaluate(LAID_OUT) < 12
    lab.reveal(30, "center")
    expect(lab.cell(30).get_by_text("answer-30-end")).to_be_visible()
    assert lab.page.evaluate(LAID_OUT) < 12
    screenshot("middle")
    assert lab.page.evaluate(BUILT) < 30

    lab.set("windowing", value=False)
    wait_for_mode(lab, "contentVisibility")
    lab.page.wait_for_function(f"() => ({BUILT})() === {TURNS + 1}")
    lab.set("windowing", value=True)
    wait_for_mode(lab, "full")
    lab.set("windowingMode", "defer", plugin="@jupyterlab/notebook-extension:tracker")
    spec = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    python = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell("1")], metadata={"kernelspec": spec}
    )
    nbformat.write(python, lab_root / "python.ipynb")
    wait_for_mode(lab, "full")
    lab.open("python.ipynb")
    wait_for_mode(lab, "defer")
    lab.set("windowingMode", "contentVisibility", plugin="@jupyterlab/notebook-extension:tracker")
    wait_for_mode(lab, "contentVisibility")
    lab.wait_for_kernel()


def test_what_a_person_scrolls_to_stays_while_cells_above_come_into_the_page(lab, chat):
    lab.reveal(LAST, "end")
    lab.notebook.locator(".jp-WindowedPanel-outer").hover()
    lab.page.evaluate(WATCH_JUMPS)
    for _ in range(30):
        before = lab.page.evaluate("() => window.seen.steps")
        lab.page.mouse.wheel(0, -150)
        lab.page.wait_for_function("before => window.seen.steps > before", arg=before)
    seen = lab.page.evaluate("() => window.seen")
    assert seen["most"] < 5, seen
    assert lab.page.evaluate(BUILT) > 8


def test_search_finds_prompts_and_answers_that_are_out_of_view(lab, chat):
    lab.reveal(LAST)
    lab.cell(LAST).locator(".cm-content").first.click()
    lab.command("documentsearch:start")
    search = lab.page.locator(".jp-DocumentSearch-overlay")
    field = search.locator("textarea, input").first
    field.fill("Question 7")
    counter = search.locator(".jp-DocumentSearch-index-counter")
    expect(counter).to_contain_text("/1")
    field.press("Enter")
    expect(lab.cell(7).locator(".cm-content").first).to_be_in_viewport()

    field.fill("answer-41-end")
    expect(lab.cell(41).locator("mark", has_text="answer-41-end")).to_have_count(1)
    field.press("Enter")
    expect(lab.cell(41).get_by_text("answer-41-end")).to_be_in_viewport()
    lab.page.keyboard.press("Escape")


def test_a_heading_of_an_answer_out_of_view_is_reached_by_the_table_of_contents(lab, chat):
    lab.command("toc:show-panel")
    lab.page.locator(".jp-tocItem-heading", has_text="Part 45").click()
    expect(lab.cell(45).get_by_text("answer-45-end")).to_be_in_viewport()


def test_a_printed_chat_has_the_cells_that_are_out_of_view(lab, chat):
    lab.reveal(LAST)
    lab.cell(LAST).locator(".jp-InputPrompt").click()
    lab.page.keyboard.press("Control+p")
    printed = lab.page.frame_locator("iframe[sandbox='allow-modals allow-same-origin']").locator(
        "body"
    )
    for number in range(TURNS):
        expect(printed).to_contain_text(f"answer-{number}-end")
    expect(printed).to_contain_text("And now?")
    # JupyterLab takes the page away when the person is back.
    lab.page.mouse.move(5, 5)
    expect(printed).to_have_count(0)


def test_a_screen_reader_finds_the_cell_that_was_scrolled_to_and_none_out_of_view(lab, chat):
    lab.reveal(LAST)
    answers = lab.notebook.get_by_role("group", name="Answer")
    heading = answers.get_by_role("heading", name="Part 30")
    expect(heading).to_have_count(0)

    lab.reveal(30, "center")

    expect(heading).to_have_count(1)
    answer = lab.cell(30).get_by_role("group", name="Answer")
    expect(answer).to_contain_text("This is answer-30-end.")
    expect(lab.cell(30).get_by_role("textbox")).to_have_text("Question 30")
    expect(answers.get_by_role("heading", name="Part 0", exact=True)).to_have_count(0)

    lab.cell(30).locator(".jp-InputPrompt").click()
    lab.page.keyboard.press("ArrowUp")
    expect(lab.cell(29)).to_be_focused()
    expect(lab.cell(29).get_by_role("heading", name="Part 29")).to_have_count(1)


def test_a_question_out_of_view_is_gone_to_and_answered(lab, chat, lab_root, model_server):
    model_server.answers = [call("mkdir", {"path": "made-far-down"}), text("Made.")]
    run_last(lab)
    expect(approve(lab.cell(LAST))).to_be_visible()
    lab.reveal(0)
    expect(approve(lab.cell(LAST))).not_to_be_visible()

    lab.command("msgbook:go-to-approval")

    expect(lab.cell(LAST).locator(".msgbook-Approval")).to_be_focused()
    answer(approve(lab.cell(LAST)))
    expect(lab.cell(LAST).get_by_text("Made.", exact=True)).to_be_visible()
    assert (lab_root / "made-far-down").is_dir()


def test_a_turn_that_streams_out_of_view_is_whole_and_the_view_stays(lab, chat, model_server):
    slow = Slow("Said at first.", *[f"\n\nParagraph {n}." for n in range(30)], "\n\nThe end.")
    model_server.answers = [slow.answer]
    cell = run_last(lab)
    expect(cell.get_by_text("Said at first.")).to_be_visible()
    lab.reveal(3, "start")
    expect(lab.cell(3).get_by_text("answer-3-end")).to_be_in_viewport()
    before = lab.page.evaluate(SCROLLED)
    for _ in range(31):
        slow.go()
    lab.page.wait_for_function(
        "() => document.querySelector('.msgbook-Header[data-status=running]') === null"
    )
    lab.save()

    assert lab.page.evaluate(SCROLLED) == before
    assert "The end." in chat.read_text("utf-8")
    lab.reveal(LAST, "end")
    expect(lab.cell(LAST).get_by_text("The end.")).to_be_visible()
    expect(lab.cell(LAST).locator("[data-status=done]")).to_be_visible()


def test_stale_turns_out_of_view_are_marked_and_run_again(lab, chat, model_server):
    model_server.answers = [text(f"New answer {number}.") for number in range(3)]
    run_last(lab)
    expect(lab.cell(LAST).get_by_text("New answer 0.")).to_be_visible()
    lab.type_in(0, "Question 0, but otherwise")
    lab.page.wait_for_function("() => window.jupyterapp.commands.isEnabled('msgbook:run-stale')")
    lab.reveal(LAST, "end")
    expect(lab.cell(LAST).locator(".msgbook-Stale")).to_be_visible()
    lab.reveal(0)

    lab.command("msgbook:run-stale")

    lab.page.wait_for_function("() => !window.jupyterapp.commands.isEnabled('msgbook:run-stale')")
    lab.reveal(LAST, "end")
    expect(lab.cell(LAST).get_by_text("New answer 1.")).to_be_visible()
    expect(lab.notebook.locator(".msgbook-Stale")).to_have_count(0)


def test_all_prompts_run_and_a_deleted_cell_comes_back(lab, lab_root, model_server):
    model_server.answers = [text(f"Answer number {number}.") for number in range(20)]
    cells = [nbformat.v4.new_code_cell(f"Prompt {number}\n" * 8) for number in range(20)]
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": SPEC})
    path = lab_root / "all.msg.md"
    msgbook_format.write(notebook, path)
    lab.open(path.name)
    lab.wait_for_kernel()

    lab.command("notebook:run-all-cells")

    lab.reveal(19, "end")
    expect(lab.cell(19).get_by_text("Answer number 19.")).to_be_visible()
    # The last cell is the one in which the next message is written.
    asked = lab.cells()[:20]
    found = [cell["outputs"][0]["data"][TURN_MIME]["status"] for cell in asked]
    assert found == ["done"] * 20

    lab.reveal(3)
    lab.cell(3).locator(".jp-InputPrompt").click()
    lab.command("notebook:delete-cell")
    lab.reveal(18, "end")
    lab.command("notebook:undo-cell-action")
    lab.page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.content.widgets.length === 21"
    )
    lab.reveal(3, "center")
    expect(lab.cell(3).get_by_text("Answer number 3.", exact=True)).to_be_visible()
