"""The page in Simplified Chinese: with JupyterLab's language pack all of it, without it all is English."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from chats import answer, open_and_run
from hostile_turns import END, SAVABLE, hostile_notebook, parts
from lab import Lab, running_lab
from page_guard import see_all
from playwright.sync_api import Browser, Page, expect
from scripted_server import ScriptedServer, call, text

PACK = Path(__file__).parents[1] / ".languages"

LANGUAGE = "@jupyterlab/translation-extension:plugin"


@pytest.fixture(scope="module")
def chinese(
    browser: Browser,
    lab_root: Path,
    model_server: ScriptedServer,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Lab]:
    """A tab of a JupyterLab that has the language pack, with Chinese chosen."""
    if not PACK.is_dir():
        pytest.skip("make .languages/.installed installs it")
    settings = {"OPENAI_BASE_URL": model_server.url, "MSGBOOK_MODEL": "scripted-model"}
    log = tmp_path_factory.mktemp("chinese") / "jupyterlab.txt"
    with running_lab(lab_root, log, {**settings, "PYTHONPATH": str(PACK)}) as url:
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        page = context.new_page()
        page.set_default_timeout(300_000)
        lab = Lab(page, url)
        lab.load()
        choose(page, "zh_CN")
        lab.load()
        yield lab
        context.close()


def choose(page: Page, locale: str) -> None:
    page.evaluate(
        """async ([plugin, locale]) => {
            const { settings } = window.jupyterapp.serviceManager;
            await settings.save(plugin, JSON.stringify({ locale }));
        }""",
        [LANGUAGE, locale],
    )


@pytest.fixture
def lab(chinese: Lab, model_server: ScriptedServer) -> Lab:
    model_server.reset()
    chinese.close_all()
    return chinese


def test_a_turn_and_its_question_are_chinese(lab, lab_root, model_server, screenshot):
    model_server.answers = [call("write", {"path": "a.txt", "content": "x"}), text("完成了。")]

    cell = open_and_run(lab, lab_root / "zh.ipynb", "写一个文件")
    approve = cell.get_by_role("button", name="批准", exact=True)
    expect(approve).to_be_visible()
    expect(cell.get_by_text("等待你的决定")).to_be_visible()
    screenshot("question")
    answer(approve)

    expect(cell.get_by_text("完成了。")).to_be_visible()
    expect(cell.locator(".msgbook-Turn")).not_to_contain_text(re.compile("Approve|Result|tokens"))
    screenshot("turn")


def test_the_settings_are_chinese(lab, screenshot):
    lab.command("settingeditor:open", query="对话")

    expect(lab.page.get_by_text("提示词自动换行")).to_be_visible()
    screenshot("settings")


def test_hostile_texts_in_chinese_sentences(lab, lab_root, guard, screenshot):
    (lab_root / "zh-hostile.ipynb").write_text(json.dumps(hostile_notebook()))
    lab.open("zh-hostile.ipynb")
    lab.wait_for_kernel()

    lab.reveal(0)
    expect(lab.cell(0).get_by_text(END)).to_be_visible()
    see_all(lab)
    expect(lab.notebook.get_by_text(END)).to_have_count(len(parts(SAVABLE)))
    guard.assert_unharmed()
    screenshot("hostile")
