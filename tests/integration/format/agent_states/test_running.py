"""A conversation counts as running exactly as long as the process that runs it lives."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest
from running_files import (
    chat,  # noqa: F401 - fixtures
    files,
)

from msgbook_format.agent_states import read_marks

HOLD = """\
import sys
from pathlib import Path
from msgbook_format.agent_states import mark_running
with mark_running(Path(sys.argv[1]), "u"):
    print("marked", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def runtime_folder(tmp_path, monkeypatch):
    folder = tmp_path / "runtime"
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(folder))
    return folder


def test_a_process_that_is_killed_runs_nothing(chat, runtime_folder):
    command = [sys.executable, "-c", HOLD, str(chat)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"marked\n"
        assert read_marks().is_running(chat, "u")
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert len(files(runtime_folder)) == 1
        assert not read_marks().is_running(chat, "u")
        assert files(runtime_folder) == []
