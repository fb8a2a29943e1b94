"""A kernel that is still asleep, that cannot wake, or that is just waking answers all the same."""

from __future__ import annotations

import base64
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kernel_client import KernelClient
from scripted_server import ScriptedServer, text

HANG_LIMIT = 60
"""Seconds for an answer that a kernel which is stuck never gives."""


@pytest.fixture
def start(server: ScriptedServer, tmp_path: Path) -> Callable[..., KernelClient]:
    """Return a kernel that waits with its wake for the test."""

    def started(**variables: str) -> KernelClient:
        settings = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m", **variables}
        kernel = KernelClient(settings, str(tmp_path), name="msgbook-python")
        assert kernel.manager.kernel_spec is not None
        program = Path(__file__).with_name("held_wake.py")
        kernel.manager.kernel_spec.argv = [sys.executable, str(program), "-f", "{connection_file}"]
        return kernel

    return started


def on_control(kernel: KernelClient, kind: str, content: Any = None, **more: Any) -> Any:
    """Send a request on the control channel, and return the content of the reply."""
    session = kernel.client.session
    request = session.msg(kind, content or {})
    session.send(kernel.client.control_channel.socket, request, **more)
    while True:
        reply = kernel.client.get_control_msg(timeout=HANG_LIMIT)
        if reply["parent_header"]["msg_id"] == request["header"]["msg_id"]:
            return reply["content"]


def until_queued(kernel: KernelClient) -> None:
    """Wait until the kernel has taken from its socket all that was sent to it on the shell channel."""
    subshell = on_control(kernel, "create_subshell_request")["subshell_id"]
    request = kernel.client.session.msg("kernel_info_request")
    request["header"]["subshell_id"] = subshell
    kernel.client.shell_channel.send(request)
    sent, answered = request["header"]["msg_id"], ""
    while answered != sent:
        answered = kernel.client.get_shell_msg(timeout=HANG_LIMIT)["parent_header"]["msg_id"]
    on_control(kernel, "delete_subshell_request", {"subshell_id": subshell})


def errors(messages: list[Any]) -> list[str]:
    return [m["content"]["evalue"] for m in messages if m["msg_type"] == "error"]


def test_a_kernel_that_cannot_wake_says_so_and_tries_again(start, server, tmp_path):
    (tmp_path / "broken").touch()
    server.answers = [text("Yes.")]
    with start(OPENAI_API_KEY="sk-of-mine") as kernel:
        failed, seen = kernel.run("x = 1", "a")
        silent, nothing = kernel.run("x = 1", silent=True)
        kernel.client.complete("impo", 4)
        completed = kernel.client.get_shell_msg(timeout=HANG_LIMIT)["content"]
        (tmp_path / "broken").unlink()
        ran, _ = kernel.run("x = 2", "a", user_expressions={"x": "x"})
        asked, _ = kernel.run("%%msg\nAre you there?", "b")

    assert (failed["status"], failed["ename"]) == ("error", "OSError")
    assert "the disk is gone" in failed["evalue"]
    assert "estart the kernel" in failed["evalue"]
    assert "sk-of-mine" not in str((failed, seen))
    assert errors(seen) == [failed["evalue"]]
    assert (silent["status"], errors(nothing)) == ("error", [])
    assert "import" in completed["matches"]
    assert ran["user_expressions"]["x"]["data"] == {"text/plain": "2"}
    assert asked["status"] == "ok"
    assert server.headers[0]["Authorization"] == "Bearer sk-of-mine"


def test_a_kernel_without_its_engine_says_so(start):
    with start(ENGINE="no_such_engine") as kernel:
        replies = [kernel.run("x = 1", "a")[0] for _ in range(2)]

    assert [reply["ename"] for reply in replies] == ["ModuleNotFoundError"] * 2
    assert "no_such_engine" in replies[0]["evalue"]


def test_cells_that_wait_behind_a_failed_wake_do_not_run(start, tmp_path):
    hold(tmp_path)
    (tmp_path / "broken").touch()
    with start() as kernel:
        first = kernel.start("x = 1", "a")
        (tmp_path / "begun").read_text()
        second = kernel.start("x = 2", "b")
        (tmp_path / "go").write_text("go")
        (tmp_path / "begun").unlink()

        assert kernel.finish(first)[0]["status"] == "error"
        assert kernel.finish(second)[0]["status"] == "aborted"


def hold(folder: Path) -> None:
    """Let the wake wait until something is written into `go`."""
    for name in ("begun", "go"):
        os.mkfifo(folder / name)


def test_a_kernel_that_is_waking_shuts_down_and_runs_nothing_more(start, tmp_path):
    hold(tmp_path)
    with start() as kernel:
        kernel.start("open('ran', 'w')", "a")
        (tmp_path / "begun").read_text()
        reply = on_control(kernel, "shutdown_request", {"restart": True})
        (tmp_path / "go").write_text("go")
        code = kernel.manager.provisioner.process.wait(HANG_LIMIT)

    assert reply == {"status": "ok", "restart": True}
    assert code == 0
    assert not (tmp_path / "ran").exists()


