"""Where jupyterlab-git shows the changes of a file, those of a chat are shown cell by cell."""

from __future__ import annotations

import subprocess
from pathlib import Path

import nbformat
import pytest
from hostile_turns import END, hostile_notebook
from lab import Lab, running_lab
from page_guard import PageGuard
from playwright.sync_api import Locator, expect

import msgbook_format
from msgbook_format.turn import TURN_MIME

ROOT = Path(__file__).parents[3]
INSTALLED = ROOT / ".git-extension"

pytestmark = [
    pytest.mark.skipif(not INSTALLED.is_dir(), reason="make .git-extension/.installed installs it"),
]

HOSTILE = (
    '<img src="https://hostile.example/a.png" onerror="window.ran = 1">'
    "<script>window.ran = 2</script> ![x](https://hostile.example/b.png)"
    " [link](javascript:window.ran=3)"
)


def turn(label: str, answer: str, reasoning: str = "") -> str:
    thoughts = (
        f"# %%% [^{label}-0]\n\n[^{label}-0]: [assistant] reasoning=1\n\n{reasoning}\n\n"
        if reasoning
        else ""
    )
    return f'{thoughts}# %%% [^{label}-1]\n\n[^{label}-1]: [assistant] model="m"\n\n{answer}\n\n'


def prompt(label: str, text: str) -> str:
    return f"# %% [^{label}]\n\n[^{label}]: [markdown]\n\n{text}\n\n"


SAME = "".join(prompt(f"s{n}", f"Same question {n}") + turn(f"s{n}", "Same") for n in range(3))
BEFORE = (
    SAME
    + prompt("q1", "How many **files** are there?")
    + turn("q1", "There are two files in the folder.\n\nThat is *all*.", "I should look.")
    + prompt("gone", f"Is this taken out? {HOSTILE}")
    + turn("gone", f"It was **here**. {HOSTILE}")
    + prompt("last", "Goodbye")
)
AFTER = (
    prompt("last", "Goodbye")
    + SAME
    + prompt("q1", "How many **folders** are there?")
    + turn(
        "q1",
        f"There are three folders in the folder. {HOSTILE}\n\nThat is *all*.",
        f"I should list. {HOSTILE}",
    )
    + prompt("new", "And what is new?")
    + turn("new", f"- a **list**\n- of two {HOSTILE}")
)


def hostile_versions(folder: Path) -> tuple[str, str]:
    """Return two versions of a chat in which each hostile text was changed."""
    versions = []
    for mark in ("old", "new"):
        book = hostile_notebook(by_us=True)
        for number, cell in enumerate(book["cells"]):
            cell["id"] = f"c{number}"
            cell["source"] = f"{mark} {cell['source']}"
            for block in cell["outputs"][0]["data"][TURN_MIME]["blocks"]:
                for key in {"text", "content", "arguments"} & block.keys():
                    block[key] = f"{block[key]} {mark}"
        path = folder / f"{mark}.msg.md"
        msgbook_format.write(nbformat.from_dict(book), path)
        versions.append(path.read_text())
        path.unlink()
    return versions[0], versions[1]


def git(folder: Path, *arguments: str) -> None:
    names = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *names, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def repository(root: Path) -> Path:
    """A repository whose files were changed after its one commit."""
    versions = {
        "chat.msg.md": (BEFORE, AFTER),
        "readme.md": ("# Title\n\nold words\n", "# Title\n\nnew words\n"),
        "broken.mtm": ("{}", "no JSON"),
        "hostile.msg.md": hostile_versions(root),
    }
    git(root, "init", "-b", "main")
    for name, (before, _) in versions.items():
        (root / name).write_text(before)
    git(root, "add", ".")
    git(root, "commit", "-m", "Begin")
    for name, (_, after) in versions.items():
        (root / name).write_text(after)
    return root


@pytest.fixture(scope="module")
def url(repository: Path, log: Path, settings: dict[str, str]):
    installed = {
        "PYTHONPATH": str(INSTALLED),
        "JUPYTER_PATH": str(INSTALLED / "share" / "jupyter"),
        "JUPYTER_CONFIG_PATH": str(INSTALLED / "etc" / "jupyter"),
    }
    with running_lab(repository, log, {**settings, **installed}) as running:
        yield running


def open_diff(lab: Lab, name: str) -> Locator:
    """Ask the panel of jupyterlab-git for the changes of a file."""
    lab.load()
    return show_diff(lab, name)


