"""A hostile model, and a hostile notebook, can do nothing to the page."""

from __future__ import annotations

from typing import Any

import nbformat
import pytest
from chats import SPEC, open_and_run, write_notebook
from page_attack import ATTACK
from playwright.sync_api import expect
from scripted_server import Answer, call, delta, text

from msgbook_format.turn import TURN_MIME


def harmless(lab: Any) -> None:
    assert lab.page.evaluate("() => window.hacked") is None
    assert lab.requests == []
    assert (
        lab.page.locator(".msgbook-Turn").locator("script, iframe, img, style, form, video").count()
        == 0
    )


@pytest.mark.smoke
def test_a_hostile_answer_runs_nothing_and_loads_nothing(lab, lab_root, model_server, screenshot):
    (lab_root / "<img src=x onerror=window.hacked=8>").write_text("")
    model_server.answers = [
        Answer([delta(reasoning_content=ATTACK), *call("read", {"path": "."}).chunks]),
        call("<img src=x onerror=window.hacked=9>", {"a": ATTACK}),
        text(ATTACK),
    ]
    write_notebook(lab_root / "evil.ipynb", "Be evil")
    lab.open("evil.ipynb")
    lab.wait_for_kernel()
    lab.run(0)

    expect(
        lab.cell(0).locator(".msgbook-Text").get_by_text("The end of the attack.")
    ).to_be_visible()
    # The line of a finished call has both, so that of its call is hidden.
    for summary in lab.cell(0).locator("summary:visible").all():
        summary.click()
    for link in lab.cell(0).locator(".msgbook-Turn a[href]").all():
        assert link.get_attribute("href").startswith(("http://leak.invalid/", "https:", "mailto:"))
    harmless(lab)
    screenshot("attacked")


def test_opening_a_hostile_notebook_runs_nothing_and_loads_nothing(lab, lab_root, screenshot):
    blocks = [{"type": "text", "step": 1, "text": ATTACK}, {"type": "new<img src=x>", "x": ATTACK}]
    turn = {"version": 1, "status": "done", "agent": ATTACK, "model": ATTACK, "blocks": blocks}
    output = nbformat.v4.new_output(
        "display_data", data={TURN_MIME: turn, "text/markdown": ATTACK, "text/plain": ATTACK}
    )
    cell = nbformat.v4.new_code_cell("Open me", outputs=[output])
    # Without a kernel's name, JupyterLab would ask for one, also while the next test runs.
    trap = nbformat.v4.new_notebook(cells=[cell], metadata={"kernelspec": SPEC})
    nbformat.write(trap, lab_root / "trap.ipynb")

    lab.open("trap.ipynb")

    expect(
        lab.cell(0).locator(".msgbook-Text").get_by_text("The end of the attack.")
    ).to_be_visible()
    harmless(lab)
    screenshot("opened")


@pytest.mark.parametrize("token", ["`", "~", "**a "])
def test_an_answer_that_would_stop_the_page_is_plain_from_there_on(
    token, lab, lab_root, model_server, screenshot
):
    # The table of contents parses the turn's Markdown as well, not with our renderer.
    attack = (token * (80_000 // len(token))).rstrip()
    model_server.answers = [Answer([delta(content=f"**Before.**\n\n{attack}\n\nAfter.")])]
    cell = open_and_run(lab, lab_root / "freeze.ipynb", "Be evil")

    expect(cell.locator(".msgbook-Text strong", has_text="Before.")).to_be_visible()
    expect(
        cell.get_by_text("Shown as plain text: rendering it would block the page.")
    ).to_be_visible()
    expect(cell.locator(".msgbook-Text-tail")).to_contain_text("After.")
    assert attack in cell.locator(".msgbook-Text-tail").text_content()
    cell.locator(".msgbook-Turn").scroll_into_view_if_needed()
    screenshot("plain")
