"""Whatever a turn is at, an interrupt leaves a kernel, a notebook and a history that work."""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass
from typing import Any

import pytest
from history_cells import check_valid
from kernel_client import KernelClient
from scripted_server import Answer, call, delta, text

from msgbook_format.turn import TURN_MIME


@pytest.fixture
def server(module_server):
    return module_server


@dataclass(frozen=True)
class Phase:
    """Something a turn can be at."""

    answers: list[Answer]
    shows: str
    """What stands in the turn's JSON as soon as the phase is reached."""
    keeps: str = ""
    """What has to stand in the turn afterwards."""
    connected: bool = True
    """Whether the server still sends."""
    stdin: bool = False


PIECE = {"index": 0, "id": "c1", "function": {"name": "read", "arguments": '{"path": "a'}}
OUTSIDE = call("read", {"path": "/etc/hostname"})

PHASES = {
    "silent": Phase([Answer(hold=0)], '"running"'),
    "reasoning": Phase([Answer([delta(reasoning_content="Hm")], hold=1)], "Hm", "Hm"),
    "text": Phase([Answer([delta(content="Well")], hold=1)], "Well", "Well"),
    "arguments": Phase(
        [Answer([delta(content="Let me"), delta(tool_calls=[PIECE])], hold=2)],
        '{\\"path\\": \\"a',
        "unfinished",
    ),
    "second step": Phase(
        [call("read", {"path": "."}), Answer([delta(content="So")], hold=1)], '"So"', '"So"'
    ),
    "retry wait": Phase(
        [Answer(status=503, body="busy"), text("late")], "Retrying in", "(1/3)", connected=False
    ),
}


def show(message: dict[str, Any]) -> str:
    return json.dumps(message["content"].get("data", {}).get(TURN_MIME, {}))


def until(kernel: KernelClient, shown: str) -> None:
    while shown not in show(kernel.client.get_iopub_msg(timeout=300)):
        pass


def check_interrupted(
    kernel: KernelClient, request: str, queued: str, keeps: str
) -> dict[str, Any]:
    reply, messages = kernel.finish(request)
    assert (reply["status"], reply["ename"]) == ("error", "KeyboardInterrupt")
    turn = json.loads([shown for shown in map(show, messages) if shown != "{}"][-1])
    assert turn["status"] == "interrupted"
    assert keeps in json.dumps(turn["blocks"])
    assert kernel.finish(queued)[0]["status"] == "aborted"
    return turn


@pytest.mark.parametrize("name", PHASES)
def test_an_interrupt_keeps_what_arrived_and_aborts_queued_cells_and_the_next_cell_runs(
    kernel, server, name
):
    phase = PHASES[name]
    server.answers = phase.answers
    request = kernel.start("one", "a")
    queued = kernel.start("two", "b")
    if phase.connected:
        assert server.streaming.wait(300)
    until(kernel, phase.shows)

    kernel.manager.interrupt_kernel()
    check_interrupted(kernel, request, queued, phase.keeps)

    if phase.connected:
        assert server.disconnected.wait(300)
    server.answers = [text("fine")]
    asked = len(server.requests)
    assert kernel.run("three", "c")[0]["status"] == "ok"
    assert len(server.requests) == asked + 1
    check_valid(server.messages())
    assert [m["content"] for m in server.messages() if m["role"] == "user"] == ["one", "three"]


def test_a_turn_can_be_interrupted_while_its_server_sends_nothing(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(30)
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        settings = {"OPENAI_BASE_URL": url, "MSGBOOK_MODEL": "m"}
        with KernelClient(settings, str(tmp_path)) as kernel:
            request = kernel.start("one", "a")
            queued = kernel.start("two", "b")
            connection, _ = listening.accept()
            with connection:
                connection.settimeout(30)
                assert connection.recv(4)

                kernel.manager.interrupt_kernel()
                check_interrupted(kernel, request, queued, "")

                while connection.recv(65536):
                    pass  # until the kernel has hung up
            assert kernel.run("%help", "c")[0]["status"] == "ok"