def show_diff(lab: Lab, name: str) -> Locator:
    lab.command("git:ui")
    lab.page.locator("#jp-git-sessions").get_by_text(name, exact=True).click(button="right")
    lab.page.get_by_role("menuitem", name="Diff", exact=True).click()
    return lab.page.locator(".jp-git-diff-parent-widget")


def test_a_chat_is_compared_cell_by_cell(url, new_tab, screenshots):
    lab = new_tab(url)
    shown = open_diff(lab, "chat.msg.md").locator(".msgbook-ChatDiff")

    expect(shown.get_by_text("3 unchanged cells")).to_be_visible()
    expect(shown.get_by_role("group", name="Moved", exact=True)).to_contain_text("Goodbye")
    expect(shown.get_by_role("group", name="Removed", exact=True)).to_contain_text("taken out")
    added = shown.get_by_role("group", name="Added", exact=True)
    expect(added.locator("li strong")).to_have_text("list")
    changed = shown.get_by_role("group", name="Changed", exact=True)
    expect(changed.locator("del").first).to_have_text("files")
    expect(changed.locator("ins").first).to_have_text("folders")
    expect(changed.get_by_text("I should", exact=False)).to_have_count(0)
    screenshots(lab, "chat")
    changed.get_by_text("Thinking Process").first.click()
    expect(changed.locator("del", has_text="look")).to_be_visible()
    shown.get_by_text("3 unchanged cells").click()
    expect(shown.get_by_text("Same question 2")).to_be_visible()


def test_nothing_in_a_version_runs_or_leaves(url, new_tab):
    lab = new_tab(url)
    shown = open_diff(lab, "chat.msg.md").locator(".msgbook-ChatDiff")
    for label in ("Thinking Process", "Whole answer before", "Whole answer after"):
        shown.get_by_text(label).first.click()
    expect(shown.locator("[data-status]")).not_to_have_count(0)

    assert lab.page.evaluate("window.ran") is None
    assert lab.requests == []
    assert shown.locator("script, img, a[href^='javascript']").count() == 0


def test_versions_with_each_hostile_text_run_nothing_and_hide_nothing(url, new_tab):
    lab = new_tab(url)
    lab.load()
    guard = PageGuard(lab)
    shown = show_diff(lab, "hostile.msg.md").locator(".msgbook-ChatDiff")
    rows = shown.get_by_role("group", name="Changed", exact=True)
    expect(rows).to_have_count(len(hostile_notebook()["cells"]))
    for label in ("Thinking Process", "Whole answer before", "Whole answer after"):
        rows.last.get_by_text(label).first.click()
    lab.page.evaluate(
        "() => document.querySelectorAll('.msgbook-ChatDiff details').forEach(one => (one.open = true))"
    )
    expect(shown.get_by_text(END)).not_to_have_count(0)
    texts = shown.locator(".msgbook-CellDiff-text").evaluate_all(
        "nodes => nodes.map(node => node.textContent).join()"
    )
    assert not {"\u202e", "\u2066", "\u200b", "\0"} & {*texts}
    guard.assert_unharmed(".msgbook-ChatDiff button")


def test_a_file_that_is_no_chat_has_the_plain_text_diff(url, new_tab):
    lab = new_tab(url)
    shown = open_diff(lab, "readme.md")

    expect(shown.locator(".jp-git-diff-root")).to_contain_text("new words")
    expect(shown.locator(".msgbook-ChatDiff")).to_have_count(0)


def test_a_version_that_cannot_be_read_has_the_plain_text_diff_and_the_reason(
    url, new_tab, screenshots
):
    lab = new_tab(url)
    shown = open_diff(lab, "broken.mtm")

    expect(shown.get_by_text("The chat cannot be shown", exact=False)).to_contain_text("broken.mtm")
    expect(shown.locator(".jp-git-diff-root")).to_contain_text("no JSON")
    screenshots(lab, "broken")


def test_without_jupyterlab_git_the_console_says_nothing_of_it(root, log, settings, new_tab):
    with running_lab(root, log.with_name("without-git.txt"), settings) as url:
        lab = new_tab(url)
        lab.load()
        joined = lab.page.evaluate(
            "() => window.jupyterapp.isPluginActivated('@msgbook/labextension:git-diff')"
        )

        assert joined is True
        assert [line for line in lab.console if "git" in line.lower()] == []
        assert lab.page.locator(".jp-Dialog").count() == 0
