"""An interrupt ends a turn at once, keeps what has arrived and leaves the kernel fine."""

from __future__ import annotations

import signal

import pytest
from kernel_client import KernelClient, until_shown
from scripted_server import Answer, delta, text

from msgbook_format.turn import TURN_MIME


@pytest.fixture
def server(module_server):
    return module_server


def by_message(kernel: KernelClient) -> None:
    kernel.manager.interrupt_kernel()


def by_signal(kernel: KernelClient) -> None:
    kernel.manager.signal_kernel(signal.SIGINT)


@pytest.mark.smoke
@pytest.mark.parametrize("interrupt", [by_message, by_signal])
@pytest.mark.parametrize("arrived", ["", "half an answer"])
def test_an_interrupted_turn_keeps_its_text_and_closes_the_connection(
    kernel, server, interrupt, arrived
):
    chunks = [delta(content=arrived)] if arrived else []
    server.answers = [Answer(chunks, hold=len(chunks)), text("fine")]
    request = kernel.start("hi", "a")
    assert server.streaming.wait(300)
    until_shown(kernel, arrived)

    interrupt(kernel)
    reply, messages = kernel.finish(request)

    assert server.disconnected.wait(300)
    assert (reply["status"], reply["ename"]) == ("error", "KeyboardInterrupt")
    turns = [m["content"]["data"][TURN_MIME] for m in messages if "data" in m["content"]]
    assert turns[-1]["status"] == "interrupted"
    blocks = turns[-1]["blocks"]
    assert "".join(block["text"] for block in blocks if block["type"] == "text") == arrived
    assert [m["content"]["ename"] for m in messages if m["msg_type"] == "error"] == [
        "KeyboardInterrupt"
    ]

    reply, _ = kernel.run("again", "b")

    assert reply["status"] == "ok"
    said = [(m["role"], m["content"]) for m in server.messages()][1:]
    partial = [("assistant", arrived)] if arrived else []
    assert said == [("user", "hi"), *partial, ("user", "again")]


def test_a_call_whose_arguments_were_cut_is_neither_run_nor_sent(kernel, server):
    piece = {"index": 0, "id": "c1", "function": {"name": "read", "arguments": '{"pa'}}
    server.answers = [Answer([delta(tool_calls=[piece])], hold=1), text("fine")]
    request = kernel.start("hi", "a")
    until_shown(kernel, '{"pa')

    kernel.manager.interrupt_kernel()
    _, messages = kernel.finish(request)
    kernel.run("again", "b")

    turns = [m["content"]["data"][TURN_MIME] for m in messages if "data" in m["content"]]
    assert turns[-1]["blocks"][-1]["unfinished"] is True
    assert [m["role"] for m in server.messages()] == ["system", "user", "user"]


def test_cells_queued_behind_an_interrupted_turn_are_aborted(kernel, server):
    server.answers = [Answer(hold=0), text("fine")]
    first = kernel.start("one", "a")
    second = kernel.start("two", "b")
    assert server.streaming.wait(300)

    kernel.manager.interrupt_kernel()
    kernel.finish(first)
    reply, _ = kernel.finish(second)

    assert reply["status"] == "aborted"
    assert len(server.requests) == 1


@pytest.mark.parametrize("interrupt", [by_message, by_signal])
def test_python_cells_can_be_interrupted_while_they_run_and_while_they_wait(kernel, interrupt):
    for code in (
        "%%python\nimport time\nprint('on')\ntime.sleep(60)",
        "%%python\nimport asyncio\nprint('on')\nawait asyncio.sleep(60)",
    ):
        request = kernel.start(code, "a")
        while kernel.client.get_iopub_msg(timeout=300)["msg_type"] != "stream":
            pass

        interrupt(kernel)
        reply, messages = kernel.finish(request)

        assert reply["status"] == "error"
        [error] = [m["content"] for m in messages if m["msg_type"] == "error"]
        assert "msgbook/kernel" not in "".join(error["traceback"])
    assert kernel.run("%%python\n1", "b")[0]["status"] == "ok"


def test_a_silent_request_asks_no_model(kernel, server):
    server.answers = [text("ok")]

    reply, _ = kernel.run("hi", silent=True, store_history=False)

    assert reply["status"] == "ok"
    assert server.requests == []
