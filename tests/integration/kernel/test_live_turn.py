"""A page follows turns by their changes, and gets back what it missed."""

from __future__ import annotations

from typing import Any

import pytest
from kernel_client import FakePage, KernelClient, Message
from scripted_server import Answer, call, delta, text

from msgbook_format.turn import TURN_MIME

LONG = "so many words " * 400


def cell(cell_id: str, source: str = "hi") -> dict[str, Any]:
    return {
        "id": cell_id,
        "cell_type": "code",
        "source": source,
        "metadata": {},
        "outputs": [],
    }


@pytest.fixture
def server(kernel, module_server):
    module_server.answers = [text(LONG)]
    return module_server


@pytest.fixture
def open_page(kernel: KernelClient):
    pages = []

    def open_one(*ids: str) -> FakePage:
        pages.append(FakePage(kernel, [cell(i) for i in ids]))
        return pages[-1]

    yield open_one
    for page in pages:
        page.close()


def shown(messages: list[Message]) -> list[Any]:
    return [m["content"]["data"][TURN_MIME] for m in messages if "transient" in m["content"]]


def test_a_page_that_shows_the_cell_gets_deltas_and_the_display_is_complete_at_the_end(
    kernel, server, open_page
):
    page = open_page("a")

    _, messages = kernel.finish(kernel.start("hi", "a"), page.take)

    turns = shown(messages)
    assert len(turns) == 2
    assert [*page.turns.values()] == [turns[-1]]
    assert turns[-1]["blocks"][-1]["text"] == LONG
    announced = page.got("turn")
    assert [(m["cell_id"], m["seq"], "request_id" in m) for m in announced] == [("a", 0, False)]
    assert [m["seq"] for m in page.got("turn.delta")] == [
        *range(1, len(page.got("turn.delta")) + 1)
    ]


def test_a_page_that_shows_another_notebook_gets_nothing(kernel, server, open_page):
    page = open_page("z")

    _, messages = kernel.finish(kernel.start("hi", "a"), page.take)

    assert page.received == []
    assert shown(messages)[-1]["blocks"][-1]["text"] == LONG


def test_a_page_that_opens_during_a_turn_gets_the_turn_and_then_deltas(kernel, server, open_page):
    server.answers = [Answer([delta(content="half an answer")], hold=1)]
    first = open_page("a")
    request = kernel.start("hi", "a")
    while "half an answer" not in str(first.turns):
        first.take(kernel.client.get_iopub_msg(timeout=300))
    first.close()

    second = open_page("a")
    told = second.wait_for("turn")
    second.say(type="turn.get", request_id="my-id", cell_id="a")
    got = second.wait_for("turn")
    kernel.manager.interrupt_kernel()
    _, messages = kernel.finish(request, second.take)

    assert got == {**told, "request_id": "my-id"}
    assert (got["cell_id"], got["turn"]["status"]) == ("a", "running")
    assert got["turn"]["blocks"][-1]["text"] == "half an answer"
    assert second.turns[got["display_id"]] == shown(messages)[-1]
    assert shown(messages)[-1]["status"] == "interrupted"


def test_a_page_that_opens_gets_running_turns_whose_cells_no_page_showed(kernel, server, open_page):
    server.answers = [Answer([delta(content="half an answer")], hold=1)]
    request = kernel.start("hi", "a")
    server.streaming.wait(300)

    page = open_page("a")
    told = page.wait_for("turn")
    kernel.manager.interrupt_kernel()
    _, messages = kernel.finish(request, page.take)

    assert ("request_id" in told, told["cell_id"]) == (False, "a")
    assert page.turns[told["display_id"]] == shown(messages)[-1]


