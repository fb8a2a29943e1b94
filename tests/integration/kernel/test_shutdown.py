"""A kernel that is told to end ends, by itself and with nothing left behind."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from kernel_client import KernelClient
from scripted_server import Answer, ScriptedServer, delta, text

HANG_LIMIT = 20
"""Seconds; a kernel takes less than one."""

LATE_FLUSH = """%%python
import atexit, sys, threading
from pathlib import Path

control = next(thread for thread in threading.enumerate() if thread.name == "Control")
exiting = threading.Event()

class Late:
    def __init__(self, stream):
        self._stream = stream
    def __getattr__(self, name):
        return getattr(self._stream, name)
    def flush(self):
        if threading.current_thread() is control:
            exiting.wait(1)
        self._stream.flush()

def note():
    Path("control").write_text("alive" if control.is_alive() else "ended")
    exiting.set()

sys.stdout = Late(sys.stdout)
atexit.register(note)
"""
"""Delays the flush that follows a request on the control channel until the interpreter exits."""


@pytest.fixture
def own_kernel(server: ScriptedServer, tmp_path: Path) -> Iterator[KernelClient]:
    settings = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"}
    with KernelClient(settings, str(tmp_path)) as kernel:
        yield kernel


def exit_code(kernel: KernelClient) -> int:
    """Tell the kernel to end, and wait until it has."""
    process: subprocess.Popen[bytes] = kernel.manager.provisioner.process
    kernel.client.shutdown()
    return process.wait(HANG_LIMIT)


def test_the_control_channel_has_flushed_before_the_output_channel_is_closed(own_kernel, tmp_path):
    # ipykernel's own order lets a flush wait for ever for a thread that has just ended.
    own_kernel.run(LATE_FLUSH)

    assert exit_code(own_kernel) == 0
    assert (tmp_path / "control").read_text() == "ended"


def test_a_kernel_ends_after_a_connection_to_a_server(own_kernel, server):
    server.answers = [text("fine")]
    own_kernel.run("hi")

    assert exit_code(own_kernel) == 0


def test_a_kernel_ends_in_the_middle_of_an_answer(own_kernel, server):
    server.answers = [Answer([delta(content="half")], hold=1)]
    own_kernel.start("hi")
    assert server.streaming.wait(300)

    assert exit_code(own_kernel) == 0
    assert server.disconnected.wait(300)
