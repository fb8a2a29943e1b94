"""A recorded run is replayed without a server: the same file, byte for byte, or a difference and the file as it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from command import settings
from scripted_server import Answer, ScriptedServer, delta

from msgbook.extras.cassettes.replay import run_replay


def prompts(*texts):
    return "".join(f"# %% [^c{number}]\n\n{words}\n\n" for number, words in enumerate(texts, 1))


def test_a_turn_that_was_stopped_is_not_replayed(chat, cassette, capsys):
    chat.write_text(prompts("hi"), "utf-8")
    held = Answer([delta(content="a beginning")], hold=1)
    with ScriptedServer([held]) as server:
        running = subprocess.Popen(
            [sys.executable, "-m", "msgbook", "run", str(chat), "--record", str(cassette)],
            env={**os.environ, **settings(server)},
        )
        assert server.streaming.wait(300)
        running.send_signal(signal.SIGTERM)
        running.wait(300)
    before = chat.read_bytes()

    assert run_replay(chat, cassette) == 1
    assert "was stopped while it was recorded" in capsys.readouterr().err
    assert chat.read_bytes() == before