def test_an_ended_turn_is_sent_until_a_page_has_stored_it(kernel, server, open_page):
    _, messages = kernel.run("hi", "a")
    page = open_page("a")

    got = page.wait_for("turn")
    assert ("request_id" in got, got["cell_id"]) == (False, "a")
    assert got["turn"] == shown(messages)[-1]
    page.say(type="turn.get", request_id="1", cell_id="a")
    assert page.wait_for("turn") == {**got, "request_id": "1"}

    page.say(type="turn.seen", display_id="another")
    page.say(type="turn.get", request_id="2", cell_id="a")
    assert page.wait_for("turn")["turn"] is not None

    page.say(type="turn.seen", display_id=got["display_id"])
    page.say(type="turn.get", request_id="3", cell_id="a")
    assert page.wait_for("turn")["turn"] is None
    later = open_page("a")
    later.say(type="turn.get", request_id="4", cell_id="a")
    later.wait_for("turn")
    assert [message["request_id"] for message in later.got("turn")] == ["4"]


def test_a_missing_turn_is_answered_with_null(kernel, server, open_page):
    kernel.run("hi", "a")
    kernel.run("%%python\n1", "a")
    page = open_page("a")

    for asked in ({"cell_id": "a"}, {"cell_id": "unknown"}, {"cell_id": ["a"]}, {}):
        page.say(type="turn.get", request_id="1", **asked)
        got = page.wait_for("turn")
        assert (got["turn"], got["cell_id"]) == (None, asked.get("cell_id"))


@pytest.mark.parametrize(
    "data",
    [
        None,
        5,
        [],
        {},
        {"type": 5},
        {"type": ["turn.get"]},
        {"type": "unknown"},
        {"type": "cells", "request_id": ["x"]},
        {"type": "approval.answer", "request_id": {}},
        {"type": "turn.seen", "display_id": {}},
    ],
)
def test_a_malformed_message_has_no_effect(kernel, server, open_page, data):
    page = open_page("a")
    page._send("comm_msg", {"data": data})

    reply, _ = kernel.finish(kernel.start("hi", "a"), page.take)

    assert reply["status"] == "ok"
    assert [turn["status"] for turn in page.turns.values()] == ["done"]


def test_a_tool_run_is_in_the_display_when_it_begins(kernel, server, open_page):
    server.answers = [call("read", {"path": "."}), text(LONG)]
    page = open_page("a")

    _, messages = kernel.finish(kernel.start("hi", "a"), page.take)

    assert shown(messages)[-1]["blocks"][1]["status"] == "success"
    assert [*page.turns.values()] == [shown(messages)[-1]]


def test_the_kernel_is_busy_until_its_turn_has_ended_whatever_it_answers_meanwhile(
    kernel, server, open_page
):
    server.answers = [Answer([delta(content="half an answer")], hold=1)]
    client, page = kernel.client, open_page("a")
    created = client.session.msg("create_subshell_request", {})
    client.control_channel.send(created)
    subshell = client.get_control_msg(timeout=300)["content"]["subshell_id"]
    states: list[tuple[str, str]] = []

    def note(message: Message) -> None:
        page.take(message)
        if message["msg_type"] == "status":
            parent = message["parent_header"].get("msg_type", "")
            states.append((message["content"]["execution_state"], parent))

    request = kernel.start("hi", "a")
    while "half an answer" not in str(page.turns):
        note(client.get_iopub_msg(timeout=300))
    for _ in range(3):
        asked = client.session.msg("comm_info_request", {})
        asked["header"]["subshell_id"] = subshell
        client.shell_channel.send(asked)
    while states.count(("idle", "comm_info_request")) < 3:
        note(client.get_iopub_msg(timeout=300))
    kernel.manager.interrupt_kernel()
    kernel.finish(request, note)

    begun = states.index(("busy", "execute_request"))
    ended = states.index(("idle", "execute_request"))
    within = [state for state, _ in states[begun:ended]]
    assert within.count("idle") >= 3
    assert "idle idle" not in " ".join(within)
    assert within[-1] == "busy"
    assert "busy" not in [state for state, _ in states[ended:]]
