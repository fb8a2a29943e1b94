"""What a person can do at a turn: stop it, send it again, ask another model, continue it, name the chat."""

from __future__ import annotations

from pathlib import Path

from chats import Slow, open_and_run, write_notebook
from lab import Lab, until
from playwright.sync_api import Locator, expect
from scripted_server import Answer, ScriptedServer, delta, error, finish, text


def press(where: Locator, name: str) -> None:
    where.get_by_role("button", name=name, exact=True).click()


def test_stop_stands_at_the_running_answer_and_the_status_bar_says_busy(
    lab: Lab, lab_root: Path, model_server: ScriptedServer, screenshot
) -> None:
    slow = Slow("Said before the stop.", "")
    model_server.answers = [slow.answer]
    cell = open_and_run(lab, lab_root / "stop.ipynb", "Tell me")
    stop = cell.get_by_role("button", name="Stop", exact=True)
    expect(cell.get_by_text("Said before the stop.")).to_be_visible()
    expect(stop).to_be_visible()
    expect(lab.page.locator("#jp-main-statusbar")).to_contain_text("Busy")
    screenshot("running")
    with lab.dark():
        screenshot("running-dark")

    stop.click()
    expect(cell.locator("[data-status=interrupted]")).to_be_visible()
    expect(cell.get_by_text("Said before the stop.")).to_be_visible()
    expect(stop).to_be_hidden()
    expect(lab.page.locator("#jp-main-statusbar")).to_contain_text("Idle")


def test_an_error_says_what_helps_and_the_earlier_answer_comes_back(
    lab: Lab, lab_root: Path, model_server: ScriptedServer, screenshot
) -> None:
    model_server.models = ["scripted-model", "other-model"]
    model_server.answers = [text("The first."), error(401, "Wrong key"), text("The second.")]
    cell = open_and_run(lab, lab_root / "remedies.ipynb", "Tell me")
    expect(cell.get_by_text("The first.")).to_be_visible()
    lab.run(0)
    expect(cell.locator("[data-status=error]")).to_be_visible()
    expect(cell.get_by_text("did not accept the key")).to_be_visible()
    expect(cell.get_by_role("button", name="Connect a Model…")).to_be_visible()
    screenshot("error")
    with lab.dark():
        screenshot("error-dark")
    with lab.width(700):
        screenshot("error-narrow")

    press(cell, "Earlier answer")
    expect(cell.get_by_text("The first.")).to_be_visible()
    press(cell, "Later answer")
    expect(cell.locator("[data-status=error]")).to_be_visible()

    press(cell, "Choose another model")
    choices = lab.page.locator(".msgbook-Popup")
    expect(choices.get_by_role("option")).to_have_text(["other-model"])
    screenshot("models")
    choices.get_by_role("option").first.click()
    expect(cell.get_by_text("The second.")).to_be_visible()
    assert model_server.requests[-1]["model"] == "other-model"
    assert [message["content"] for message in model_server.messages()[1:]] == ["Tell me"]

    press(cell, "Earlier answer")
    expect(cell.get_by_text("The first.")).to_be_visible()


GONE = """
[providers.gone]
base_url = "http://127.0.0.1:9/v1"

[agents.lost]
provider = "gone"
models = ["m"]
"""


def test_a_server_that_is_gone_leaves_three_ways_on(
    lab: Lab, lab_root: Path, config_file: Path, screenshot
) -> None:
    before = config_file.read_text()
    config_file.write_text(before + GONE)
    try:
        cell = open_and_run(lab, lab_root / "gone.ipynb", "%%msg agent=lost\nTell me")
        expect(cell.locator("[data-status=error]")).to_be_visible()
    finally:
        config_file.write_text(before)
    expect(cell.get_by_text("The server of this model could not be reached.")).to_be_visible()
    names = ["Try again", "Choose another model", "Connect a Model…"]
    buttons = [cell.get_by_role("button", name=name, exact=True) for name in names]
    places = [button.bounding_box() for button in buttons]
    assert all(places)
    screenshot("gone")
    with lab.dark():
        screenshot("gone-dark")
    with lab.width(700):
        screenshot("gone-700")


def test_try_again_sends_the_message_again(
    lab: Lab, lab_root: Path, model_server: ScriptedServer
) -> None:
    model_server.answers = [error(400, "Not today"), text("Here I am.")]
    cell = open_and_run(lab, lab_root / "again.ipynb", "Tell me")
    press(cell, "Try again")
    expect(cell.get_by_text("Here I am.")).to_be_visible()
    assert len(model_server.requests) == 2


def test_a_retry_with_another_model_keeps_the_first_answer(
    lab: Lab, lab_root: Path, model_server: ScriptedServer
) -> None:
    model_server.models = ["scripted-model", "other-model"]
    model_server.answers = [text("The first."), text("The second.")]
    cell = open_and_run(lab, lab_root / "models.ipynb", "Tell me")
    expect(cell.get_by_text("The first.")).to_be_visible()
    lab.cell(0).locator(".jp-InputPrompt").click()

    lab.command("msgbook:retry-with-model")
    choices = lab.page.locator(".msgbook-Popup")
    expect(choices.get_by_role("option")).to_have_text(["other-model"])
    choices.get_by_role("option").first.click()

    expect(lab.cell(1).get_by_text("The second.")).to_be_visible()
    expect(lab.cell(0).get_by_text("The first.")).to_be_visible()
    assert [request["model"] for request in model_server.requests] == [
        "scripted-model",
        "other-model",
    ]
    assert [message["content"] for message in model_server.messages()[1:]] == ["Tell me"]


