"""The tool `shell` in a real kernel: no key in its environment, no process left of it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from kernel_client import KernelClient, Message
from scripted_server import ScriptedServer, call, text

from msgbook_format.turn import TURN_MIME

KEY = "sk-0123456789abcdef"

TREE = "echo on; sleep 600 & setsid sleep 600 & touch on; sleep 600"
"""Processes of several kinds; the file tells that they run."""


@pytest.fixture
def started(server: ScriptedServer, tmp_path: Path) -> Iterator[KernelClient]:
    settings = {
        "OPENAI_BASE_URL": server.url,
        "OPENAI_API_KEY": KEY,
        "MSGBOOK_MODEL": "m",
        "MSGBOOK_APPROVAL": "allow",
        "JPY_SESSION_NAME": "named",
        "OTHER_TOKEN": "other",
    }
    with KernelClient(settings, str(tmp_path)) as client:
        yield client


def results_of(messages: list[Message]) -> list[dict[str, Any]]:
    data = [m["content"].get("data", {}) for m in messages]
    turns = [bundle[TURN_MIME] for bundle in data if TURN_MIME in bundle]
    return [block for block in turns[-1]["blocks"] if block["type"] == "tool_result"]


def sleepers(folder: Path) -> list[psutil.Process]:
    """What a command left running in a folder."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.name() == "sleep" and Path(process.cwd()) == folder.resolve():
                found.append(process)
        except psutil.Error:
            continue
    return found


def until_gone(folder: Path) -> None:
    """Wait until no process is left; the test's time limit ends the wait."""
    while sleepers(folder):
        pass


def begin(kernel: KernelClient, server: ScriptedServer, folder: Path) -> str:
    """Start a turn whose command runs, with all its processes."""
    server.answers = [call("shell", {"command": TREE}), text("fine")]
    request = kernel.start("hi", "a")
    while len(sleepers(folder)) < 3 or not (folder / "on").exists():
        pass
    return request


def test_a_command_sees_neither_keys_nor_the_server(started, server):
    server.answers = [call("shell", {"command": "env"}), text("fine")]

    _, messages = started.run("hi", "a")

    (result,) = results_of(messages)
    assert "PATH=" in result["content"]
    for word in (KEY, "OPENAI_API_KEY", "JPY_", "OTHER_TOKEN"):
        assert word not in result["content"]
    assert KEY not in str(server.requests)


def by_message(kernel: KernelClient) -> None:
    kernel.manager.interrupt_kernel()


def by_signal(kernel: KernelClient) -> None:
    kernel.manager.signal_kernel(signal.SIGINT)


@pytest.mark.parametrize("interrupt", [by_message, by_signal])
def test_an_interrupt_ends_the_command_and_keeps_its_output(started, server, tmp_path, interrupt):
    request = begin(started, server, tmp_path)

    interrupt(started)
    reply, messages = started.finish(request)

    assert (reply["status"], reply["ename"]) == ("error", "KeyboardInterrupt")
    (result,) = results_of(messages)
    assert result["status"] == "interrupted"
    assert result["content"].startswith("on\n")
    until_gone(tmp_path)


def test_a_killed_kernel_leaves_no_process(started, server, tmp_path):
    begin(started, server, tmp_path)

    started.manager.signal_kernel(signal.SIGKILL)

    until_gone(tmp_path)


def test_a_kernel_that_shuts_down_leaves_no_process(started, server, tmp_path):
    begin(started, server, tmp_path)

    started.manager.shutdown_kernel(now=False)

    until_gone(tmp_path)
