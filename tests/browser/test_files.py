"""The text of a chat, beside its notebook."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

CHAT = "# %% [^a]\n\n[^a]: [markdown]\n\nFirst\n\n# %% [^b]\n\n[^b]: [markdown]\n\nSecond\n"


def test_the_text_beside_has_what_was_not_saved_yet(lab, lab_root):
    (lab_root / "unsaved.msg.md").write_text("")
    lab.open("unsaved.msg.md")
    lab.wait_for_kernel()
    lab.type_in(0, "Not saved")
    lab.command("msgbook:show-text-beside")

    expect(lab.page.locator(".jp-FileEditor")).to_contain_text("Not saved")


def test_the_text_beside_follows_its_notebook_and_the_other_way_round(lab, lab_root, screenshot):
    path = lab_root / "beside.msg.md"
    path.write_text(CHAT)
    lab.open("beside.msg.md")
    lab.wait_for_kernel()
    lab.command("msgbook:show-text-beside")
    editor = lab.page.locator(".jp-FileEditor")
    expect(editor).to_contain_text("Second")

    editor.get_by_text("Second").click()
    lab.page.keyboard.press("End")
    lab.page.keyboard.insert_text(" thoughts")
    expect(lab.cell(1)).to_have_class(re.compile("jp-mod-active"))
    lab.save()
    expect(lab.cell(1).get_by_text("Second thoughts")).to_be_visible()
    screenshot("beside")
