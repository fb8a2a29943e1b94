"""Nothing paid for is lost: a turn is in its file when it begins, while it grows and when it ends."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import psutil
import pytest
from chats import Slow, write_notebook
from lab import Lab, running_lab, until
from playwright.sync_api import Browser, expect
from scripted_server import ScriptedServer, text

from msgbook_format import read, writes
from msgbook_format.turn import TURN_MIME


def write_chat(path: Path, *prompts: str) -> None:
    """Write a chat as its name says: a notebook, or a text file."""
    if path.suffix == ".ipynb":
        write_notebook(path, *prompts)
        return
    notebook = path.with_suffix(".tmp.ipynb")
    write_notebook(notebook, *prompts)
    path.write_text(writes(read_chat(notebook)))
    notebook.unlink()


def read_chat(path: Path) -> nbformat.NotebookNode:
    """What stands in a chat's file, which is a notebook or a message file by its name."""
    return nbformat.read(path, 4) if path.suffix == ".ipynb" else read(path)


def saved(path: Path, index: int = 0) -> tuple[str, str]:
    """Status and words of a turn as they stand in the file."""
    cells = read_chat(path).cells
    for output in [output for cell in cells[index : index + 1] for output in cell.outputs]:
        if TURN_MIME in output.get("data", {}):
            turn = output["data"][TURN_MIME]
            return turn["status"], "".join(block.get("text", "") for block in turn["blocks"])
    return "", ""


@pytest.mark.parametrize("name", ["kept.ipynb", "kept.msg.md"])
def test_a_turn_is_saved_when_it_begins_while_it_grows_and_when_it_ends(
    lab: Lab, lab_root: Path, model_server: ScriptedServer, name: str
) -> None:
    path = lab_root / name
    write_chat(path, "Tell me")
    slow = Slow("Said first.", " Said later.", " Said last.")
    model_server.answers = [slow.answer]
    lab.open(name)
    lab.wait_for_kernel()
    lab.type_in(0, "Tell me more")

    lab.run(0)
    until(lambda: "Tell me more" in path.read_text())
    until(lambda: "Said first." in path.read_text())
    slow.go()
    until(lambda: "Said later." in path.read_text())
    assert saved(path)[0] == "running"
    slow.go()
    until(lambda: saved(path) == ("done", "Said first. Said later. Said last."))

    expect(lab.cell(0).locator(".jp-InputPrompt")).to_have_text("[1]:")
    until(lambda: read_chat(path).cells[0].execution_count == 1)
    expect(lab.page.locator(".jp-Dialog")).to_have_count(0)


def test_a_file_that_has_changed_on_disk_is_left_alone_until_the_person_decides(
    lab: Lab, lab_root: Path, model_server: ScriptedServer
) -> None:
    path = lab_root / "changed.msg.md"
    write_chat(path, "Tell me")
    model_server.answers = [text("An answer.")]
    lab.open(path.name)
    lab.wait_for_kernel()
    changed = path.read_text() + "\nWritten by somebody else.\n"
    path.write_text(changed)

    looks = "**/api/contents/changed.msg.md?**hash=1**"
    with lab.page.expect_response(looks):
        lab.run(0)
    expect(lab.cell(0).locator("[data-status=done]")).to_be_visible()
    assert path.read_text() == changed
    expect(lab.page.locator(".jp-Dialog")).to_have_count(0)

    lab.page.keyboard.press("ControlOrMeta+s")
    overwrite = lab.page.get_by_role("button", name="Overwrite")
    expect(overwrite).to_be_visible()
    assert path.read_text() == changed
    overwrite.click()
    until(lambda: saved(path) == ("done", "An answer."))


def test_what_is_not_wanted_is_not_saved(
    lab: Lab, lab_root: Path, model_server: ScriptedServer
) -> None:
    path = lab_root / "unsaved.ipynb"
    write_chat(path, "Tell me")
    before = path.read_bytes()
    model_server.answers = [text("An answer.")]
    lab.set("saveTurns", False)
    try:
        lab.open(path.name)
        lab.wait_for_kernel()
        lab.run(0)
        expect(lab.cell(0).locator("[data-status=done]")).to_be_visible()
        assert lab.is_changed()
        assert path.read_bytes() == before
    finally:
        lab.set("saveTurns", True)


COLLABORATION = Path(__file__).parents[1] / ".collaboration"
SHARED = {
    "PYTHONPATH": str(COLLABORATION),
    "JUPYTER_PATH": str(COLLABORATION / "share" / "jupyter"),
    "JUPYTER_CONFIG_PATH": str(COLLABORATION / "etc" / "jupyter"),
}

