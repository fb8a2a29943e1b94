"""`.msg.md` files in JupyterLab: opened by a double click, run, saved as text."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect
from scripted_server import call, text

from msgbook_format.turn import TURN_MIME

HELLO = """\
---
# a comment of mine
topic: greetings
---

# %% [^q1]

[^q1]: [markdown]

What is in this folder?

# %%% Thoughts [^q1-1]

[^q1-1]: [assistant]  reasoning=1   time="2026-11-20T10:00:00Z" model="older-model"

I should look.

# %%% [^q1-1.5f3a90c2]

[^q1-1.5f3a90c2]: [tool] name="read" call="call_1"

<tool_call><arguments>{"path": "."}</arguments></tool_call>

# %%% [^q1-1.5f3a90c2.1]

[^q1-1.5f3a90c2.1]: [tool] status="success" duration=0.5s

hello.msg.md

# %%% [^q1-2]

[^q1-2]: [assistant]

There is **one file**.

## %% [^q2]

[^q2]: [markdown]

And what did I ask first?
"""


def test_a_file_that_was_only_opened_is_unchanged(lab, lab_root):
    (lab_root / "opened.msg.md").write_text(HELLO)
    lab.open("opened.msg.md")
    lab.wait_for_kernel()

    changed = lab.is_changed()

    assert changed is False


@pytest.mark.smoke
def test_a_double_click_opens_it_as_a_notebook_and_saving_only_adds_the_new_turn(
    lab, lab_root, model_server, screenshot
):
    path = lab_root / "hello.msg.md"
    path.write_text(HELLO)
    model_server.answers = [call("read", {"path": "."}), text("What is in this folder.")]
    lab.double_click("hello.msg.md")

    expect(lab.cell(0).locator("strong", has_text="one file")).to_be_visible()
    expect(lab.cell(0).get_by_text("older-model")).to_be_visible()
    expect(lab.page.locator(".jp-Dialog")).to_have_count(0)
    lab.wait_for_kernel()
    expect(lab.notebook.get_by_text("Chat (msgbook)")).to_be_visible()
    turn = lab.cells()[0]["outputs"][0]["data"][TURN_MIME]
    kinds = [block["type"] for block in turn["blocks"]]
    assert kinds == ["reasoning", "tool_call", "tool_result", "text"]
    screenshot("opened")

    lab.run(1)
    expect(lab.cell(1).get_by_text("What is in this folder.")).to_be_visible()
    sent = [(m["role"], m["content"]) for m in model_server.messages(0)[1:]]
    assert sent == [
        ("user", "What is in this folder?"),
        ("assistant", None),
        ("tool", "hello.msg.md"),
        ("assistant", "There is **one file**."),
        ("user", "And what did I ask first?"),
    ] or sent[1] == ("assistant", "")
    lab.save()

    saved, agents = re.subn(
        "^jupyter:\n  msgbook:\n    agent_metadata: .*\n", "", path.read_text(), flags=re.M
    )
    assert agents == 1
    assert saved.startswith(HELLO.rstrip("\n"))
    added = saved[len(HELLO.rstrip("\n")) :]
    assert re.findall(r"^#+ %%%.*$", added, re.MULTILINE)
    assert "What is in this folder." in added
    screenshot("saved")


def test_opening_and_saving_an_untouched_file_changes_no_byte(lab, lab_root):
    for name, content in (
        ("untouched.msg.md", HELLO),
        ("empty.msg.md", ""),
        ("prose.msg.md", "# Just a heading\n\nand text, no cells\n"),
    ):
        path = lab_root / name
        path.write_text(content)
        lab.open(name)
        lab.wait_for_kernel()
        lab.save()

        assert path.read_text() == content


def test_file_new_chat_makes_a_text_file_that_holds_the_conversation(
    lab, lab_root, model_server, screenshot
):
    (lab_root / "fresh").mkdir(exist_ok=True)
    model_server.answers = [text("A *new* chat.")]
    lab.command("filebrowser:go-to-path", path="fresh", dontShowBrowser=True)

    lab.page.locator(".lm-MenuBar-item", has_text="File").click()
    lab.page.locator(".lm-Menu-itemLabel", has_text=re.compile("^New$")).hover()
    chat = lab.page.locator(".lm-Menu-itemLabel", has_text="Chat (text file)")
    expect(chat).to_be_visible()
    screenshot("menu")
    chat.click()
    lab.wait_for_kernel()
    lab.type_in(0, "Hello there")
    lab.run(0)
    expect(lab.cell(0).locator("em", has_text="new")).to_be_visible()
    lab.page.evaluate("() => window.jupyterapp.shell.currentWidget.context.save()")

    (path,) = (lab_root / "fresh").glob("*.msg.md")
    saved = path.read_text()
    assert "\nHello there\n" in saved
    assert "A *new* chat." in saved
    assert lab.cells()[-1]["source"] == ""
    assert saved.count("# %% ") == 1
    screenshot("saved")


def test_a_file_that_is_not_utf8_is_not_opened_and_not_overwritten(lab, lab_root):
    path = lab_root / "latin.msg.md"
    path.write_bytes("# %% [^a]\n\ncaf\xe9\n".encode("latin-1"))
    before = path.read_bytes()
    lab.double_click("latin.msg.md")

    expect(lab.page.locator(".jp-Dialog", has_text="UTF-8")).to_be_visible()
    assert path.read_bytes() == before
