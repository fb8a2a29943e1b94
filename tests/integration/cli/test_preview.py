"""`msgbook preview`: what it prints is what `msgbook run` sends, and nothing runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from command import run, settings
from previewed_chat import (
    WITHOUT_A_RECORD,
    answer,
    chat,  # noqa: F401 - fixtures
)
from responses_as_chat import chat_messages
from scripted_server import text


def files(folder):
    return sorted(str(path) for path in folder.rglob("*"))


def test_the_json_is_the_body_that_a_run_sends(server, chat):
    server.answers = [text("2")]
    before = files(chat.parent)

    done = run(server, "preview", chat, "--json")
    assert done.returncode == 0
    assert done.stderr == f"msgbook preview: {chat}/two: {WITHOUT_A_RECORD}"
    previewed = json.loads(done.stdout)
    assert files(chat.parent) == before
    assert server.requests == []

    run(server, "run", chat)
    assert previewed == server.requests[0]
    said = json.dumps(chat_messages(previewed))
    for words in ("x,y", "Mind data.", "data:image/png;base64,", "Reads PDF."):
        assert words in said


def test_the_json_survives_a_terminal_that_shows_no_more_than_ascii(server, tmp_path):
    path = tmp_path / "chat.msg.md"
    prompt = "文 é \u202e \x85 😀"
    path.write_text(f"# %%\n\n{prompt}\n", "utf-8")

    done = subprocess.run(
        [sys.executable, "-m", "msgbook", "preview", str(path), "--json"],
        env={**os.environ, "PYTHONIOENCODING": "latin-1", "OPENAI_BASE_URL": server.url},
        capture_output=True,
        check=False,
        timeout=300,
    )

    assert chat_messages(json.loads(done.stdout.decode("ascii")))[-1]["content"] == prompt


def test_a_hidden_output_of_code_is_neither_previewed_nor_sent(server, tmp_path):
    path = tmp_path / "chat.msg.md"
    path.write_text(
        "# %% [^c]\n\n[^c]: [code]\n\nx()\n\n# %%% [^c.1]\n\n[^c.1]: [python] history=hide n=1\n\n"
        "stdout> swordfish\n\n# %%% [^c.1.2]\n\n[^c.1.2]: [python] mime_type=text/plain\n\nshown\n\n"
        "# %% [^p]\n\nSee @[cell:c].\n"
    )

    previewed = json.loads(run(server, "preview", path, "--json", "--run").stdout)
    answer(server, path, text("ok"))

    assert previewed == server.requests[0]
    said = json.dumps(chat_messages(previewed))
    assert said.count("shown") == 2
    assert "swordfish" not in said


def test_python_without_docstrings_makes_a_request_too(server, tmp_path):
    chat = tmp_path / "a.msg.md"
    chat.write_text("# %%\n\nhi\n")
    server.answers = [text("2")]
    done = subprocess.run(
        [sys.executable, "-OO", "-m", "msgbook", "run", str(chat)],
        env={**os.environ, **settings(server)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, "bug" in done.stderr) == (0, False)
    assert "dispatch_subagents" in json.dumps(server.requests[0]["tools"])