Serve = Callable[[dict[str, str]], str]


@pytest.fixture
def serve(lab_root: Path, model_server: ScriptedServer, tmp_path: Path) -> Iterator[Serve]:
    """Starts a Jupyter server on the folder, with more settings; the one before it was killed, or is ended."""
    settings = {"OPENAI_BASE_URL": model_server.url, "MSGBOOK_MODEL": "scripted-model"}
    running = []

    def start(more: dict[str, str]) -> str:
        number = len(running)
        log = tmp_path / f"server{number}" / "jupyterlab.txt"
        log.parent.mkdir(exist_ok=True)
        running.append(running_lab(lab_root, log, settings | more))
        return running[-1].__enter__()

    yield start
    for one in running:
        one.__exit__(None, None, None)


def kill_server(url: str) -> None:
    """Kill the server at a URL, and wait until its kernels are gone too."""
    port = int(url.rpartition(":")[2])
    server = next(
        psutil.Process(c.pid)
        for c in psutil.net_connections()
        if c.laddr and c.laddr.port == port and c.status == psutil.CONN_LISTEN and c.pid
    )
    kernels = server.children(recursive=True)
    os.kill(server.pid, signal.SIGKILL)
    psutil.wait_procs([server, *kernels], timeout=300)


def opened(browser: Browser, url: str, name: str) -> Lab:
    """Open a chat in a browser that has nothing of what others have open, and wait for its kernel."""
    page = browser.new_context().new_page()
    page.set_default_timeout(300_000)
    lab = Lab(page, url)
    lab.load(name)
    lab.wait_for_kernel()
    return lab


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("killed.ipynb", {}),
        ("killed.msg.md", {}),
        pytest.param(
            "shared.ipynb",
            SHARED,
            marks=pytest.mark.skipif(
                not COLLABORATION.is_dir(), reason="make .collaboration/.installed installs it"
            ),
        ),
    ],
    ids=lambda value: "" if isinstance(value, dict) else value,
)
def test_what_had_arrived_when_the_server_was_killed_is_there_afterwards(
    browser: Browser,
    lab_root: Path,
    model_server: ScriptedServer,
    serve: Serve,
    name: str,
    settings: dict[str, str],
) -> None:
    model_server.reset()
    path = lab_root / name
    write_chat(path, "Tell me", "And then?")
    slow = Slow("Said before it was killed.", "")
    model_server.answers = [slow.answer, text("Second.")]
    first = serve(settings)
    lab = opened(browser, first, name)
    lab.run(0)
    expect(lab.cell(0).get_by_text("Said before it was killed.")).to_be_visible()

    # The browser goes with it: nobody saves what stands on the page.
    lab.page.evaluate(
        "() => window.jupyterapp.serviceManager.contents.save = () => new Promise(() => {})"
    )
    kill_server(first)
    lab.page.context.close()
    second = serve(settings)
    lab = opened(browser, second, name)

    expect(lab.cell(0).get_by_text("Said before it was killed.")).to_be_visible()
    expect(lab.cell(0).locator("[data-status=interrupted]")).to_be_visible()
    until(lambda: saved(path) == ("interrupted", "Said before it was killed."))
    lab.run(1)
    expect(lab.cell(1).get_by_text("Second.")).to_be_visible()
    assert "Said before it was killed." in str(model_server.messages()[2])
    lab.page.context.close()


def test_what_came_while_no_browser_was_there_is_there_for_the_next_one(
    browser: Browser, lab: Lab, lab_url: str, lab_root: Path, model_server: ScriptedServer
) -> None:
    path = lab_root / "crashed.msg.md"
    write_chat(path, "Tell me")
    slow = Slow("Said to somebody.", " Said to nobody.")
    model_server.answers = [slow.answer]
    context = browser.new_context()
    crashed = Lab(context.new_page(), lab_url)
    crashed.load(path.name)
    crashed.wait_for_kernel()
    crashed.run(0)
    expect(crashed.cell(0).get_by_text("Said to somebody.")).to_be_visible()

    # Without a word, as in a crash: no event of the page is waited for.
    context.close()
    slow.go()
    assert slow.said.wait(300)
    lab.load(path.name)

    expect(lab.cell(0).get_by_text("Said to somebody. Said to nobody.")).to_be_visible()
    until(lambda: saved(path) == ("done", "Said to somebody. Said to nobody."))
