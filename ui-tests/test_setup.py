"""The first run: no model is configured, and a person connects one."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from chats import answer, approve
from lab import Lab, running_lab
from playwright.sync_api import Browser, expect
from scripted_server import call, text

KEY = "sk-0123456789-secret"
SUPPORT = Path(__file__).parents[1] / "tests" / "support"

TEAM = 7
"""Place of the tour's message that starts sub-agents."""


@pytest.fixture(scope="module")
def first_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of everything that this JupyterLab reads and writes."""
    return tmp_path_factory.mktemp("first")


@pytest.fixture(scope="module")
def lab_root(first_folder: Path) -> Path:
    root = first_folder / "root"
    root.mkdir(exist_ok=True)
    return root


@pytest.fixture(scope="module")
def lab_url(first_folder: Path, lab_root: Path) -> Iterator[str]:
    """A JupyterLab without a model, with debug logs, and with a keyring that works."""
    settings = {
        "JUPYTER_CONFIG_DIR": str(first_folder / "config"),
        "PYTHONPATH": str(SUPPORT),
        "PYTHON_KEYRING_BACKEND": "saved_keyring.SavedKeyring",
        "SAVED_KEYRING": str(first_folder / "keys.json"),
    }
    unset = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "MSGBOOK_MODEL", "MSGBOOK_CONFIG")
    before = {name: os.environ.pop(name) for name in unset if name in os.environ}
    log = first_folder / "jupyterlab.txt"
    with running_lab(lab_root, log, settings, "--debug") as url:
        yield url
    os.environ.update(before)


@pytest.fixture(scope="module")
def tab(browser: Browser, lab_url: str) -> Iterator[Lab]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(300_000)
    loaded = Lab(page, lab_url)
    loaded.load()
    yield loaded
    context.close()


def card(lab, title):
    """A card of the launcher's section "Chat"."""
    return lab.page.locator(".jp-LauncherCard[data-category='Chat']:visible", has_text=title)


def test_the_launcher_has_a_section_chat(lab, screenshot):
    titles = lab.page.locator(".jp-Launcher-sectionTitle:visible")
    expect(titles.nth(0)).to_have_text("Notebook")
    expect(titles.nth(1)).to_have_text("Chat")
    for name in ("Chat (notebook)", "Chat (text file)", "Tour", "Connect a Model…"):
        expect(card(lab, name)).to_be_visible()
    screenshot("light")
    with lab.dark():
        screenshot("dark")

    card(lab, "Chat (notebook)").click()
    lab.wait_for_kernel()

    expect(lab.notebook.get_by_text("Chat (msgbook)")).to_be_visible()


@pytest.mark.parametrize("command", ["notebook:create-new", "console:create"])
def test_a_new_notebook_or_console_is_still_proposed_with_python(lab, command, screenshot):
    lab.page.evaluate("command => void window.jupyterapp.commands.execute(command)", command)
    choice = lab.page.get_by_role("dialog").locator("select")
    expect(choice.locator("option", has_text="Chat (msgbook)").first).to_be_attached()
    screenshot("proposed")

    assert json.loads(choice.input_value()) == {"name": "python3"}
    lab.page.keyboard.press("Escape")
    expect(choice).to_have_count(0)


def test_the_tour_opens_and_each_step_runs(lab, lab_root, screenshot):
    card(lab, "Tour").click()
    lab.wait_for_kernel()
    screenshot("opened")

    assert (lab_root / "tour.msg.md").read_text().startswith("# %% A tour in five steps")
    # The command ends with the last cell, which waits for the question of the one above.
    lab.page.evaluate("() => void window.jupyterapp.commands.execute('notebook:run-all-cells')")
    # In view is the last cell, which was run: the question of one far above may not be in the page.
    lab.reveal(TEAM)
    answer(approve(lab.cell(TEAM)))
    expect(lab.notebook.get_by_text("My sub-agents have reported: 2.")).to_be_visible()
    expect(lab.notebook.get_by_text("tokens", exact=False).last).to_be_visible()
    lab.reveal(5)
    expect(lab.notebook.get_by_text("brought along: cell:hello.")).to_be_visible()
    failed = [
        o for cell in lab.cells() for o in cell.get("outputs", ()) if o["output_type"] == "error"
    ]
    assert failed == []
    screenshot("run")


