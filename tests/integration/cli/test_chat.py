"""`msgbook chat` and `msgbook fork`: what is created, and what is left alone."""

from __future__ import annotations

import pytest
from command import run, said
from scripted_server import text


@pytest.mark.smoke
def test_text_model_and_agent_come_from_the_command(server, tmp_path):
    server.answers = [text("Hello")]
    path = tmp_path / "chat.msg.md"
    path.write_text("---\nagents:\n  critic:\n    system_prompt: You judge.\n---\n")
    options = ("--force", "--model", "large", "--agent", "critic")

    done = run(server, "chat", path, "-", *options, stdin="!ls\n50 % of 世界\n")

    assert (done.returncode, done.stdout) == (0, "Hello\n")
    assert said(server.messages()[-1]) == ("user", "!ls\n50 % of 世界")
    assert server.requests[0]["model"] == "large"
    assert server.messages()[0]["content"].startswith("You judge.\n\n")
    assert '[markdown] agent="critic" model="large"' in path.read_text("utf-8")