def test_a_kernel_that_sleeps_shuts_down(start, tmp_path):
    with start() as kernel:
        assert on_control(kernel, "shutdown_request", {"restart": False})["status"] == "ok"
        assert kernel.manager.provisioner.process.wait(HANG_LIMIT) == 0

    assert not (tmp_path / "awake").exists()


@pytest.mark.parametrize("code", ["open('ran', 'w')", "%%msg\nWell?"])
def test_an_interrupt_while_a_cell_wakes_its_kernel_stops_the_cell(start, server, tmp_path, code):
    hold(tmp_path)
    with start() as kernel:
        request = kernel.start(code, "a")
        (tmp_path / "begun").read_text()
        on_control(kernel, "interrupt_request")
        (tmp_path / "go").write_text("go")
        reply, _ = kernel.finish(request)
        later, _ = kernel.run("1 + 1", "a")

    assert reply["ename"] == "KeyboardInterrupt"
    assert not (tmp_path / "ran").exists()
    assert server.requests == []
    assert later["status"] == "ok"


@pytest.mark.parametrize("code", ["Well?", "%%python\nopen('ran', 'w')"])
def test_an_interrupt_while_a_chat_wakes_by_itself_stops_the_cells_that_wait(
    start, server, tmp_path, code
):
    hold(tmp_path)
    server.answers = [text("Yes.")]
    with start(CHAT="1") as kernel:
        (tmp_path / "begun").read_text()
        requests = [kernel.start(code, "a"), kernel.start(code, "b")]
        until_queued(kernel)
        on_control(kernel, "interrupt_request")
        (tmp_path / "go").write_text("go")
        replies = [kernel.finish(request)[0] for request in requests]
        assert server.requests == []
        later, _ = kernel.run("Are you there?", "a")

    assert [reply["status"] for reply in replies] == ["aborted"] * 2
    assert not (tmp_path / "ran").exists()
    assert later["status"] == "ok"


def test_an_interrupt_while_a_chat_wakes_by_itself_stops_no_later_cell(start, server, tmp_path):
    hold(tmp_path)
    server.answers = [text("Yes.")]
    with start(CHAT="1") as kernel:
        (tmp_path / "begun").read_text()
        on_control(kernel, "interrupt_request")
        (tmp_path / "go").write_text("go")
        kernel.client.kernel_info(reply=True, timeout=HANG_LIMIT)

        assert kernel.run("Are you there?", "a")[0]["status"] == "ok"


def test_a_first_cell_on_the_control_channel_finds_no_key_and_may_be_a_message(server, tmp_path):
    key = "sk-of-the-environment"
    variables = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m", "OPENAI_API_KEY": key}
    variables["REPEATED"] = f"Basic {base64.b64encode(key.encode()).decode()}"
    look = {"code": "import os", "user_expressions": {"found": "'REPEATED' in os.environ"}}
    message = {"code": "%%msg\nAre you there?"}
    server.answers = [text("Yes.")]

    with KernelClient(variables, str(tmp_path), name="msgbook-python") as kernel:
        looked = on_control(kernel, "execute_request", look)
    with KernelClient(variables, str(tmp_path), name="msgbook-python") as kernel:
        assert on_control(kernel, "execute_request", message)["status"] == "ok"

    assert looked["user_expressions"]["found"]["data"] == {"text/plain": "False"}
    assert server.headers[0]["Authorization"] == f"Bearer {key}"


def test_the_keys_of_a_session_wake_no_kernel_and_serve_its_first_message(start, server, tmp_path):
    settings = tmp_path / "msgbook.toml"
    settings.write_text(f'[providers.a]\nbase_url = "{server.url}"\napi_key_session = true\n')
    keys = [json.dumps(found).encode() for found in ({}, {server.url: "sk-of-the-session"})]
    server.answers = [text("Yes.")]

    with start(OPENAI_BASE_URL="", MSGBOOK_CONFIG=str(settings)) as kernel:
        for buffer in keys:
            reply = on_control(kernel, "msgbook_keys_request", buffers=[buffer])
            assert reply == {"status": "ok"}
        kernel.client.kernel_info(reply=True, timeout=HANG_LIMIT)
        assert not (tmp_path / "awake").exists()
        asked, _ = kernel.run("%%msg\nAre you there?", "a")
        later = json.dumps({server.url: "sk-entered-later"}).encode()
        assert on_control(kernel, "msgbook_keys_request", buffers=[later]) == {"status": "ok"}

    assert (tmp_path / "awake").exists()
    assert asked["status"] == "ok"
    assert server.headers[0]["Authorization"] == "Bearer sk-of-the-session"
