"""A turn that runs can be watched: what it does, how fast, and how to stop, hasten or continue it."""

from __future__ import annotations

import re

from chats import Slow, answer, approve, open_and_run, turn_of, write_notebook
from playwright.sync_api import expect
from scripted_server import Answer, delta, error, finish, text
from team import dispatch, play, report


def test_speed_and_step_are_said_while_the_answer_streams(lab, lab_root, model_server, screenshot):
    words = [delta(role="assistant", content="")]
    words += [delta(content=f"word {n} of the answer ") for n in range(60)]
    finished = finish("stop", {"prompt_tokens": 11, "completion_tokens": 70})
    model_server.answers = [Answer([*words, finished], pause=0.1)]
    cell = open_and_run(lab, lab_root / "fast.ipynb", "Talk")
    detail = cell.locator(".msgbook-Header-detail")

    expect(detail).to_have_text(re.compile(r"about \d+ tokens/s"))
    expect(cell.get_by_role("status").filter(has_text="Step 1: the model answers")).to_be_attached()
    screenshot("rate")
    expect(cell.get_by_role("status").filter(has_text="The turn has ended.")).to_be_attached()
    expect(detail).to_have_text("11 → 70 tokens")
    assert lab.console == []


def test_what_broke_off_is_continued_by_a_button_and_one_undo_takes_the_cell_back(
    lab, lab_root, model_server, screenshot
):
    cut = Answer([delta(role="assistant", content="One, two,"), finish("length")])
    model_server.answers = [cut, text(" three.")]
    cell = open_and_run(lab, lab_root / "cut.ipynb", "Count", "Something else")
    button = cell.get_by_role("button", name="Continue this answer in a new cell below")
    expect(button).to_be_visible()
    screenshot("continue")
    with lab.dark():
        screenshot("continue-dark")
    size = lab.page.viewport_size
    lab.page.set_viewport_size({"width": 700, "height": 900})
    screenshot("continue-700")
    lab.page.set_viewport_size(size)

    button.click()
    expect(lab.cell(1).locator(".msgbook-Text")).to_have_text("three.")
    expect(lab.cell(1).locator("[data-status=done]")).to_be_visible()
    sources = [saved["source"] for saved in lab.cells()]
    assert sources[:3] == ["Count", "%continue", "Something else"]
    assert turn_of(lab.cells()[1])["status"] == "done"
    expect(lab.cell(1).get_by_role("button", name="Continue this answer")).to_have_count(0)
    lab.command("notebook:undo-cell-action")
    assert [saved["source"] for saved in lab.cells()][:2] == ["Count", "Something else"]


def test_a_retry_counts_down_and_is_made_now(lab, lab_root, model_server, screenshot):
    model_server.answers = [error(429, "Too many. Please try again in 100s."), text("Here I am.")]
    cell = open_and_run(lab, lab_root / "retry.ipynb", "Hello")

    now = cell.get_by_role("button", name="Ask the server again now")
    expect(now).to_be_visible()
    expect(cell.get_by_text(re.compile(r"Retrying in (100|9\d) s"))).to_be_visible()
    screenshot("retry")
    with lab.dark():
        screenshot("retry-dark")
    with lab.width(700):
        screenshot("retry-700")
    now.click()

    expect(cell.get_by_text("Here I am.", exact=True)).to_be_visible()
    expect(now).to_have_count(0)
    assert all("retry_in" not in block for block in turn_of(lab.cells()[0])["blocks"])


def test_one_sub_agent_is_stopped_by_the_button_in_its_row(lab, lab_root, model_server, screenshot):
    waiting = Slow("I wait", " no more")
    parent = [dispatch("Read the parser", "Look at the tests"), text("One has reported.")]
    model_server.choose = play(parent, {"Read": report("No bugs."), "Look": waiting.answer})
    (lab_root / "stop").mkdir(exist_ok=True)
    write_notebook(lab_root / "stop" / "team.ipynb", "Ask the team")
    lab.open("stop/team.ipynb")
    lab.wait_for_kernel()
    lab.run(0)
    cell = lab.cell(0)
    answer(approve(cell))
    rows = cell.locator(".msgbook-Agent")
    expect(rows.nth(1)).to_contain_text("I wait")
    expect(rows.nth(0)).to_have_attribute("data-status", "done")
    stop = rows.nth(1).get_by_role("button", name="Stop the sub-agent")
    expect(rows.nth(0).get_by_role("button")).to_have_count(0)
    bar = cell.get_by_role("progressbar")
    expect(bar).to_have_count(1)
    expect(bar).to_have_accessible_name(re.compile("Progress of the sub-agent"))
    screenshot("stop")
    with lab.dark():
        screenshot("stop-dark")
    with lab.width(700):
        screenshot("stop-700")

    stop.click()

    expect(rows.nth(1)).to_have_attribute("data-status", "interrupted")
    expect(cell.get_by_text("One has reported.", exact=True)).to_be_visible()
    expect(stop).to_have_count(0)
    expect(bar).to_have_count(0)
    model_server.choose = None