def test_a_model_is_connected_from_the_demo_models_first_answer(
    lab, first_folder, model_server, screenshot
):
    config = first_folder / "config" / "msgbook.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text("# My settings.\n\n[limits]\nmax_steps = 7  # enough\n")
    card(lab, "Chat (text file)").click()
    lab.wait_for_kernel()
    lab.type_in(0, "Hello")
    lab.run(0)
    hint = lab.cell(0).locator(".msgbook-DemoHint")
    expect(hint).to_be_visible()
    screenshot("hint")

    hint.get_by_role("button", name="Connect a Model…").click()
    form = lab.page.locator(".msgbook-Setup")
    form.get_by_label("Provider").select_option("Ollama")
    expect(form.get_by_label("URL")).to_have_value("http://localhost:11434/v1")
    form.get_by_label("Provider").select_option("Another server")
    form.get_by_label("URL").fill(model_server.url)
    form.get_by_label("Save it in the keyring (Test Keyring)").check()
    form.get_by_label("Key", exact=True).locator("visible=true").last.fill(KEY)
    model_server.models = ["another", "scripted", "third"]
    form.get_by_role("button", name="List Models").click()
    models = form.get_by_label("Models of the server")
    expect(models).to_be_focused()
    screenshot("models")
    models.press("Enter")
    expect(form.get_by_label("Model", exact=True)).to_have_value("another")
    form.get_by_role("button", name="List Models").click()
    models.get_by_role("option", name="scripted").click()
    expect(models).to_have_count(0)
    expect(form.get_by_label("Model", exact=True)).to_have_value("scripted")
    model_server.models = ["scripted"]
    model_server.answers = [text("1 2 3 4"), call("add", {"a": 2, "b": 3}), text("5")]
    form.get_by_role("button", name="Test").click()
    expect(form.locator("li[data-status=pass]").first).to_contain_text("reachable")
    assert model_server.seen[-1]["authorization"] == f"Bearer {KEY}"
    screenshot("tested")
    form.get_by_role("button", name="Show the New File").click()
    expect(form.locator("ins").first).to_contain_text('model = "scripted"')
    expect(form.locator("pre")).to_contain_text("max_steps = 7  # enough")
    form.locator("pre").scroll_into_view_if_needed()
    screenshot("preview")
    with lab.dark():
        screenshot("preview-dark")
    with lab.width(700):
        screenshot("preview-narrow")
    form.get_by_role("button", name="Save", exact=True).click()
    expect(form.get_by_text("Saved. New chats use this model.")).to_be_visible()
    screenshot("saved")

    saved = config.read_text()
    assert saved.startswith("# My settings.\n")
    assert "max_steps = 7  # enough" in saved
    assert 'api_key_keyring = "main"' in saved
    assert json.loads((first_folder / "keys.json").read_text()) == {"msgbook/main": KEY}
    model_server.answers = [text("From the **real** one.")]
    form.get_by_role("button", name="Restart the Kernel of 1 Open Chat").click()
    expect(form.get_by_role("button", name=re.compile("Restart"))).to_have_count(0)
    lab.page.locator(".lm-TabBar-tab", has_text="untitled").click()
    lab.wait_for_kernel()
    lab.run(0)
    expect(lab.cell(0).locator("strong", has_text="real")).to_be_visible()
    expect(hint).to_be_hidden()


def test_the_key_is_nowhere_but_in_the_keyring(lab, first_folder):
    """After the test above: not in a log, a notebook, the settings or the page's storage."""
    stored = lab.page.evaluate(
        "() => JSON.stringify([{...localStorage}, {...sessionStorage}, document.body.innerHTML])"
    )
    assert KEY not in stored
    for path in first_folder.rglob("*"):
        if path.is_file() and path.name != "keys.json":
            assert KEY not in path.read_text("utf-8", "replace"), path


