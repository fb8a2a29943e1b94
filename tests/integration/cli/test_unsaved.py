"""An answer whose file cannot be written is not lost: where it is, and what is said of it."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from command import run, settings
from scripted_server import Answer, delta, finish, text

from msgbook_format import read

PROMPT = "# %% [^a]\n\nhello\n"

FULL_DISK = (
    "import resource, sys\n"
    "from msgbook.__main__ import main\n"
    "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
    "sys.exit(main(sys.argv[1:]))\n"
)
"""A `msgbook` that can write no file longer than the prompt."""


@pytest.fixture
def chat(tmp_path):
    path = tmp_path / "project" / "chat.msg.md"
    path.parent.mkdir()
    path.write_text(PROMPT)
    return path


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The folder of temporary files of the commands that are run."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def without_folder(chat):
    """An answer; while it comes, the conversation's folder is deleted."""

    def chunks():
        yield delta(content="Hello **you**")
        shutil.rmtree(chat.parent)
        yield finish()

    return Answer(chunks())


@pytest.mark.skipif(os.name != "posix", reason="an open folder can be deleted on POSIX")
@pytest.mark.parametrize("verb", ["run", "chat"])
def test_where_nothing_can_be_written_beside_the_file_a_temporary_one_has_the_answer(
    server, chat, temporary, verb
):
    server.answers = [without_folder(chat)]

    done = run(server, verb, chat, *(["--continue", "hello"] if verb == "chat" else []))

    (kept,) = temporary.glob("msgbook-*/*")
    assert "Hello **you**" in str(read(kept)["cells"][-1]["outputs"])
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    told = f"{chat} was not written: No such file or directory"
    assert f"msgbook {verb}: {told}" in done.stderr
    assert done.stderr.endswith(f"the last answer is in {kept}\n")
    shown = "Hello **you**\n" if verb == "chat" else "a\tunsaved\thello\n"
    assert (done.returncode, done.stdout) == (2, shown)


@pytest.mark.skipif(sys.platform == "win32", reason="resource limits are POSIX's")
def test_where_no_file_can_be_written_the_answer_is_on_the_terminal(server, chat, temporary):
    server.answers = [text("Hello **you**")]

    done = subprocess.run(
        [sys.executable, "-B", "-c", FULL_DISK, "run", str(chat)],
        env={**os.environ, **settings(server)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )

    assert (done.returncode, done.stdout) == (2, "a\tunsaved\thello\n")
    answer, error = done.stderr.splitlines()
    assert answer == "Hello **you**"
    assert error.startswith(f"msgbook run: {chat} was not written: ")
    assert "Copy the last answer from above" in error
    assert chat.read_text() == PROMPT
    assert [entry.name for entry in chat.parent.iterdir()] == ["chat.msg.md"]
    assert list(temporary.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
def test_output_that_cannot_be_written_either_does_not_hide_where_the_answer_is(
    server, chat, temporary
):
    server.answers = [without_folder(chat)]

    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "msgbook", "run", str(chat)],
            env={**os.environ, **settings(server)},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=300,
        )

    (kept,) = temporary.glob("msgbook-*/*")
    assert done.returncode == 2
    assert f"the last answer is in {kept}\n" in done.stderr
