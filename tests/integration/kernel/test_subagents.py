"""Sub-agents in a kernel: an interrupt stops them all, and a killed kernel leaves files that go on."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import with_settings
from kernel_client import FakePage, KernelClient, Message
from scripted_server import Answer, ScriptedServer, delta, text
from team import (
    SAID,
    dispatch,
    dispatch_result,
    metadata_in,
    play,
    report,
    subagent_files,
    turns_in,
)

from msgbook.cli.run import run_file
from msgbook_format.turn import TURN_MIME, Turn, answer_text

FRUIT = ("apples", "pears", "plums")
HOLD = Answer([delta(content="Working on it. ")], hold=1)
"""An answer that begins and never ends."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".msgbook").mkdir()
    return tmp_path


@pytest.fixture
def settings(server: ScriptedServer) -> dict[str, str]:
    return {
        "OPENAI_BASE_URL": server.url,
        "MSGBOOK_MODEL": "m",
        "MSGBOOK_APPROVAL": "allow",
    }


@pytest.fixture
def kernel(settings: dict[str, str], folder: Path) -> Iterator[KernelClient]:
    with KernelClient(settings, str(folder)) as client:
        yield client


@pytest.fixture
def request_id(kernel: KernelClient, server: ScriptedServer) -> str:
    """A turn whose three sub-agents are in the middle of their answers."""
    server.choose = play(
        [dispatch(*(f"Count the {name}" for name in FRUIT)), SAID], dict.fromkeys(FRUIT, HOLD)
    )
    return kernel.start("count them", "a")


def turns_of(message: Message) -> list[Turn]:
    data = message["content"].get("data", {})
    return [data[TURN_MIME]] if TURN_MIME in data else []


def until_all_stream(kernel: KernelClient) -> Turn:
    """Wait until the text of all three has arrived, and return the turn that shows it."""
    while True:
        for turn in turns_of(kernel.client.get_iopub_msg(timeout=300)):
            rows = [row for block in turn["blocks"] for row in block.get("agents", [])]
            if [row["last"] for row in rows] == ["Working on it."] * 3:
                return turn


def test_sub_agents_are_not_offered_the_notebooks_python(kernel, server, request_id):
    until_all_stream(kernel)
    kernel.manager.interrupt_kernel()
    kernel.finish(request_id)

    offered = [{tool["function"]["name"] for tool in sent["tools"]} for sent in server.requests]
    assert ["python" in names for names in offered] == [True, False, False, False]


def test_an_interrupt_stops_all_sub_agents_and_their_files_say_so(
    kernel, server, folder, request_id
):
    until_all_stream(kernel)

    kernel.manager.interrupt_kernel()
    reply, messages = kernel.finish(request_id)

    assert (reply["status"], reply["ename"]) == ("error", "KeyboardInterrupt")
    for _ in FRUIT:
        assert server.left.acquire(timeout=300)
    assert len(server.requests) == 4
    turn = [turn for message in messages for turn in turns_of(message)][-1]
    assert turn["status"] == "interrupted"
    rows = dispatch_result(turn)["agents"]
    assert [row["status"] for row in rows] == ["interrupted"] * 3

    server.choose = play([text("fine")])
    assert kernel.run("again", "b")[0]["status"] == "ok"
    answered(server.messages())

    # It writes what is still to be written.
    kernel.manager.shutdown_kernel()
    assert {str(file.relative_to(folder)) for file in subagent_files(folder)} == {
        row["file"] for row in rows
    }
    for file in subagent_files(folder):
        [subagent] = turns_in(file)
        assert subagent["status"] == "interrupted"
        assert answer_text(subagent["blocks"]).strip() == "Working on it."


def answered(messages: list[dict[str, Any]]) -> None:
    """Check that each tool call of a request has its result right behind it."""
    open_calls: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            open_calls.remove(message["tool_call_id"])
            continue
        assert not open_calls
        open_calls = [call["id"] for call in message.get("tool_calls", [])]
    assert not open_calls


def test_a_killed_kernel_leaves_files_that_go_on_and_a_notebook_that_can_be_sent(
    kernel, server, folder, request_id, settings
):
    seen = until_all_stream(kernel)
    process = kernel.manager.provisioner.process
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    for _ in FRUIT:
        assert server.left.acquire(timeout=300)

    files = subagent_files(folder)
    assert [turn["status"] for file in files for turn in turns_in(file)] == ["running"] * 3

    shown = {"output_type": "display_data", "data": {TURN_MIME: seen}, "metadata": {}}
    cell = {"cell_type": "code", "metadata": {}, "outputs": []}
    cells = [
        {**cell, "id": "a", "source": "count them", "outputs": [shown]},
        {**cell, "id": "b", "source": "and now?"},
    ]
    server.choose = play([text("fine")])
    with KernelClient(settings, str(folder)) as another:
        page = FakePage(another, cells)
        reply, _ = another.finish(another.start("and now?", "b"), page.take)
        page.close()

    assert reply["status"] == "ok"
    messages = server.messages()
    answered(messages)
    assert [m["content"] for m in messages if m["role"] == "user"] == ["count them", "and now?"]
    assert "uuid" not in str(messages)

    server.choose = play(subagents=dict.fromkeys(FRUIT, report("3 of them")))
    assert with_settings(server, run_file, files[0], MSGBOOK_APPROVAL="allow") == 0

    assert [turn["status"] for turn in turns_in(files[0])] == ["running", "done"]
    assert metadata_in(files[0])["is_task_finished"] is True


def ask(page: FakePage, name: str, **params: Any) -> Message:
    """The answer to a query of a page."""
    page.say(type="query", request_id=name, name=name, params=params)
    return page.wait_for("query.answer")


def test_a_page_stops_one_sub_agent_and_the_others_go_on(kernel, server):
    server.choose = play(
        [dispatch("Count the apples", "Count the pears"), SAID],
        {"apples": HOLD, "pears": report("5")},
    )
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "id": "a", "source": "go"}
    page = FakePage(kernel, [cell])
    request = kernel.start("go", "a")
    assert server.streaming.wait(300)
    while len(ask(page, "subagent.list")["result"]["running"]) != 1:
        page.wait_for("subagents.changed")
    [running] = page.got("query.answer")[-1]["result"]["running"]
    assert running["cell_id"] == "a"

    refused = [
        ask(page, "subagent.stop", cell_id="b", uuid=running["uuid"]),
        ask(page, "subagent.stop", cell_id="a", uuid="another"),
        ask(page, "subagent.stop", cell_id="a"),
    ]
    assert ["error" in answer for answer in refused] == [True] * 3
    assert ask(page, "subagent.stop", **running)["result"] == {}

    reply, messages = kernel.finish(request, page.take)
    page.close()
    assert reply["status"] == "ok"
    [turn] = [turn for message in messages for turn in turns_of(message)][-1:]
    result = dispatch_result(turn)
    assert [row["status"] for row in result["agents"]] == ["interrupted", "done"]
    assert "stopped by the user" in result["content"]
