"""The plug-in of pytest, as pytest loads it from the installed package."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from command import settings
from scripted_server import ScriptedServer, call, text

CHAT = "# %% [^one]\n\nWhat is six times seven?\n"


def run_pytest(*arguments, cwd, **env):
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-W", "error", *arguments],
        cwd=cwd,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "chats"
    path.mkdir()
    (path / "chat.msg.md").write_text(CHAT, "utf-8")
    (path / "note.msg.md").write_text("# %% [^two]\n\nnobody asks this\n", "utf-8")
    return path


@pytest.fixture
def recorded(folder):
    with ScriptedServer([text("Forty-two.")]) as server:
        ran = run_pytest("chat.msg.md", "--msgbook-record", cwd=folder, **settings(server))
    assert ran.returncode == 0, ran.stdout
    return folder


def test_a_recorded_conversation_passes_without_its_server(recorded):
    before = (recorded / "chat.msg.md").read_bytes()

    ran = run_pytest(cwd=recorded)

    assert ran.returncode == 0, ran.stdout
    assert "1 passed" in ran.stdout
    assert b"Forty-two." in before
    assert (recorded / "chat.msg.md").read_bytes() == before


def test_an_edited_prompt_fails_with_the_unlike_message(recorded):
    chat = recorded / "chat.msg.md"
    chat.write_text(chat.read_text("utf-8").replace("six times", "nine times"), "utf-8")
    before = chat.read_bytes()

    ran = run_pytest(cwd=recorded)

    assert ran.returncode == 1
    assert "-What is six times seven?\n+What is nine times seven?\n" in ran.stdout
    assert "Traceback" not in ran.stdout
    assert chat.read_bytes() == before


def test_an_edited_answer_fails_with_the_difference_of_the_file(recorded):
    chat = recorded / "chat.msg.md"
    chat.write_text(chat.read_text("utf-8").replace("Forty-two.", "Fifty."), "utf-8")

    ran = run_pytest(cwd=recorded)

    assert ran.returncode == 1
    assert "-Fifty.\n+Forty-two.\n" in ran.stdout


def test_a_conversation_is_recorded_anew(recorded):
    chat = recorded / "chat.msg.md"
    chat.write_text(chat.read_text("utf-8").replace("six times", "nine times"), "utf-8")

    with ScriptedServer([text("Sixty-three.")]) as server:
        ran = run_pytest("--msgbook-record", cwd=recorded, **settings(server))

    assert ran.returncode == 0, ran.stdout
    assert "Sixty-three." in chat.read_text("utf-8")
    assert run_pytest(cwd=recorded).returncode == 0


def test_a_recording_asks_nobody_about_a_call(folder):
    answers = [call("shell", {"command": "echo ran > made.txt"}), text("It was denied.")]
    with ScriptedServer(answers) as server:
        ran = run_pytest("chat.msg.md", "--msgbook-record", cwd=folder, **settings(server))

    assert ran.returncode == 0, ran.stdout
    assert 'approval="denied"' in (folder / "chat.msg.md").read_text("utf-8")
    assert not (folder / "made.txt").exists()


def test_a_failed_recording_fails_and_keeps_the_cassette(recorded):
    cassette = recorded / "chat.cassette.jsonl"
    before = cassette.read_bytes()

    ran = run_pytest(
        "--msgbook-record", cwd=recorded, OPENAI_BASE_URL="http://127.0.0.1:9/v1", MSGBOOK_MODEL="m"
    )

    assert ran.returncode == 1
    assert "OPENAI_BASE_URL" in ran.stdout
    assert cassette.read_bytes() == before


def test_a_run_without_conversations_is_not_disturbed(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import sys\n\ndef test_it():\n"
        "    ours = {name for name in sys.modules if name.startswith(('msgbook', 'openai', 'IPython'))}\n"
        "    assert ours <= {'msgbook', 'msgbook.pytest_plugin', 'msgbook.extras', 'msgbook.extras.pytest_plugin', 'msgbook_autoload'}\n",
        "utf-8",
    )

    ran = run_pytest("-q", cwd=tmp_path)

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "1 passed" in ran.stdout
    assert "msgbook" not in ran.stdout
