"""Two pages on one notebook: a turn stands there once, whoever asks, approves, reloads or leaves."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from chats import SPEC, Slow, answer, approve, write_notebook
from lab import Lab, running_lab
from playwright.sync_api import Browser, expect
from scripted_server import ScriptedServer, call, text

from msgbook_format import writes
from msgbook_format.syntax import CODE_FIRST_KERNELSPEC
from msgbook_format.turn import TURN_MIME

COLLABORATION = Path(__file__).parents[1] / ".collaboration"

AGENTS = "agents:\n  writer: {models: large}\n  critic: {models: small}\n"

needs_collaboration = pytest.mark.skipif(
    not COLLABORATION.is_dir(), reason="make .collaboration/.installed installs it"
)


@pytest.fixture(scope="module")
def shared_url(
    lab_root: Path, model_server: ScriptedServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """A JupyterLab whose documents are shared between its pages."""
    settings = {
        "OPENAI_BASE_URL": model_server.url,
        "MSGBOOK_MODEL": "scripted-model",
        "PYTHONPATH": str(COLLABORATION),
        "JUPYTER_PATH": str(COLLABORATION / "share" / "jupyter"),
        "JUPYTER_CONFIG_PATH": str(COLLABORATION / "etc" / "jupyter"),
    }
    log = tmp_path_factory.mktemp("shared") / "jupyterlab.txt"
    with running_lab(lab_root, log, settings) as url:
        yield url


Open = Callable[[str, str], Lab]


@pytest.fixture
def open_page(browser: Browser, model_server: ScriptedServer) -> Iterator[Open]:
    """Opens a notebook at a URL, in a browser of its own."""
    model_server.reset()
    contexts = []

    def open_one(url: str, path: str) -> Lab:
        contexts.append(browser.new_context(viewport={"width": 1100, "height": 800}))
        page = contexts[-1].new_page()
        page.set_default_timeout(300_000)
        lab = Lab(page, url)
        lab.load(path)
        lab.wait_for_kernel()
        return lab

    yield open_one
    for context in contexts:
        context.close()


def is_shared(lab: Lab) -> bool:
    shared: bool = lab.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.context.model.collaborative"
    )
    return shared


def turns(cell: dict[str, Any]) -> list[dict[str, Any]]:
    return [output["data"].get(TURN_MIME) for output in cell["outputs"]]


def wait_for_words(lab: Lab, path: Path, words: str) -> None:
    """Wait until a file has some words."""
    for _ in range(300):
        if words in path.read_text():
            return
        lab.page.wait_for_timeout(100)
    pytest.fail(f"{path.name} has no {words!r}:\n{path.read_text()}")


def wait_for_file(lab: Lab, path: Path, words: str) -> list[dict[str, Any]]:
    """The turns of the first cell as saved, once the file has some words.

    The server saves a shared document by itself, a second after the last change. A page that asks it to
    meanwhile may get no answer: jupyter-server-ydoc then drops one of the two.
    """
    wait_for_words(lab, path, words)
    return turns(json.loads(path.read_text())["cells"][0])


def turns_once_written(lab: Lab, index: int = 0) -> list[dict[str, Any]]:
    """The turns of a cell in the page's document, once it says there that one is done."""
    lab.page.wait_for_function(
        """index => JSON.stringify(
            window.jupyterapp.shell.currentWidget.content.model.cells.get(index).outputs.toJSON()
        ).includes('"status":"done"')""",
        arg=index,
    )
    return turns(lab.cells()[index])


def wait_for_source(lab: Lab, index: int, source: str) -> None:
    """Wait until a cell of a page's document has some source."""
    lab.page.wait_for_function(
        """([index, source]) => window.jupyterapp.shell.currentWidget.content.model
            .cells.get(index)?.sharedModel.getSource() === source""",
        arg=[index, source],
    )


def said(turn: dict[str, Any]) -> tuple[str, str]:
    return turn["status"], "".join(block.get("text", "") for block in turn["blocks"])


