"""The settings and shortcuts of chats, where JupyterLab's users look for them."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import expect

SCHEMA = Path(__file__).parents[1] / "labextension" / "schema" / "settings.json"


def test_the_settings_editor_shows_each_setting_and_one_takes_effect(lab, lab_root, screenshot):
    (lab_root / "settings.msg.md").write_text("# %% [^a]\n\n[^a]: [markdown]\n\nHello\n")
    lab.open("settings.msg.md")
    lab.wait_for_kernel()
    prompts = lab.page.locator(".jp-NotebookPanel .jp-Notebook")
    expect(prompts).to_have_class(re.compile("msgbook-mod-prose"))
    lab.command("settingeditor:open", query="Chat")
    lab.page.locator(".jp-PluginList-entry", has_text=re.compile("^Chat$")).click()

    form = lab.page.locator(".jp-SettingsPanel")
    for setting in json.loads(SCHEMA.read_text())["properties"].values():
        expect(form.get_by_text(setting["title"], exact=True)).to_be_visible()
    screenshot("light")
    with lab.dark():
        screenshot("dark")
    with lab.width(700):
        screenshot("narrow")
    box = form.get_by_label("Show prompts as messages")
    box.uncheck()
    expect(prompts).not_to_have_class(re.compile("msgbook-mod-prose"))
    box.check()
    expect(prompts).to_have_class(re.compile("msgbook-mod-prose"))


def test_the_shortcuts_of_chats_stand_in_the_shortcuts_editor(lab, screenshot):
    lab.command("settingeditor:open", query="Keyboard Shortcuts")
    lab.page.locator(".jp-PluginList-entry", has_text="Keyboard Shortcuts").click()
    lab.page.locator("input[placeholder='Search…']").last.fill("approval")

    row = lab.page.locator(".jp-Shortcuts-Row", has_text="Waits for Approval")
    expect(row).to_contain_text("Y")
    screenshot("shortcuts")
