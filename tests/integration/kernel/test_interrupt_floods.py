"""A server that sends without an end, as fast as it is read: an interrupt is obeyed, and the kernel lives on."""

from __future__ import annotations

import json

import pytest
from flood_server import FloodServer
from kernel_client import KernelClient

from msgbook_format.turn import TURN_MIME


@pytest.fixture(scope="module")
def flood():
    with FloodServer() as server:
        yield server


@pytest.fixture(scope="module")
def flooded_kernel(flood, tmp_path_factory):
    folder = tmp_path_factory.mktemp("flooded")
    config = folder / "msgbook.toml"
    config.write_text("[limits]\nanswer_limit = 1000000000\n")
    settings = {
        "OPENAI_BASE_URL": flood.url,
        "MSGBOOK_MODEL": "m",
        "MSGBOOK_CONFIG": str(config),
    }
    with KernelClient(settings, str(folder)) as kernel:
        yield kernel


def turns(messages):
    return [
        m["content"]["data"][TURN_MIME]
        for m in messages
        if TURN_MIME in m["content"].get("data", {})
    ]


def said(turn):
    return [
        block for block in turn["blocks"] if block["type"] in ("text", "reasoning", "tool_call")
    ]


@pytest.mark.parametrize(
    "name",
    [
        "text",
        "text, large",
        "reasoning",
        "arguments",
        "comments",
        "pings",
        "empty deltas",
        "no JSON",
    ],
)
def test_an_interrupt_ends_the_turn_and_keeps_what_came(flooded_kernel, flood, name):
    flood.flood = name
    flood.began.clear()
    request = flooded_kernel.start("hi", "a")
    assert flood.began.wait(300)
    while not any(map(said, turns([flooded_kernel.client.get_iopub_msg(timeout=60)]))):
        pass

    flooded_kernel.manager.interrupt_kernel()
    reply, messages = flooded_kernel.finish(request)

    assert (reply["status"], reply["ename"]) == ("error", "KeyboardInterrupt")
    turn = turns(messages)[-1]
    assert turn["status"] == "interrupted"
    assert said(turn)
    assert flooded_kernel.run("%help", "b")[0]["status"] == "ok"


def test_an_answer_without_an_end_is_a_turn_that_is_incomplete_and_no_error(flood, tmp_path):
    flood.flood = "text, large"
    settings = {"OPENAI_BASE_URL": flood.url, "MSGBOOK_MODEL": "m"}
    with KernelClient(settings, str(tmp_path)) as kernel:
        reply, messages = kernel.run("hi", "a")

    assert reply["status"] == "ok"
    turn = turns(messages)[-1]
    assert (turn["status"], turn["finish_reason"]) == ("incomplete", "answer_limit")
    assert len(said(turn)[0]["text"]) == 1_000_000
    assert "error" not in [m["msg_type"] for m in messages]
    assert "answer_limit" in json.dumps(turn["blocks"][-1])
