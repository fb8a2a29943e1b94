"""The status bar counts the tokens of the chat in front, as `%usage` does."""

from __future__ import annotations

from pathlib import Path

from chat_pages import open_chat, prompt, select
from lab import Lab
from playwright.sync_api import expect
from scripted_server import ScriptedServer, text


def test_the_tokens_of_the_notebook_are_counted_and_a_click_opens_the_panel(
    lab: Lab, lab_root: Path, model_server: ScriptedServer, screenshot
) -> None:
    model_server.choose = lambda _request: text("Yes.")
    usage = lab.page.locator(".msgbook-Usage-button")
    open_chat(lab, lab_root, "usage.ipynb", prompt("a", "One"), prompt("b", "Two"))
    expect(usage).not_to_be_visible()

    lab.run(0)
    expect(usage).to_contain_text("11 → 7 tokens")
    lab.run(1)
    expect(usage).to_contain_text("22 → 14 tokens")
    expect(usage).to_contain_text("% of the window")

    usage.click()
    panel = lab.page.locator(".msgbook-Context")
    expect(panel).to_be_visible()
    screenshot("light")
    with lab.dark():
        screenshot("dark")
    lab.page.set_viewport_size({"width": 700, "height": 900})
    screenshot("narrow")
    lab.page.set_viewport_size({"width": 1280, "height": 900})

    select(lab, 0)
    lab.command("notebook:delete-cell")
    expect(usage).to_contain_text("11 → 7 tokens")
    lab.command("launcher:create")
    expect(usage).not_to_be_visible()
    assert len(model_server.requests) == 2
