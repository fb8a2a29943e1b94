"""Hostile texts in lists, previews, notifications, the set-up form and the status bar do nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from chats import SPEC, write_notebook
from hostile_strings import SHORT
from lab import Lab
from playwright.sync_api import expect
from scripted_server import text

BIDI = re.compile("[\u202a-\u202e\u2066-\u2069\u200b\u0000-\u0008]")
"""Characters that hide or turn around what stands beside them."""

_KERNEL_SAYS = """
([completions, inspection]) => {
    const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
    kernel.requestComplete = async () => ({ header: {}, content: completions });
    kernel.requestInspect = async () => ({ content: inspection });
}
"""

_RENAMED = """
async ([words, cell]) => {
    const { context } = [...window.jupyterapp.shell.widgets('main')].find(
        one => one.context?.path.endsWith('named.ipynb'));
    const path = context._path;
    for (const [number, word] of words.entries()) {
        context._path = word;
        const request_id = `n${number}`;
        window.lie({ type: 'approval.ask', request_id, cell_id: cell, name: word, arguments: word,
            display_id: 'd', call_id: 'c', asker: [word], edited: false, problem: '', draft: '', reason: word,
            preview: word, choices: ['once', 'no'] });
        await new Promise(requestAnimationFrame);
        if (number < words.length - 1) {
            window.lie({ type: 'approval.closed', request_id });
        }
    }
    context._path = path;
}
"""


@pytest.fixture
def chat(lab: Lab, lab_root: Path) -> Lab:
    write_notebook(lab_root / "places.ipynb", "What is in @[numbers.csv]?", "")
    lab.open("places.ipynb")
    lab.wait_for_kernel()
    return lab


def named(path: Path) -> None:
    """Write a notebook whose one cell has the id `one`."""
    book = nbformat.v4.new_notebook(metadata={"kernelspec": SPEC})
    book.cells = [nbformat.v4.new_code_cell("Hello", id="one")]
    path.write_text(json.dumps(book))


def agents() -> dict[str, Any]:
    names = ("name", "origin", "description", "is_default")
    listed = [{**dict.fromkeys(names, word), "models": [word]} for word in SHORT]
    return {**dict.fromkeys(("agent", "model", "provider", "problem"), SHORT[0]), "agents": listed}


def test_the_lists_of_agents_and_models(lab: Any, chat: Any, guard: Any, screenshot: Any) -> None:
    guard.tell_lies(
        {"agents.list": {"result": agents()}, "models.list": {"result": {"models": SHORT}}}
    )
    for number, count in ((0, len(SHORT)), (1, len({*SHORT}))):
        lab.notebook.locator(".msgbook-Picker-button").nth(number).click()
        lines = lab.page.locator(".msgbook-ChoiceList [role=option]")
        expect(lines.nth(count - 1)).to_be_attached()
        assert not BIDI.search(lab.page.locator(".msgbook-ChoiceList").inner_text())
        guard.assert_unharmed(".msgbook-ChoiceList input")
        screenshot(f"list-{number}")
        lab.page.keyboard.type("<img src=x onerror=window.hacked=1>")
        guard.assert_unharmed(".msgbook-ChoiceList input")
        lab.page.keyboard.press("Escape")
    guard.tell_lies({"models.list": {"error": "\n".join(SHORT)}})
    lab.notebook.locator(".msgbook-Picker-button").nth(1).click()
    expect(lab.page.locator(".msgbook-ChoiceList-note").first).to_contain_text("<img")
    guard.assert_unharmed()


def test_completions_with_previews_and_what_the_pointer_shows(
    lab: Any, chat: Any, guard: Any, screenshot: Any
) -> None:
    named_like = [
        {"text": word, "type": word, "start": 4, "end": 4, "signature": word, "label": word}
        for word in SHORT
    ]
    completions = {
        "status": "ok",
        "matches": SHORT,
        "cursor_start": 4,
        "cursor_end": 4,
        "metadata": {"_jupyter_types_experimental": named_like},
    }
    # A preview is drawn for the first completion only: it has all of them.
    data = {"text/plain": "\n".join(SHORT), "text/html": "".join(SHORT)}
    data["text/markdown"] = "\n\n".join(SHORT)
    inspection = {"status": "ok", "found": True, "data": data}
    lab.page.evaluate(_KERNEL_SAYS, [completions, inspection])
    # A kernel that is busy is asked over its comm.
    guard.tell_lies(
        {"assist.complete": {"result": completions}, "assist.inspect": {"result": inspection}}
    )
    lab.cell(0).get_by_text("numbers.csv").hover()
    hover = lab.page.locator(".msgbook-Hover")
    expect(hover).to_contain_text("<img src=x")
    assert not BIDI.search(hover.text_content())
    guard.assert_unharmed()
    screenshot("hover")
    lab.page.mouse.move(5, 5)
    expect(hover).to_have_count(0)

    lab.type_in(1, "x ")
    lab.page.keyboard.type("@[")
    shown = lab.page.locator(".jp-Completer:not(.lm-mod-hidden)")
    expect(shown.locator(".jp-Completer-docpanel")).to_contain_text("<img src=x")
    guard.assert_unharmed()
    screenshot("completions")
    for _ in range(30):
        lab.page.keyboard.press("ArrowDown")
    guard.assert_unharmed()
    lab.page.keyboard.press("Escape")


def test_names_of_notebooks_in_notifications(
    lab: Any, lab_root: Any, guard: Any, screenshot: Any
) -> None:
    named(lab_root / "named.ipynb")
    lab.open("named.ipynb")
    lab.wait_for_kernel()
    guard.tell_lies({"agents.list": {"result": agents()}})
    lab.command("msgbook:open-context")
    lab.page.wait_for_function("() => window.lie")
    lab.command("launcher:create")
    lab.page.evaluate(_RENAMED, [SHORT, "one"])
    toast = lab.page.locator(".Toastify__toast")
    expect(toast).to_have_count(1)
    assert not BIDI.search(toast.text_content())
    guard.assert_unharmed()
    screenshot("notification")
    lab.command("apputils:dismiss-notification")


def test_the_form_that_connects_a_model(lab: Any, chat: Any, guard: Any, screenshot: Any) -> None:
    every = "\n".join(SHORT)
    presets = [dict.fromkeys(("name", "title", "base_url", "key_variable"), word) for word in SHORT]
    findings = [dict.fromkeys(("check", "status", "words", "advice"), word) for word in SHORT]
    guard.tell_lies(
        {
            "setup.state": {"result": {"path": every, "exists": True, "overriding": SHORT,
                                       "keyring": SHORT[0], "presets": presets}},
            "setup.models": {"result": {"models": SHORT}},
            "setup.test": {"result": {"findings": findings}},
            "setup.preview": {"result": dict.fromkeys(("path", "old", "text", "digest"), every)},
            "setup.save": {"error": every},
        }
    )  # fmt: skip
    lab.command("msgbook:connect-model")
    form = lab.page.locator(".msgbook-Setup")
    expect(form.locator("option").nth(len(SHORT))).to_be_attached()
    form.get_by_role("textbox", name="URL").fill("http://127.0.0.1:9/v1")
    form.get_by_role("button", name="List Models").click()
    expect(form.locator(".msgbook-Setup-models option")).to_have_count(len(SHORT))
    form.get_by_role("button", name="Test").click()
    assert not BIDI.search(form.locator(".msgbook-Setup-models").inner_text())
    expect(form.locator(".msgbook-Setup-findings li")).to_have_count(len(SHORT))
    assert not BIDI.search(form.locator(".msgbook-Setup-findings").text_content())
    assert not BIDI.search(form.locator(".msgbook-Setup-warning").text_content())
    form.get_by_label("Model", exact=True).fill("m")
    form.get_by_role("button", name="Test").click()
    form.get_by_role("button", name="Show the New File").click()
    expect(form.locator("pre")).to_contain_text("<img src=x")
    assert not BIDI.search(form.locator("pre").text_content())
    screenshot("preview")
    guard.assert_unharmed()
    form.get_by_role("button", name="Save", exact=True).click()
    expect(form.get_by_role("alert")).to_contain_text("<img src=x")
    assert not BIDI.search(form.get_by_role("alert").text_content())
    guard.assert_unharmed()
    screenshot("form")


def test_the_status_bar_and_stale_marks(
    lab: Any, lab_root: Any, model_server: Any, guard: Any, screenshot: Any
) -> None:
    every = "\n".join(SHORT)
    model_server.answers = [text("Yes.")]
    named(lab_root / "marked.ipynb")
    lab.open("marked.ipynb")
    lab.wait_for_kernel()
    names = ("input", "cached", "output", "cost", "window_share", every)
    counts = {name: {"known": every, "is_complete": every} for name in names}
    groups = [{"turns": ["one", *SHORT], "changed": [*SHORT, "one"], "maybe_system": every}]
    guard.tell_lies(
        {
            "usage.total": {"result": {**counts, "turns": 1}},
            "stale.list": {"result": {"groups": [*groups, *SHORT, {"turns": SHORT, "changed": SHORT}]}},
        }
    )  # fmt: skip
    lab.run(0)
    expect(lab.page.locator(".msgbook-Usage-button")).to_have_text("≥ 0 → 0 tokens")
    expect(lab.notebook.locator(".msgbook-Stale")).to_have_count(1)
    guard.assert_unharmed(".msgbook-Usage-button", ".msgbook-Stale button")
    screenshot("marks")
