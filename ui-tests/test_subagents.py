"""A reader sees what sub-agents do: rows in the turn, their questions, and their conversations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
from chats import SPEC, Slow, answer, approve, saved_turn, write_notebook
from lab import Lab
from playwright.sync_api import Locator, expect
from scripted_server import call, text
from team import dispatch, dispatch_result, play, report, subagent_files, turns_in

from msgbook_format import read, write
from msgbook_format.agent_states import mark_running
from msgbook_format.turn import TURN_MIME, bundle

FOLDER = ".msgbook/subagents"


def turn(*blocks: dict[str, Any], status: str = "done", agent: str = "reviewer") -> Any:
    head = {"version": 1, "status": status, "agent": agent, "model": "scripted-model"}
    return {**head, "started": "2026-11-20T10:00:00Z", "blocks": list(blocks)}


def said(text: str, step: int = 1) -> dict[str, Any]:
    return {"type": "text", "step": step, "text": text}


def chat(prompt: str, answer: Any) -> nbformat.NotebookNode:
    output = nbformat.v4.new_output("display_data", bundle(answer))
    cell = nbformat.v4.new_code_cell(prompt, id="prompt", outputs=[output])
    return nbformat.v4.new_notebook(cells=[cell], metadata={"kernelspec": SPEC})


def dispatched(*rows: dict[str, Any], status: str = "done") -> Any:
    call = {"type": "tool_call", "step": 1, "id": "c", "name": "dispatch_subagents"}
    result = {"type": "tool_result", "step": 1, "id": "c", "status": "success", "duration": 12.5}
    return turn(
        {**call, "arguments": '{"sub_agents": []}', "approval": "user"},
        {**result, "content": "# Parser\nNo bugs.\n", "agents": list(rows)},
        said("All of them have reported.", step=2),
        status=status,
        agent="assistant",
    )


def rows() -> list[dict[str, Any]]:
    usage = {"input_tokens": 12345, "output_tokens": 310}
    names = ("Read the parser", "Read the writer", "Run the tests", "Docs", "Old names")
    states = ("done", "incomplete", "error", "interrupted", "deleted")
    return [
        {
            "uuid": f"u{n}",
            "name": name,
            "agent": "reviewer",
            "status": state,
            "steps": n + 1,
            "file": f"{FOLDER}/chat-{n}.msg.md",
            "usage": usage,
            "duration": 3.5 * n,
            "last": "No bugs were found, but the longest lines are hard to read for a person. " * 2,
        }
        for n, (name, state) in enumerate(zip(names, states, strict=True))
    ]


def put(path: Path, notebook: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write(notebook, path)


def test_saved_rows_are_shown_and_a_link_opens_the_conversation(lab, lab_root, screenshot):
    project = lab_root / "project"
    put(project / FOLDER / "chat-0.msg.md", chat("Read parser.py", turn(said("No bugs."))))
    put(project / "chat.msg.md", chat("Look at everything", dispatched(*rows())))
    lab.open("project/chat.msg.md")
    lab.wait_for_kernel()
    shown = lab.cell(0).locator(".msgbook-Agent")

    expect(shown).to_have_count(5)
    expect(shown.first).to_contain_text("reviewer")
    expect(shown.first).to_contain_text("1 step · < 0.1 s · 12,345 → 310 tokens")
    expect(shown.nth(4).get_by_role("link")).to_have_count(0)
    screenshot("rows")

    shown.first.get_by_role("link", name="Read the parser").click()

    expect(lab.notebook.locator(".msgbook-Text")).to_have_text("No bugs.")
    assert (
        lab.page.evaluate("() => window.jupyterapp.shell.currentWidget.context.path")
        == f"project/{FOLDER}/chat-0.msg.md"
    )
    lab.wait_for_kernel()
    screenshot("opened")


def test_a_conversation_that_was_opened_while_it_runs_is_live_and_read_only(
    lab, lab_root, screenshot
):
    file = lab_root / FOLDER / "live.msg.md"
    put(file, chat("Read parser.py", turn(said("I look."), status="running")))
    # The toolbar has no room for its label.
    with lab.width(700):
        with mark_running(file, "u", writes=True):
            lab.open(f"{FOLDER}/live.msg.md")
            lab.wait_for_kernel()
            cell = lab.cell(0)
            expect(cell.locator("[data-status=running]")).to_be_visible()
            words = cell.locator(".msgbook-Text")
            expect(words).to_have_text("I look.")
            expect(lab.notebook.locator(".jp-Notebook-cell")).to_have_count(1)
            words.evaluate("node => { node.kept = true; }")

            blocks = [said("I look."), said("Found it.", step=2)]
            put(file, chat("Read parser.py", turn(*blocks, status="running")))
            expect(words).to_have_count(2)
            assert words.first.evaluate("node => node.kept") is True
            assert not lab.page.evaluate(
                "() => window.jupyterapp.shell.currentWidget.context.model.dirty"
            )
            screenshot("live")

            before = file.read_bytes()
            refused = lab.page.evaluate(
                """() => window.jupyterapp.serviceManager.contents
                    .save(".msgbook/subagents/live.msg.md", {type: "notebook", format: "json",
                        content: window.jupyterapp.shell.currentWidget.content.model.toJSON()})
                    .then(() => "", error => error.message)"""
            )
            assert "the sub-agent runs" in refused
            assert file.read_bytes() == before
            put(file, chat("Read parser.py", turn(*blocks, said("Fixed.", step=3))))

        expect(cell.locator("[data-status=done]")).to_be_visible()
        expect(words).to_have_count(3)
        lab.page.wait_for_function(
            "() => window.jupyterapp.shell.currentWidget.context.contentsModel.writable"
        )
        expect(lab.page.get_by_text("notebook is read-only")).to_have_count(0)
        # The message that is ready, and in no file.
        expect(lab.notebook.locator(".jp-Notebook-cell")).to_have_count(2)
        lab.save()
        [saved] = read(file)["cells"]
        assert saved["outputs"][0]["data"][TURN_MIME]["status"] == "done"


def rows_of(cell: Locator) -> Locator:
    return cell.locator(".msgbook-Agent")


def start_team(
    lab: Lab, root: Path, name: str, model_server: Any, *tasks: str, **subagents: Any
) -> Locator:
    """Run a prompt whose model starts a sub-agent for each task, and approve that: the cell."""
    parent = [dispatch(*tasks), text("All have reported.")]
    model_server.choose = play(parent, {task: subagents[task.split()[0]] for task in tasks})
    (root / name).parent.mkdir(exist_ok=True)
    write_notebook(root / name, "Ask the team")
    lab.open(name)
    lab.wait_for_kernel()
    lab.run(0)
    cell = lab.cell(0)
    answer(approve(cell))
    expect(rows_of(cell)).to_have_count(len(tasks))
    return cell


def test_rows_are_live_and_a_sub_agent_asks_in_its_own(lab, lab_root, model_server, screenshot):
    waiting = Slow("I wait", " no more")
    cell = start_team(
        lab,
        lab_root,
        "team.ipynb",
        model_server,
        "Read the parser",
        "Make a folder",
        "Look at the tests",
        Read=report("No bugs."),
        Make=[call("mkdir", {"path": "notes"}), report("Made.")],
        Look=waiting.answer,
    )
    read_row, make_row, look_row = (rows_of(cell).nth(n) for n in range(3))
    expect(read_row).to_have_attribute("data-status", "done")
    expect(read_row).to_contain_text("No bugs.")
    expect(make_row).to_contain_text("waiting for you")
    expect(make_row.locator(".msgbook-Approval")).to_contain_text(
        "Approve this call of the sub-agent"
    )
    expect(look_row).to_contain_text("I wait")
    expect(cell.locator(".msgbook-Approval")).to_have_count(1)
    expect(lab.page.locator(".msgbook-mod-deaf")).to_have_count(0)
    screenshot("asked")
    with lab.dark():
        screenshot("asked-dark")

    look_row.get_by_role("link").click()
    expect(lab.notebook.get_by_text("notebook is read-only")).to_be_visible()
    expect(lab.notebook.locator(".msgbook-Header[data-status=running]")).to_be_visible()
    screenshot("subagent")
    subagent = lab.page.evaluate("() => window.jupyterapp.shell.currentWidget.context.path")
    lab.open("team.ipynb")
    answer(approve(make_row))
    expect(make_row).to_have_attribute("data-status", "done")
    waiting.go()

    expect(cell.get_by_text("All have reported.", exact=True)).to_be_visible()
    assert (lab_root / "notes").is_dir()
    lab.save()
    shown = dispatch_result(saved_turn(lab_root / "team.ipynb"))["agents"]
    assert [row["status"] for row in shown] == ["done"] * 3
    lab.open(subagent)
    expect(lab.notebook.locator(".msgbook-Header[data-status=done]")).to_be_visible()
    expect(lab.notebook.get_by_text("notebook is read-only")).to_have_count(0)
    expect(lab.notebook.get_by_text("I wait no more")).to_be_visible()


def test_several_sub_agents_ask_at_once_and_again_after_a_reload(
    lab, lab_root, model_server, screenshot
):
    cell = start_team(
        lab,
        lab_root,
        "asking.ipynb",
        model_server,
        "Make one",
        "Create two",
        Make=[call("mkdir", {"path": "asked-one"}), report("Made.")],
        Create=[call("mkdir", {"path": "asked-two"}), report("Not made.")],
    )
    questions = cell.locator(".msgbook-Agent .msgbook-Approval")
    expect(questions).to_have_count(2)
    lab.save()
    lab.load("asking.ipynb")
    cell = lab.cell(0)
    expect(questions).to_have_count(2)
    size = lab.page.viewport_size
    lab.page.set_viewport_size({"width": 700, "height": 900})
    screenshot("700")
    lab.page.set_viewport_size(size)

    answer(rows_of(cell).nth(1).get_by_role("button", name="Deny", exact=True))
    expect(questions).to_have_count(1)
    answer(approve(rows_of(cell).nth(0)))

    expect(cell.get_by_text("All have reported.", exact=True)).to_be_visible()
    assert (lab_root / "asked-one").is_dir()
    assert not (lab_root / "asked-two").exists()


def test_an_interrupt_stops_all_and_the_rows_say_so(lab, lab_root, model_server, screenshot):
    cell = start_team(
        lab,
        lab_root,
        "halted/team.ipynb",
        model_server,
        "Wait here",
        "Make a folder",
        Wait=Slow("I wait", " no more").answer,
        Make=call("mkdir", {"path": "unwanted"}),
    )
    expect(rows_of(cell).nth(0)).to_contain_text("I wait")
    expect(approve(cell)).to_have_count(1)

    lab.notebook.get_by_role("button", name="Interrupt the kernel").click()

    expect(cell.locator(".msgbook-Header[data-status=interrupted]")).to_be_visible()
    for number in range(2):
        expect(rows_of(cell).nth(number)).to_have_attribute("data-status", "interrupted")
    expect(approve(cell)).to_have_count(0)
    screenshot("interrupted")
    lab.save()
    result = dispatch_result(saved_turn(lab_root / "halted" / "team.ipynb"))
    assert [row["status"] for row in result["agents"]] == ["interrupted"] * 2
    files = [(lab_root / "halted" / row["file"]).resolve() for row in result["agents"]]
    assert set(files) <= set(subagent_files(lab_root))
    assert [turns_in(file)[0]["status"] for file in files] == ["interrupted"] * 2
    rows_of(cell).nth(0).get_by_role("link").click()
    expect(lab.notebook.locator(".msgbook-Header[data-status=interrupted]")).to_be_visible()
