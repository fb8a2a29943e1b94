"""`msgbook doctor --setup`: what it asks, and the file that it writes."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import scripted_server as scripted
from doctor_answers import CALLS, NUMBERS


def test_without_a_terminal_setup_says_so(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "msgbook", "doctor", "--setup"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )

    assert done.returncode == 2
    assert "needs a terminal" in done.stderr


def on_terminal(folder: Path, typed: str, **env: str) -> subprocess.CompletedProcess[str]:
    """`msgbook doctor --setup` with a terminal as its input."""
    ours, theirs = pty.openpty()
    os.write(ours, typed.encode())
    settings = {"MSGBOOK_CONFIG": str(folder / "msgbook.toml"), **env}
    try:
        return subprocess.run(
            [sys.executable, "-m", "msgbook", "doctor", "--setup", "--timeout", "30"],
            stdin=theirs,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
            env={**os.environ, **settings},
        )
    finally:
        os.close(ours)
        os.close(theirs)


def test_setup_writes_the_file_and_checks_what_it_says(tmp_path, server):
    server.answers = [scripted.text(NUMBERS), CALLS]
    server.models = ["a", "b"]

    done = on_terminal(tmp_path, f"{server.url}\nnone\n2\n\n")

    assert (done.returncode, done.stderr) == (0, "")
    assert 'model = "b"' in (tmp_path / "msgbook.toml").read_text()
    assert "pass     tools" in done.stdout


def test_setup_says_first_what_the_environment_decides_and_names_no_setting_to_come(tmp_path):
    done = on_terminal(tmp_path, "http://127.0.0.1:9/v1\n\nn\n\x04", OPENAI_BASE_URL="http://h/v1")

    assert done.returncode == 2
    assert done.stdout.startswith(
        "The environment variable OPENAI_BASE_URL is set and overrides the file. To use the server that you name "
        "below, unset it before you start Jupyter or the command."
    )
    assert "The connection to http://127.0.0.1:9/v1 failed" in done.stdout
    assert "Check" not in done.stdout
    assert not (tmp_path / "msgbook.toml").exists()


def test_setup_says_before_the_questions_that_a_key_overrides_the_file(tmp_path):
    key = "sk-0123456789abcdef"
    done = on_terminal(tmp_path, "http://127.0.0.1:9/v1\n\x04", OPENAI_API_KEY=key)

    assert done.stdout.startswith(
        "The environment variable OPENAI_API_KEY is set and overrides the file."
    )
    assert "For a server other than OpenAI's, unset it" in done.stdout.partition("Base URL")[0]
    assert key not in done.stdout


def test_setup_leaves_a_file_alone_without_a_yes(tmp_path):
    (tmp_path / "msgbook.toml").write_text("# mine")

    done = on_terminal(tmp_path, "\n")

    assert done.returncode == 2
    assert "was not changed" in done.stderr
    assert (tmp_path / "msgbook.toml").read_text() == "# mine"
