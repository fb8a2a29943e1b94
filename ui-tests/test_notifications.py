"""A reader who looks elsewhere is told that a long turn has ended, or that a question waits."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from chats import Slow, answer, approve, open_and_run, write_notebook
from lab import Lab
from playwright.sync_api import Locator, expect
from scripted_server import Answer, Chunk, call, delta, text

HOSTILE = "<img src=x onerror=stolen()> **bold** [a](http:evil.example).ipynb"


@pytest.fixture(autouse=True)
def settings(lab: Lab) -> Iterator[None]:
    """Every turn counts as long; afterwards the settings are as they were."""
    lab.set("notifyAfter", 0.01)
    yield
    forget(lab)
    for key, value in {
        "notifyAfter": 30,
        "notifyQuestions": True,
        "notifyInBrowser": False,
    }.items():
        lab.set(key, value)


def forget(lab: Lab) -> None:
    """Take all notifications away."""
    lab.command("apputils:dismiss-notification")


def notices(lab: Lab) -> Locator:
    return lab.page.locator(".Toastify__toast")


def in_front(lab: Lab, name: str) -> None:
    expect(lab.page.locator("#jp-main-dock-panel .lm-mod-current")).to_contain_text(name)


class Held:
    """An answer that begins when it is let go."""

    def __init__(self, what: Answer) -> None:
        self._what = what
        self.go = threading.Event()

    @property
    def answer(self) -> Answer:
        return replace(self._what, chunks=self._chunks(), pause=0.05)

    def _chunks(self) -> Iterator[Chunk]:
        while not self.go.is_set():
            yield delta(content="")
        yield from self._what.chunks


def test_the_end_of_a_long_turn_is_told_once_and_leads_to_the_answer(
    lab, lab_root, model_server, screenshot
):
    slow = Slow("I wait", " no more.")
    model_server.answers = [slow.answer]
    write_notebook(lab_root / "elsewhere.ipynb", "Nothing")
    cell = open_and_run(lab, lab_root / "long.ipynb", "Wait")
    expect(cell).to_contain_text("I wait")
    lab.open("elsewhere.ipynb")
    in_front(lab, "elsewhere.ipynb")
    expect(notices(lab)).to_have_count(0)
    slow.go()

    expect(notices(lab)).to_have_count(1)
    expect(notices(lab)).to_contain_text("long.ipynb: the answer is ready.")
    screenshot("light")
    with lab.dark():
        screenshot("dark")
    with lab.width(700):
        screenshot("700")

    notices(lab).get_by_role("button", name="Show").click()
    in_front(lab, "long.ipynb")
    expect(lab.cell(0)).to_contain_text("I wait no more.")
    expect(lab.cell(0)).to_be_in_viewport()
    expect(notices(lab)).to_have_count(0)
    assert lab.console == []


def test_a_question_that_waits_is_told_leads_there_and_is_withdrawn(
    lab, lab_root, model_server, screenshot
):
    held = Held(call("mkdir", {"path": "asked"}))
    model_server.answers = [held.answer, text("Made.")]
    write_notebook(lab_root / "beside.ipynb", "Nothing")
    open_and_run(lab, lab_root / "asks.ipynb", "Make a folder")
    expect(lab.cell(0).locator(".msgbook-Header")).to_be_visible()
    lab.open("beside.ipynb")
    in_front(lab, "beside.ipynb")
    held.go.set()

    expect(notices(lab)).to_have_count(1)
    expect(notices(lab)).to_contain_text("asks.ipynb: a tool call waits for your approval.")
    screenshot("light")
    with lab.dark():
        screenshot("dark")
    notices(lab).get_by_role("button", name="Show").click()
    in_front(lab, "asks.ipynb")
    expect(lab.cell(0).locator(".msgbook-Approval")).to_be_focused()
    expect(notices(lab)).to_have_count(0)
    answer(approve(lab.cell(0)))
    expect(lab.cell(0).get_by_text("Made.", exact=True)).to_be_visible()
    assert lab.console == []


def test_a_notice_goes_when_its_notebook_is_opened_or_its_question_is_answered(
    lab, lab_root, model_server
):
    write_notebook(lab_root / "third.ipynb", "Nothing")
    for name, is_answered in (("opened.ipynb", False), ("answered.ipynb", True)):
        held = Held(call("mkdir", {"path": name}))
        model_server.reset()
        model_server.answers = [held.answer, text("Made.")]
        open_and_run(lab, lab_root / name, "Make a folder")
        lab.open("third.ipynb")
        in_front(lab, "third.ipynb")
        held.go.set()
        expect(notices(lab)).to_contain_text(name)
        if is_answered:
            lab.command("msgbook:open-approvals")
            panel = lab.page.locator(".msgbook-Approvals")
            answer(approve(panel.locator(".msgbook-Question").last))
        else:
            lab.open(name)
        # The end of the turn is another notice.
        expect(notices(lab).filter(has_text="waits for your approval")).to_have_count(0)
    assert lab.console == []


def test_nothing_is_told_to_a_reader_who_looks_at_it_and_settings_switch_it_off(
    lab, lab_root, model_server
):
    told = note_notifications(lab)
    model_server.answers = [call("mkdir", {"path": "seen"}), text("Made.")]
    cell = open_and_run(lab, lab_root / "seen.ipynb", "Make a folder")
    answer(approve(cell))
    expect(cell.get_by_text("Made.", exact=True)).to_be_visible()
    idle(lab)
    assert told() == []

    lab.set("notifyAfter", 0)
    lab.set("notifyQuestions", False)
    held = Held(call("mkdir", {"path": "off"}))
    model_server.reset()
    model_server.answers = [held.answer, text("Made again.")]
    write_notebook(lab_root / "front.ipynb", "Nothing")
    open_and_run(lab, lab_root / "off.ipynb", "Make a folder")
    lab.open("front.ipynb")
    in_front(lab, "front.ipynb")
    held.go.set()
    lab.command("msgbook:open-approvals")
    answer(approve(lab.page.locator(".msgbook-Approvals .msgbook-Question")))
    lab.open("off.ipynb")
    expect(lab.cell(0).get_by_text("Made again.", exact=True)).to_be_visible()
    idle(lab)
    assert told() == []


def test_the_name_of_a_file_is_plain_text(lab, lab_root, model_server, screenshot):
    slow = Slow("I wait", " no more.")
    model_server.answers = [slow.answer]
    write_notebook(lab_root / "calm.ipynb", "Nothing")
    expect(open_and_run(lab, lab_root / HOSTILE, "Wait")).to_contain_text("I wait")
    lab.open("calm.ipynb")
    in_front(lab, "calm.ipynb")
    slow.go()

    expect(notices(lab)).to_contain_text(HOSTILE[:59])
    for markup in ("img", "strong", "a"):
        expect(notices(lab).locator(f".Toastify__toast-body {markup}")).to_have_count(0)
    screenshot("light")
    assert lab.requests == []


def test_the_system_shows_the_same_if_the_reader_wants_that(lab, lab_root, model_server):
    lab.page.evaluate(
        """() => {
            window.told = [];
            window.Notification = class {
                static permission = 'granted';
                constructor(words) { this.words = words; window.told.push(this); }
                close() { this.isClosed = true; }
            };
        }"""
    )
    held = Held(call("mkdir", {"path": "outside"}))
    model_server.answers = [held.answer, text("Made.")]
    write_notebook(lab_root / "window.ipynb", "Nothing")
    open_and_run(lab, lab_root / "outside.ipynb", "Make a folder")
    lab.set("notifyInBrowser", True)
    lab.open("window.ipynb")
    in_front(lab, "window.ipynb")
    held.go.set()

    expect(notices(lab)).to_have_count(1)
    assert lab.page.evaluate("() => window.told.map(({ words }) => words)") == [
        "outside.ipynb: a tool call waits for your approval."
    ]
    lab.page.evaluate("() => window.told[0].onclick()")
    expect(lab.cell(0).locator(".msgbook-Approval")).to_be_focused()
    expect(notices(lab)).to_have_count(0)
    assert lab.page.evaluate("() => window.told[0].isClosed")
    answer(lab.cell(0).get_by_role("button", name="Deny", exact=True))


def note_notifications(lab: Lab) -> Callable[[], list[str]]:
    """Note the notifications that appear from now on, also those that go at once."""
    lab.page.evaluate(
        """() => {
            window.notices = [];
            new MutationObserver(changes => {
                for (const { addedNodes } of changes) {
                    for (const node of addedNodes) {
                        if (node.querySelector?.('.Toastify__toast-body')) {
                            window.notices.push(node.textContent);
                        }
                    }
                }
            }).observe(document.body, { childList: true, subtree: true });
        }"""
    )

    def told() -> list[str]:
        found: list[str] = lab.page.evaluate("() => window.notices")
        return found

    return told


def idle(lab: Lab) -> None:
    """Wait until the first cell has ended."""
    expect(lab.cell(0).locator(".jp-InputPrompt")).not_to_contain_text("*")
    lab.wait_for_kernel()
