"""The Conversations panel: the conversations of a folder and their sub-agents, kept up to date while it is shown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from chats import Slow, answer, approve, write_notebook
from lab import Lab
from playwright.sync_api import Locator, Route, expect
from scripted_server import text
from team import dispatch, play, report

from msgbook_format.agent_states import mark_running


def show(lab: Lab) -> Locator:
    """Show the panel: its rows."""
    lab.command("msgbook:show-agents")
    panel = lab.page.locator(".msgbook-AgentsPanel")
    expect(panel).to_be_visible()
    return panel.locator(".msgbook-AgentsPanel-agent")


def row(rows: Locator, name: str) -> Locator:
    """The row of one agent, without those of its sub-agents."""
    return rows.filter(has_text=name).last.locator("> .msgbook-AgentsPanel-line")


@pytest.fixture(autouse=True)
def closed_again(lab):
    """The file browser is in front again for the next test."""
    yield
    lab.command("filebrowser:activate")


def put_chat(path: Path, uuid: str, *, parent: str = "null", prompt: str = "Hello") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    agent = f'{{uuid: "{uuid}", name: "{uuid}", parent_agent_id: {parent}}}'
    path.write_text(
        "---\njupyter:\n  kernelspec: {display_name: Chat, language: msgbook, name: msgbook}\n"
        f"  msgbook:\n    agent_metadata: {agent}\n---\n\n# %% [^a]\n\n[^a]: []\n\n{prompt}\n"
    )


def asked_of_the_server(lab: Lab, folder: str) -> list[dict[str, Any]]:
    """The agents as any page gets them, whatever it has open itself."""
    found: list[dict[str, Any]] = lab.page.evaluate(
        "folder => fetch(`/msgbook/agents?folder=${folder}`).then(r => r.json()).then(j => j.agents)",
        folder,
    )
    return found


def test_a_running_sub_agent_is_shown_and_stopped_alone(lab, lab_root, model_server, screenshot):
    parent = [dispatch("Wait for rain", "Read the parser"), text("All have reported.")]
    waiting = Slow("I wait", " no more")
    model_server.choose = play(parent, {"Wait": waiting.answer, "Read": report("No bugs.")})
    (lab_root / "team").mkdir(exist_ok=True)
    write_notebook(lab_root / "team" / "team.ipynb", "Ask the team")
    (lab_root / "team" / ".msgbook").mkdir(exist_ok=True)
    lab.open("team/team.ipynb")
    lab.wait_for_kernel()
    rows = show(lab)
    expect(row(rows, "team")).to_contain_text("open in a tab")
    lab.run(0)
    expect(row(rows, "team")).to_contain_text("running")
    answer(approve(lab.cell(0)))

    expect(row(rows, "Wait for rain")).to_contain_text("running")
    expect(row(rows, "Read the parser")).to_contain_text("done")
    screenshot("running")
    with lab.dark():
        screenshot("running-dark")

    # From another notebook, too.
    write_notebook(lab_root / "team" / "other.ipynb", "Hello")
    lab.open("team/other.ipynb")
    lab.wait_for_kernel()
    expect(row(rows, "other")).to_be_visible()
    row(rows, "Wait for rain").get_by_role("button", name="Stop").click()

    expect(row(rows, "Wait for rain")).to_contain_text("no report yet")
    expect(row(rows, "Wait for rain").get_by_role("button", name="Stop")).to_have_count(0)
    expect(row(rows, "team")).to_contain_text("open in a tab")
    lab.open("team/team.ipynb")
    expect(lab.cell(0).get_by_text("All have reported.", exact=True)).to_be_visible()
    lab.save()
    screenshot("stopped")


def test_a_row_opens_its_conversation_and_what_is_not_open_says_nothing(lab, lab_root, screenshot):
    folder = lab_root / "tree"
    put_chat(folder / "mother.msg.md", "mother")
    put_chat(
        folder / ".msgbook/subagents/mother-1.msg.md",
        "subagent",
        parent="mother",
        prompt="Read the parser and tell me which of its functions are too long. " * 4,
    )
    (folder / "broken.msg.md").write_bytes(b"\xff\xfe")
    lab.command("filebrowser:go-to-path", path="/tree", dontShowBrowser=True)
    rows = show(lab)
    expect(rows).to_have_count(3)
    expect(row(rows, "broken")).to_contain_text("cannot be read")
    expect(row(rows, "Read the parser")).not_to_contain_text("open")
    size = lab.page.viewport_size
    lab.page.set_viewport_size({"width": 700, "height": 900})
    screenshot("700")
    lab.page.set_viewport_size(size)

    rows.filter(has_text="mother").first.get_by_role("button", name="Sub-agents of").click()
    expect(rows).to_have_count(2)
    lab.page.keyboard.press("Enter")
    expect(rows).to_have_count(3)
    row(rows, "Read the parser").get_by_role("button").first.click()

    expect(lab.notebook.get_by_text("Read the parser")).to_be_visible()
    expect(row(rows, "Read the parser")).to_contain_text("no report yet · open in a tab")
    # Its folder is the one of its project, whose agents stay.
    expect(rows).to_have_count(3)
    lab.wait_for_kernel()
    assert {agent["path"]: agent["isWindowOpen"] for agent in asked_of_the_server(lab, "tree")} == {
        "tree/broken.msg.md": False,
        "tree/mother.msg.md": False,
        "tree/.msgbook/subagents/mother-1.msg.md": True,
    }
    screenshot("opened")


def test_files_that_change_on_the_disk_are_seen_and_nothing_is_asked_while_it_is_hidden(
    lab, lab_root, model_server
):
    asked: list[str] = []
    lab.page.on("request", lambda r: asked.append(r.url) if "msgbook/agents" in r.url else None)
    folder = lab_root / "disk"
    put_chat(folder / "first.msg.md", "first")
    lab.command("filebrowser:go-to-path", path="/disk", dontShowBrowser=True)
    lab.open("disk/first.msg.md")
    lab.wait_for_kernel()
    assert not asked

    rows = show(lab)
    expect(rows).to_have_count(1)
    put_chat(folder / "second.msg.md", "second")
    expect(rows).to_have_count(2)
    with mark_running(folder / "second.msg.md", "second"):
        expect(row(rows, "second")).to_contain_text("running")
        expect(row(rows, "second").get_by_role("button", name="Stop")).to_have_count(0)
    expect(row(rows, "second")).not_to_contain_text("running")

    lab.command("filebrowser:activate")
    expect(lab.page.locator(".msgbook-AgentsPanel")).to_be_hidden()
    asked.clear()
    model_server.answers = [text("Hello.")]
    lab.run(0)
    expect(lab.cell(0).locator(".msgbook-Header[data-status=done]")).to_be_visible()
    lab.save()
    assert not asked


def test_what_runs_in_another_folder_is_a_group_with_its_name(
    lab, lab_root, model_server, screenshot
):
    slow = Slow("I wait", " no more")
    model_server.answers = [slow.answer]
    for name in ("near", "far", "far/deep"):
        (lab_root / name).mkdir(exist_ok=True)
    write_notebook(lab_root / "far" / "turning.ipynb", "Wait")
    write_notebook(lab_root / "far" / "resting.ipynb", "Hello")
    put_chat(lab_root / "far/deep/terminal.msg.md", "terminal")
    put_chat(lab_root / "near/near.msg.md", "near")
    lab.open("far/turning.ipynb")
    lab.wait_for_kernel()
    lab.run(0)
    expect(lab.cell(0)).to_contain_text("I wait")
    lab.open("near/near.msg.md")
    lab.wait_for_kernel()

    rows = show(lab)
    groups = lab.page.locator(".msgbook-AgentsPanel-folder")
    expect(groups).to_have_text(["near", "far"])
    expect(row(rows, "turning")).to_contain_text("running")
    expect(rows).to_have_count(2)
    with mark_running(lab_root / "far/deep/terminal.msg.md", "terminal"):
        expect(groups).to_have_text(["near", "far", "far/deep"])
        expect(row(rows, "terminal")).to_contain_text("running")
        pictures(lab, screenshot, "folders")
        row(rows, "terminal").get_by_role("button").first.click()
        expect(groups).to_have_text(["far/deep", "far"])

    slow.go()
    expect(groups).to_have_text(["far/deep"])


def test_sub_agents_outside_of_jupyterlabs_folder_are_named_with_the_reason_and_their_path(
    lab, lab_root, screenshot
):
    """The server's own answer is tested in tests/integration/format/server/test_agents.py."""
    lab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    file = "/home/ann/work/.msgbook/subagents/mother-1.msg.md"
    subagent = {"path": None, "outside": file, "depth": 1, "changed": 1, "status": "pending"}
    subagent |= {"uuid": "subagent", "name": "subagent", "prompt": "Read <b>the parser</b>"}

    def answer_with_subagent(route: Route) -> None:
        answer = route.fetch().json()
        answer["agents"].append(subagent)
        route.fulfill(json=answer)

    put_chat(lab_root / "low" / "mother.msg.md", "mother")
    lab.command("filebrowser:go-to-path", path="/low", dontShowBrowser=True)
    asked = re.compile(r"/msgbook/agents\?folder=low")
    lab.page.route(asked, answer_with_subagent)
    rows = show(lab)
    line = row(rows, "Read <b>the parser</b>")
    expect(line).to_contain_text("cannot be opened here")
    panel = lab.page.locator(".msgbook-AgentsPanel")
    expect(panel).to_contain_text("Some sub-agents cannot be opened here")
    expect(panel.locator("code")).to_have_text("/home/ann/work/.msgbook/subagents")
    pictures(lab, screenshot, "outside")
    line.get_by_role("button", name="Copy path").click()
    assert lab.page.evaluate("() => navigator.clipboard.readText()") == file
    # An answer may be under way: the panel asks again and again.
    lab.page.unroute_all(behavior="ignoreErrors")


def pictures(lab: Lab, screenshot: Any, name: str) -> None:
    """Take pictures in light and dark, and 700 pixels wide."""
    screenshot(name)
    with lab.dark():
        screenshot(f"{name}-dark")
    with lab.width(700):
        screenshot(f"{name}-700")


def test_names_and_tasks_are_text_alone(lab, lab_root):
    folder = lab_root / "hostile"
    words = "<img src=//evil.example/x onerror=alert(1)> **b**"
    put_chat(folder / ".msgbook/subagents/a-1.msg.md", words, parent='"none"', prompt=words)
    lab.command("filebrowser:go-to-path", path="/hostile", dontShowBrowser=True)
    rows = show(lab)
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text(words)
    expect(rows.locator("img")).to_have_count(0)
    assert not lab.requests