@needs_collaboration
def test_both_pages_of_a_shared_document_follow_a_turn_that_stands_there_once(
    shared_url, lab_root, model_server, open_page
):
    path = lab_root / "shared.ipynb"
    write_notebook(path, "Tell me", "And then?")
    slow = Slow("Before.", " After.")
    model_server.answers = [slow.answer, text("Second.")]
    one, two = open_page(shared_url, path.name), open_page(shared_url, path.name)
    assert [is_shared(lab) for lab in (one, two)] == [True, True]

    one.run(0)
    for lab in (one, two):
        expect(lab.cell(0).get_by_text("Before.", exact=True)).to_be_visible()
        expect(lab.cell(0).locator("[data-status=running]")).to_be_visible()
        assert len(lab.cells()[0]["outputs"]) == 1
    slow.go()

    for lab in (one, two):
        expect(lab.cell(0).get_by_text("Before. After.", exact=True)).to_be_visible()
        expect(lab.cell(0).locator("[data-status=done]")).to_be_visible()
        expect(lab.cell(0).locator(".jp-InputPrompt")).not_to_have_text("[*]:")
    saved = wait_for_file(one, path, "After.")
    for found in (turns_once_written(one), turns_once_written(two), saved):
        assert [said(turn) for turn in found] == [("done", "Before. After.")]

    two.run(1)
    for lab in (one, two):
        expect(lab.cell(1).get_by_text("Second.", exact=True)).to_be_visible()
        expect(lab.cell(1).locator("[data-status=done]")).to_be_visible()
        assert [said(turn) for turn in turns_once_written(lab, 1)] == [("done", "Second.")]
    assert [m["content"] for m in model_server.messages()[1:]] == [
        "Tell me",
        "Before. After.",
        "And then?",
    ]


@needs_collaboration
@pytest.mark.parametrize("name", ["msgbook-python", "msgbook"])
def test_one_page_of_a_shared_document_makes_the_changes_of_cells(
    shared_url, lab_root, model_server, open_page, name
):
    path = lab_root / f"shared-cells-{name}.ipynb"
    is_python = name == "msgbook-python"
    code, mark = ("", "%%msg\n") if is_python else ("%%python\n", "")
    spec = CODE_FIRST_KERNELSPEC if is_python else SPEC
    write_notebook(path, f"{code}x = 1", f"{mark}Change it", spec=spec)
    model_server.answers = [
        call("edit_cell", {"cell": "#1", "old": "x = 1", "new": "x = 2"}, "c1"),
        call("insert_cell", {"after": "#1", "kind": "code", "source": "x * 21"}, "c2"),
        call("run_cell", {"cell": "#1"}, "c3"),
        call("run_cell", {"cell": "#2"}, "c4"),
        text("Changed."),
    ]
    one, two = open_page(shared_url, path.name), open_page(shared_url, path.name)
    assert [is_shared(lab) for lab in (one, two)] == [True, True]

    one.run(1)
    for asked in range(4):
        # Both pages show the question; the one that did not ask answers every other.
        answerer = (one, two)[asked % 2]
        answer(approve(answerer.notebook))

    expected = [f"{code}x = 2", f"{code}x * 21", f"{mark}Change it"]
    for lab in (one, two):
        expect(lab.notebook.get_by_text("Changed.", exact=True)).to_be_visible()
        lab.page.wait_for_function(
            "n => window.jupyterapp.shell.currentWidget.content.model.cells.length >= n", arg=3
        )
        cells = lab.cells()
        assert [cell["source"] for cell in cells[:3]] == expected
        assert [len(cell["outputs"]) for cell in cells[:3]] == [0, 1, 1]
        assert cells[1]["outputs"][0]["data"]["text/plain"] == "42"


