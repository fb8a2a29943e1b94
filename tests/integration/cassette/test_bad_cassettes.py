"""Cassettes that cannot be used: one line that names the file and its line, and the conversation stays as it was."""

from __future__ import annotations

import compileall
import os
import resource
import subprocess
import sys
from pathlib import Path

from command import settings
from scripted_server import ScriptedServer, call, text

import msgbook
import msgbook_format
from msgbook_format import read
from msgbook_format.turn import TURN_MIME


def test_a_recording_that_the_disk_cannot_hold_costs_no_answer(chat, cassette):
    small = 4096
    # Else the limited processes write cut files of bytecode, which end all later ones. File workers do not know -B.
    for package in (msgbook, msgbook_format):
        compileall.compile_dir(Path(package.__file__).parent, quiet=1)

    def limit_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (small, small))

    command = [sys.executable, "-B", "-m", "msgbook", "run", str(chat), "--record", str(cassette)]
    with ScriptedServer([call("glob", {"pattern": "*"}), text("hello")]) as server:
        done = subprocess.run(
            command,
            env={**os.environ, **settings(server)},
            preexec_fn=limit_files,
            capture_output=True,
            text=True,
            check=False,
        )

    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert str(cassette) in line
    assert "File too large" in line
    assert not cassette.exists()
    assert chat.stat().st_size < small
    [turn] = read(chat).cells[0]["outputs"]
    assert turn["data"][TURN_MIME]["status"] == "done"
