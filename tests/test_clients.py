"""Clients that know nothing of msgbook show and save whole turns (docs/clients.md)."""

from __future__ import annotations

from typing import Any

import pytest
from kernel_client import KernelClient
from nbformat.v4 import output_from_msg
from scripted_server import Answer, ScriptedServer, call, delta, error, text

from msgbook_format.turn import TURN_MIME


def shown_without_updates(messages: list[dict[str, Any]]) -> list[Any]:
    """What a client shows that takes no updates; a `clear_output` that waits clears it at once."""
    outputs: list[Any] = []
    for message in messages:
        if message["msg_type"] == "clear_output":
            outputs = []
        elif message["msg_type"] in ("display_data", "stream", "error"):
            outputs.append(output_from_msg(message))
    return outputs


def statuses(outputs: list[Any]) -> list[str]:
    """The status of each turn, and the kind of each other output."""
    return [
        output["data"][TURN_MIME]["status"] if "data" in output else output["output_type"]
        for output in outputs
    ]


@pytest.fixture
def kernel(server: ScriptedServer, tmp_path):
    settings = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"}
    with KernelClient(settings, str(tmp_path)) as running:
        yield running


TURNS = [
    pytest.param([text("Yes.", reasoning="Hm.")], ["done"], id="an answer"),
    pytest.param([call("read", {"path": "."}), text("Yes.")], ["done"], id="a tool"),
    pytest.param([error(400, "No.")], ["error", "error"], id="a failure"),
    pytest.param(
        [Answer([delta(content="half")], done=False)], ["incomplete", "error"], id="a cut answer"
    ),
]


@pytest.mark.parametrize(("answers", "expected"), TURNS)
def test_a_client_that_takes_no_updates_shows_one_finished_turn(kernel, server, answers, expected):
    server.answers = answers

    _, messages = kernel.run("Well?")

    assert statuses(shown_without_updates(messages)) == expected


@pytest.mark.parametrize(("answers", "expected"), TURNS)
def test_nbclient_saves_one_finished_turn(run_notebook, server, answers, expected):
    server.answers = answers

    [cell] = run_notebook("Well?", env={"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"})

    assert statuses(cell.outputs) == expected


def test_a_client_that_takes_no_updates_shows_what_was_interrupted(kernel, server):
    server.answers = [Answer([delta(content="half")], hold=1)]
    request = kernel.start("Well?")
    assert server.streaming.wait(30)

    kernel.manager.interrupt_kernel()
    _, messages = kernel.finish(request)

    assert statuses(shown_without_updates(messages)) == ["interrupted", "error"]


def test_a_client_that_names_cells_gets_updates_alone(kernel, server):
    server.answers = [text("Yes.")]

    _, messages = kernel.run("Well?", "a")

    kinds = [message["msg_type"] for message in messages]
    assert kinds.count("display_data") == 1
    assert "update_display_data" in kinds
    assert "clear_output" not in kinds