@needs_collaboration
def test_a_change_of_a_cell_in_a_shared_document_is_undone_in_one_step_where_it_was_asked_for(
    shared_url, lab_root, model_server, open_page
):
    path = lab_root / "shared-undo.ipynb"
    write_notebook(path, "x = 0\n6 * 7 / x", "y = 1", spec=CODE_FIRST_KERNELSPEC)
    model_server.answers = [
        call("edit_cell", {"cell": "#1", "old": "x = 0", "new": "x = 2"}, "c1"),
        text("Mended."),
    ]
    one, two = open_page(shared_url, path.name), open_page(shared_url, path.name)
    assert [is_shared(lab) for lab in (one, two)] == [True, True]
    one.run(0)
    one.cell(0).get_by_role("button", name="Fix").click()
    answer(approve(one.cell(1)))
    expect(one.notebook.get_by_text("Mended.", exact=True)).to_be_visible()
    for lab in (one, two):
        wait_for_source(lab, 0, "x = 2\n6 * 7 / x")
    # What another person has written since stays.
    two.type_in(2, "y = 2")
    wait_for_source(one, 2, "y = 2")

    one.command("notebook:undo-cell-action")
    for lab in (one, two):
        wait_for_source(lab, 0, "x = 0\n6 * 7 / x")
        wait_for_source(lab, 2, "y = 2")
        expect(lab.notebook.get_by_text("Mended.", exact=True)).to_be_visible()


@needs_collaboration
def test_a_change_of_kind_in_a_shared_document_is_undone_in_one_step(
    shared_url, lab_root, open_page
):
    path = lab_root / "shared-kind.ipynb"
    write_notebook(path, "x = 1", spec=SPEC)
    one, two = open_page(shared_url, path.name), open_page(shared_url, path.name)
    one.notebook.get_by_label("Kind of cell").select_option("Python")
    for lab in (one, two):
        wait_for_source(lab, 0, "%%python\nx = 1")
    expect(two.notebook.get_by_label("Kind of cell")).to_have_value("python")

    one.command("notebook:undo-cell-action")
    for lab in (one, two):
        wait_for_source(lab, 0, "x = 1")


@needs_collaboration
def test_the_page_that_did_not_ask_approves(shared_url, lab_root, model_server, open_page):
    path = lab_root / "shared-approval.ipynb"
    write_notebook(path, "Make a folder")
    model_server.answers = [call("mkdir", {"path": "by-another-page"}), text("Made.")]
    one, two = open_page(shared_url, path.name), open_page(shared_url, path.name)

    one.run(0)
    for lab in (one, two):
        expect(approve(lab.cell(0))).to_be_visible()
    answer(approve(two.cell(0)))

    for lab in (one, two):
        expect(lab.cell(0).get_by_text("Made.", exact=True)).to_be_visible()
        expect(approve(lab.cell(0))).to_have_count(0)
        expect(lab.cell(0).locator("[data-status=done]")).to_be_visible()
    assert (lab_root / "by-another-page").is_dir()
    saved = wait_for_file(one, path, "Made.")
    for found in (turns_once_written(one), turns_once_written(two), saved):
        assert [block["type"] for turn in found for block in turn["blocks"]] == [
            "tool_call",
            "tool_result",
            "text",
        ]


@needs_collaboration
def test_who_edits_a_call_that_another_page_approves_is_told_and_keeps_the_words(
    shared_url, lab_root, model_server, open_page
):
    path = lab_root / "shared-edit.ipynb"
    write_notebook(path, "Make a folder")
    model_server.answers = [call("mkdir", {"path": "as-it-was"}), text("Made.")]
    one, two = open_page(shared_url, path.name), open_page(shared_url, path.name)

    one.run(0)
    answer(one.cell(0).get_by_role("button", name="Change the arguments"))
    one.cell(0).get_by_role("textbox", name="Arguments of the call").fill('{"path": "mine"}')
    answer(approve(two.cell(0)))

    for lab in (one, two):
        expect(lab.cell(0).get_by_text("Made.", exact=True)).to_be_visible()
    told = one.page.get_by_text("What you were writing was not sent.")
    expect(told).to_be_visible()
    expect(one.page.get_by_role("button", name="Copy what you wrote")).to_be_visible()
    expect(two.page.get_by_text("What you were writing was not sent.")).to_have_count(0)
    assert (lab_root / "as-it-was").is_dir()
    assert not (lab_root / "mine").exists()