def test_a_key_for_the_session_answers_and_is_nowhere_but_in_memory(
    lab, first_folder, model_server, screenshot
):
    """After the tests above: the form shows what is connected, and another key takes its place."""
    key = "sk-of-this-session-alone"
    card(lab, "Connect a Model…").click()
    form = lab.page.locator(".msgbook-Setup")
    expect(form.get_by_text(f"Connected now: scripted at {model_server.url}")).to_be_visible()
    expect(form.get_by_label("Provider")).to_have_value("main")
    expect(form.get_by_label("URL")).to_have_value(model_server.url)
    screenshot("connected")
    form.get_by_label("Enter it for this session").check()
    form.get_by_label("Key", exact=True).locator("visible=true").last.fill(key)
    screenshot("session")
    with lab.dark():
        screenshot("session-dark")
    with lab.width(700):
        screenshot("session-narrow")
    form.get_by_role("button", name="Save", exact=True).click()
    expect(form.get_by_text("Saved. New chats use this model.")).to_be_visible()
    model_server.answers = [text("With the key of the session.")]
    form.get_by_role("button", name="New Chat").click()
    lab.wait_for_kernel()
    assert lab.page.evaluate("() => window.jupyterapp.shell.currentWidget.context.path").endswith(
        ".msg.md"
    )
    lab.type_in(0, "Hello")
    lab.run(0)

    expect(lab.notebook.get_by_text("With the key of the session.")).to_be_visible()
    assert model_server.seen[-1]["authorization"] == f"Bearer {key}"
    assert "api_key_session = true" in (first_folder / "config" / "msgbook.toml").read_text()
    for path in first_folder.rglob("*"):
        if path.is_file():
            assert key not in path.read_text("utf-8", "replace"), path


def test_what_goes_wrong_is_said_in_the_form(lab, screenshot):
    card(lab, "Connect a Model…").click()
    form = lab.page.locator(".msgbook-Setup")
    form.get_by_label("URL").fill("http://127.0.0.1:1/v1")
    form.get_by_label("It is in an environment variable").check()
    form.get_by_label("Name of the environment variable").fill("MY_KEY")
    form.get_by_role("button", name="List Models").click()
    expect(form.get_by_role("alert")).to_contain_text("MY_KEY is not set")
    form.get_by_label("The server needs none").check()
    form.get_by_role("button", name="List Models").click()
    expect(form.get_by_role("alert")).to_contain_text("All connection attempts failed")
    screenshot("alert")


def test_anthropics_preset_asks_over_its_own_api(lab, first_folder, model_server, screenshot):
    """A gateway in place of Anthropic's own address, which no test can ask."""
    key = "sk-ant-0123456789-secret"
    card(lab, "Connect a Model…").click()
    form = lab.page.locator(".msgbook-Setup")
    form.get_by_label("Provider").select_option("Anthropic")
    expect(form.get_by_label("URL")).to_have_value("https://api.anthropic.com/v1")
    screenshot("chosen")
    form.get_by_label("URL").fill(model_server.url)
    form.get_by_label("Save it in the keyring (Test Keyring)").check()
    form.get_by_label("Key", exact=True).locator("visible=true").last.fill(key)
    model_server.models = ["claude-opus-4-5", "claude-haiku-4-5"]
    form.get_by_role("button", name="List Models").click()
    form.get_by_label("Models of the server").get_by_role("option", name="claude-haiku-4-5").click()
    expect(form.get_by_label("Model", exact=True)).to_have_value("claude-haiku-4-5")
    assert "anthropic-version" in model_server.seen[-1]
    model_server.answers = [text("1 2 3 4"), call("add", {"a": 2, "b": 3}, "toolu_1"), text("5")]
    form.get_by_role("button", name="Test").click()
    expect(form.locator("li[data-status=pass]").first).to_contain_text("reachable")
    expect(form.locator("li[data-status=fail]")).to_have_count(0)
    screenshot("tested")
    form.get_by_role("button", name="Save", exact=True).click()
    expect(form.get_by_text("Saved. New chats use this model.")).to_be_visible()
    saved = (first_folder / "config" / "msgbook.toml").read_text()
    assert 'api = "anthropic"' in saved
    assert 'model = "claude-haiku-4-5"' in saved
    assert key not in saved
    model_server.answers = [text("From Claude.", reasoning="I think.")]
    form.get_by_role("button", name="New Chat").click()
    lab.wait_for_kernel()
    lab.type_in(0, "Hello")
    lab.run(0)

    expect(lab.notebook.get_by_text("From Claude.")).to_be_visible()
    expect(lab.notebook.get_by_text("claude-haiku-4-5").first).to_be_visible()
    assert model_server.paths[-1] == "/messages"
    assert model_server.requests[-1]["model"] == "claude-haiku-4-5"
    assert key in str(model_server.seen[-1])
    assert model_server.refused == []
    screenshot("answered")
