"""`msgbook demo`, as somebody types it first."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from command import plant_modules
from forked import ForkServer
from processes import stop

from msgbook.__main__ import main
from msgbook.approval.trust import find_project
from msgbook.cli.demo import prepare


@pytest.fixture
def headless(fork_server: ForkServer, tmp_path: Path) -> Callable[[Path], CompletedProcess[str]]:
    """Runs the demo without JupyterLab, in a folder."""
    code = "import sys; from msgbook.__main__ import main; sys.exit(main(sys.argv[1:]))"
    return lambda folder: fork_server.run(code, "demo", str(folder), "--headless", cwd=tmp_path)


def test_headless_it_runs_the_sample_and_exports_it(headless, tmp_path: Path):
    done = headless(tmp_path / "new")

    assert (done.returncode, done.stdout.split()) == (
        0,
        [str(tmp_path / "new" / "demo.msg.md"), str(tmp_path / "new" / "demo.html")],
    )
    text = (tmp_path / "new" / "demo.msg.md").read_text("utf-8")
    page = (tmp_path / "new" / "demo.html").read_text("utf-8")
    assert "reasoning=1" in text
    assert '[tool] name="read"' in text
    assert "2 messages" in text
    assert "[notice]" not in text
    assert page.count("<details") >= 3
    assert "<details open" not in page


def test_asked_through_another_agent_it_counts_the_messages_and_not_the_agents_turns(
    tmp_path: Path, capsys
):
    path = tmp_path / "chat.msg.md"
    path.write_text("---\nagents: {a: {}, b: {}}\n---\n")
    for agent, words in (("a", "Hi"), ("b", "And now?")):
        assert main(["chat", str(path), "--continue", words, "--agent", agent]) == 0

    answers = capsys.readouterr().out
    assert answers.count("images: ![a circle]") == 1
    assert "**2 messages of yours**, this one included. The first begins: “Hi”" in answers


def test_an_existing_conversation_is_used_not_replaced(tmp_path: Path):
    (tmp_path / "demo.msg.md").write_text("My own words.")

    assert prepare(tmp_path).read_text() == "My own words."


def test_a_new_folder_is_a_project_of_its_own_and_an_old_one_stays_in_its_project(tmp_path: Path):
    """Sub-agents work in the project: the tour's are found where JupyterLab shows the tour."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "old").mkdir()

    found = [find_project(prepare(tmp_path / name).parent) for name in ("new", "old")]

    assert found == [tmp_path / "new", tmp_path]


def test_no_link_is_written_through(tmp_path: Path):
    (tmp_path / "demo.msg.md").symlink_to(tmp_path / "elsewhere")

    prepare(tmp_path)

    assert not (tmp_path / "elsewhere").exists()


def test_headless_nothing_runs_or_is_replaced_that_was_there(headless, tmp_path: Path):
    theirs, page = tmp_path / "demo.msg.md", tmp_path / "theirs.html"
    trace = tmp_path / "trace"
    theirs.write_text(f"# %% [^a]\n\n[^a]: [code]\n\n```python\nopen({str(trace)!r}, 'w')\n```\n")
    before = theirs.read_bytes()
    page.write_text("theirs")
    (tmp_path / "demo-2.html").symlink_to(page)
    (tmp_path / "demo-3.msg.md").symlink_to(tmp_path / "elsewhere")

    done = headless(tmp_path)

    made = [str(tmp_path / "demo-4.msg.md"), str(tmp_path / "demo-4.html")]
    assert (done.returncode, done.stdout.split()) == (0, made)
    assert (theirs.read_bytes(), page.read_text()) == (before, "theirs")
    assert not trace.exists()
    assert not (tmp_path / "elsewhere").exists()


def test_it_opens_jupyterlab_on_the_conversation_from_any_folder(tmp_path: Path):
    """Whatever modules that folder holds: none is imported, the key is in the environment."""
    trace = plant_modules(tmp_path)
    command = [sys.executable, "-m", "msgbook", "demo", "some/where"]
    # The browser that JupyterLab opens is a command that does nothing.
    environment = {**os.environ, "BROWSER": "true"}
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as running:
        assert running.stdout is not None
        said = []
        for line in running.stdout:
            said.append(line)
            if re.search(r"http://\S+/lab/tree/demo\.msg\.md", line):
                break
        stop(running)

    assert "/lab/tree/demo.msg.md" in said[-1], "".join(said)
    assert (tmp_path / "some" / "where" / "demo.msg.md").exists()
    assert not trace.exists(), trace.read_text()


def test_what_cannot_be_used_is_said_in_one_line(tmp_path: Path, capsys):
    (tmp_path / "file").write_text("")

    assert main(["demo", str(tmp_path / "file"), "--headless"]) == 2

    said = capsys.readouterr().err
    assert said.startswith(f"msgbook demo: {tmp_path / 'file'} is a file: DIR has to be a folder")
    assert said.count("\n") == 1