@needs_collaboration
@pytest.mark.parametrize("reloaded", ["the page that asked", "the other page"])
def test_one_page_is_loaded_anew_in_mid_turn(
    reloaded, shared_url, lab_root, model_server, open_page
):
    path = lab_root / f"shared-reload-{reloaded.split()[1]}.ipynb"
    write_notebook(path, "Tell me")
    slow = Slow("Before.", " After.")
    model_server.answers = [slow.answer]
    one, two = open_page(shared_url, path.name), open_page(shared_url, path.name)
    one.run(0)
    expect(two.cell(0).get_by_text("Before.", exact=True)).to_be_visible()

    again = one if reloaded == "the page that asked" else two
    again.load(path.name)
    for lab in (one, two):
        expect(lab.cell(0).get_by_text("Before.", exact=True)).to_be_visible()
        expect(lab.cell(0).locator("[data-status=running]")).to_be_visible()
    slow.go()

    for lab in (one, two):
        expect(lab.cell(0).get_by_text("Before. After.", exact=True)).to_be_visible()
        expect(lab.cell(0).locator("[data-status=done]")).to_be_visible()
        expect(lab.cell(0).locator(".jp-InputPrompt")).not_to_have_text("[*]:")
    saved = wait_for_file(two, path, "After.")
    for found in (turns_once_written(one), turns_once_written(two), saved):
        assert [said(turn) for turn in found] == [("done", "Before. After.")]


@needs_collaboration
@pytest.mark.parametrize("name", ["alone.ipynb", "alone.msg.md"])
def test_the_only_page_of_a_shared_document_is_loaded_anew_in_mid_turn(
    name, shared_url, lab_root, model_server, open_page
):
    path = lab_root / name
    write_notebook(path.with_suffix(".ipynb"), "Tell me")
    if path.suffix == ".md":
        path.write_text(writes(nbformat.read(path.with_suffix(".ipynb"), 4)))
    slow = Slow("Before.", " After.")
    model_server.answers = [slow.answer]
    lab = open_page(shared_url, name)
    assert is_shared(lab)
    lab.run(0)
    expect(lab.cell(0).get_by_text("Before.", exact=True)).to_be_visible()

    lab.load(name)
    expect(lab.cell(0).get_by_text("Before.", exact=True)).to_be_visible()
    slow.go()

    expect(lab.cell(0).get_by_text("Before. After.", exact=True)).to_be_visible()
    expect(lab.cell(0).locator("[data-status=done]")).to_be_visible()
    found = [said(turn) for turn in turns_once_written(lab)]
    assert found == [("done", "Before. After.")]
    wait_for_words(lab, path, "Before. After.")
    lab.load(name)
    expect(lab.cell(0).get_by_text("Before. After.", exact=True)).to_be_visible()
    expect(lab.cell(0).locator("[data-status]")).to_have_attribute("data-status", "done")


@needs_collaboration
@pytest.mark.parametrize("goes_on", ["while the turn runs", "when it has ended"])
def test_the_page_that_asked_is_closed_in_mid_turn_and_the_other_one_writes_on(
    goes_on, shared_url, lab_root, model_server, open_page
):
    path = lab_root / f"shared-close-{goes_on.split()[0]}.ipynb"
    write_notebook(path, "Tell me")
    slow = Slow("Before.", " Meanwhile.", " After.")
    model_server.answers = [slow.answer]
    one, two = open_page(shared_url, path.name), open_page(shared_url, path.name)
    one.run(0)
    expect(two.cell(0).get_by_text("Before.", exact=True)).to_be_visible()

    one.page.close()
    slow.go()
    if goes_on == "while the turn runs":
        two.page.wait_for_function(
            "() => JSON.stringify(window.jupyterapp.shell.currentWidget.content.model.toJSON())"
            ".includes('Meanwhile.')"
        )
    slow.go()

    expect(two.cell(0).get_by_text("Before. Meanwhile. After.", exact=True)).to_be_visible()
    expect(two.cell(0).locator("[data-status=done]")).to_be_visible()
    expect(two.cell(0).locator(".jp-InputPrompt")).not_to_have_text("[*]:")
    saved = wait_for_file(two, path, "After.")
    for found in (turns_once_written(two), saved):
        assert [said(turn) for turn in found] == [("done", "Before. Meanwhile. After.")]


