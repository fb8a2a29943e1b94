"""`.mtm` files in JupyterLab: opened by a double click, run, saved as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import expect
from scripted_server import call, text

FIXTURES = Path(__file__).parents[1] / "tests" / "format" / "agent_context" / "fixtures"
CHAT = (FIXTURES / "all_keys.mtm").read_text("utf-8")


def test_a_double_click_opens_it_and_saving_only_adds_the_new_turn(
    lab, lab_root, model_server, screenshot
):
    path = lab_root / "agent.mtm"
    chat = CHAT.replace("file:///ws", lab_root.as_uri())
    path.write_text(chat, "utf-8")
    model_server.answers = [call("read", {"path": "."}), text("It **was** no command.")]
    lab.double_click("agent.mtm")

    expect(lab.cell(0).get_by_text("One line.")).to_be_visible()
    expect(lab.page.locator(".jp-Dialog")).to_have_count(0)
    lab.wait_for_kernel()
    expect(lab.notebook.get_by_text("Chat (msgbook)")).to_be_visible()
    screenshot("opened")

    lab.run(2)
    expect(lab.cell(2).locator("strong", has_text="was")).to_be_visible()
    sent = [(m["role"], m["content"]) for m in model_server.messages(0)[1:]]
    assert sent[0] == ("user", "Look at @[a.py]")
    assert [role for role, _ in sent] == [
        "user", "assistant", "tool", "tool", "assistant", "user", "user",
    ]  # fmt: skip
    assert sent[-2:] == [("user", "%time is not a magic here"), ("user", "!ls is no command")]
    lab.save()
    screenshot("saved")

    saved = path.read_text("utf-8")
    before, after = json.loads(chat), json.loads(saved)
    messages = after["context"]
    count = len(before["context"])
    messages[count - 1].pop("metadata", None)
    assert after["metadata"].pop("file") == "agent.mtm"
    assert {**after, "context": messages[:count]} == before
    assert [message["role"] for message in messages[count:]] == ["assistant", "tool", "assistant"]
    assert messages[-1]["content"] == "It **was** no command."


def test_a_file_that_was_only_opened_keeps_its_bytes(lab, lab_root):
    path = lab_root / "untouched.mutsumi-notebook"
    path.write_text(CHAT, "utf-8")
    lab.open(path.name)
    lab.wait_for_kernel()

    changed = lab.is_changed()
    lab.save()

    assert changed is False
    assert path.read_text("utf-8") == CHAT


def test_a_broken_file_says_what_is_wrong_and_stays(lab, lab_root, screenshot):
    path = lab_root / "broken.mtm"
    path.write_text('{"metadata": {}', "utf-8")
    lab.double_click("broken.mtm")

    dialog = lab.page.locator(".jp-Dialog")
    expect(dialog).to_contain_text("expected JSON, found an error in line 1")
    screenshot("refused")
    lab.page.keyboard.press("Escape")
    assert path.read_text("utf-8") == '{"metadata": {}'