def test_continue_stands_where_the_answer_broke_off_and_goes_away(
    lab: Lab, lab_root: Path, model_server: ScriptedServer, screenshot
) -> None:
    long = "\n\n".join(f"Paragraph {number}." for number in range(60))
    model_server.answers = [
        Answer([delta(content=long), finish("length")]),
        text("And the rest."),
    ]
    cell = open_and_run(lab, lab_root / "continue.ipynb", "Tell me")
    button = cell.get_by_role("button", name="Continue this answer")
    expect(button).to_be_visible()
    last = cell.get_by_text("Paragraph 59.")
    button.scroll_into_view_if_needed()
    below = button.bounding_box()
    end = last.bounding_box()
    assert below is not None
    assert end is not None
    assert below["y"] > end["y"]

    button.click()
    added = lab.cell(1)
    expect(added.get_by_text("And the rest.")).to_be_in_viewport()
    expect(button).to_be_hidden()
    screenshot("continued")

    added.locator(".jp-InputPrompt").click()
    lab.command("notebook:delete-cell")
    expect(button).to_be_visible()


def test_the_view_follows_the_end_until_the_person_scrolls_and_again_from_the_end_on(
    lab: Lab, lab_root: Path, model_server: ScriptedServer
) -> None:
    def paragraphs(name: str) -> str:
        return "".join(f"\n\n{name} {number}." for number in range(40))

    slow = Slow(paragraphs("First"), paragraphs("Second"), paragraphs("Third"), "\n\nFourth.")
    model_server.answers = [slow.answer]
    cell = open_and_run(lab, lab_root / "follow.ipynb", "Tell me")
    expect(cell.get_by_text("First 39.")).to_be_in_viewport()
    slow.go()
    expect(cell.get_by_text("Second 39.")).to_be_in_viewport()

    cell.hover()
    lab.page.mouse.wheel(0, -700)
    expect(cell.get_by_text("Second 39.")).not_to_be_in_viewport()
    view = lab.notebook.locator(".jp-WindowedPanel-outer")
    before = view.evaluate("node => node.scrollTop")
    slow.go()
    expect(cell.get_by_text("Third 39.")).to_be_attached()
    assert view.evaluate("node => node.scrollTop") == before

    # Not as far as it goes: JupyterLab scrolls past the end, where a whole view is blank.
    below = (
        "(node, view) => node.getBoundingClientRect().bottom - view.getBoundingClientRect().bottom"
    )
    end = cell.get_by_text("Third 39.").evaluate(below, view.element_handle())
    lab.page.mouse.wheel(0, end + 30)
    expect(cell.get_by_text("Third 39.")).to_be_in_viewport()
    slow.go()
    expect(cell.get_by_text("Fourth.")).to_be_in_viewport()
    expect(cell.locator("[data-status=done]")).to_be_attached()
    # JupyterLab's own, without which the browser scrolls as well.
    assert view.evaluate("node => node.style.overflowAnchor") == "none"


def test_a_new_chat_is_offered_a_name_by_its_first_message(
    lab: Lab, lab_root: Path, model_server: ScriptedServer, screenshot
) -> None:
    message = "../Trains \u202eto: Graz?\nPlease."
    (lab_root / "Trains to Graz.msg.md").write_text("")
    renamed = lab_root / "Trains to Graz 2.ipynb"
    renamed.unlink(missing_ok=True)
    model_server.answers = [text("Every hour."), text("Until midnight.")]
    write_notebook(lab_root / "Untitled7.ipynb", message, "How late?")
    lab.open("Untitled7.ipynb")
    lab.wait_for_kernel()
    lab.run(0)

    offer = lab.notebook.locator(".msgbook-NameOffer")
    expect(offer).to_contain_text("Name this chat “Trains to Graz”?")
    screenshot("offer")
    with lab.dark():
        screenshot("offer-dark")
    with lab.width(700):
        screenshot("offer-narrow")
    press(offer, "Rename")
    expect(offer).to_have_count(0)
    expect(lab.page.locator(".lm-TabBar-tab.lm-mod-current").first).to_be_visible()
    lab.page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.context.path === 'Trains to Graz 2.ipynb'"
    )
    assert renamed.exists()
    assert not (lab_root / "Untitled7.ipynb").exists()

    lab.run(1)
    expect(lab.cell(1).get_by_text("Until midnight.")).to_be_visible()
    until(lambda: "Until midnight." in renamed.read_text())
    expect(lab.page.locator(".jp-Dialog")).to_have_count(0)
    assert not (lab_root / "Untitled7.ipynb").exists()


def test_a_name_that_is_declined_is_not_offered_again(
    lab: Lab, lab_root: Path, model_server: ScriptedServer
) -> None:
    model_server.answers = [text("Yes."), text("No.")]
    write_notebook(lab_root / "Untitled8.ipynb", "One", "Two")
    lab.open("Untitled8.ipynb")
    lab.wait_for_kernel()
    lab.run(0)
    offer = lab.notebook.locator(".msgbook-NameOffer")
    press(offer, "No")
    lab.run(1)
    expect(lab.cell(1).locator("[data-status=done]")).to_be_visible()
    expect(offer).to_have_count(0)