def test_two_pages_with_a_document_each_have_the_turn_once_each(
    lab_url, lab_root, model_server, open_page
):
    path = lab_root / "not-shared.ipynb"
    write_notebook(path, "Tell me")
    slow = Slow("Before.", " After.")
    model_server.answers = [slow.answer]
    one, two = open_page(lab_url, path.name), open_page(lab_url, path.name)
    assert [is_shared(lab) for lab in (one, two)] == [False, False]

    one.run(0)
    for lab in (one, two):
        expect(lab.cell(0).get_by_text("Before.", exact=True)).to_be_visible()
    slow.go()

    for lab in (one, two):
        expect(lab.cell(0).get_by_text("Before. After.", exact=True)).to_be_visible()
        expect(lab.cell(0).locator("[data-status=done]")).to_be_visible()
        assert [said(turn) for turn in turns_once_written(lab)] == [("done", "Before. After.")]


@needs_collaboration
def test_what_one_page_leaves_out_of_requests_is_marked_and_left_out_in_the_other(
    shared_url, lab_root, model_server, open_page
):
    path = lab_root / "shared-history.ipynb"
    write_notebook(path, "Tell me", "And then?")
    model_server.answers = [text("First."), text("Second.")]
    one, two = open_page(shared_url, path.name), open_page(shared_url, path.name)
    one.run(0)
    for lab in (one, two):
        expect(lab.cell(0).locator("[data-status=done]")).to_be_visible()

    two.cell(0).locator(".jp-InputPrompt").click()
    two.command("msgbook:set-history", history="exclude")
    expect(one.cell(0)).to_have_class(re.compile("msgbook-mod-excluded"))
    one.run(1)
    for lab in (one, two):
        expect(lab.cell(1).get_by_text("Second.", exact=True)).to_be_visible()
        assert [said(turn) for turn in turns_once_written(lab, 1)] == [("done", "Second.")]
    assert [m["content"] for m in model_server.messages()[1:]] == ["And then?"]


@needs_collaboration
def test_the_agents_that_the_other_page_chooses_are_shown_and_answer_here(
    shared_url, lab_root, model_server, open_page
):
    path = lab_root / "shared-agent.ipynb"
    write_notebook(path, "Tell me", "And then?")
    notebook = json.loads(path.read_text())
    notebook["metadata"]["msgbook"] = {"frontmatter": AGENTS}
    path.write_text(json.dumps(notebook))
    model_server.models = ["small", "large"]
    model_server.answers = [text("First."), text("Second.")]
    one, two = open_page(shared_url, path.name), open_page(shared_url, path.name)
    picker = ".msgbook-Picker[data-jp-item-name='msgbook-agent']"
    expect(one.page.locator(picker)).to_contain_text("writer")

    # For the notebook, in the toolbar; for one prompt, in its own menu.
    two.page.locator(picker).locator("button").click()
    two.page.get_by_role("option", name="critic").click()
    expect(one.page.locator(picker)).to_contain_text("critic")
    two.cell(1).locator(".jp-InputPrompt").click()
    two.command("msgbook:choose-cell-agent")
    two.page.get_by_role("dialog", name="Agent of this prompt").get_by_role(
        "option", name="writer"
    ).click()
    expect(one.cell(1).get_by_text("Agent: writer")).to_be_visible()

    for index, words in enumerate(("First.", "Second.")):
        one.run(index)
        for lab in (one, two):
            expect(lab.cell(index).get_by_text(words, exact=True)).to_be_visible()
            turns_once_written(lab, index)
    assert [request["model"] for request in model_server.requests] == ["small", "large"]
