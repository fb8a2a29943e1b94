"""File tools in turns of a real kernel, and of an engine."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import psutil
import pytest
from engine_turns import run_turn
from kernel_client import KernelClient
from scripted_server import ScriptedServer, call, text

from msgbook.config import load_settings
from msgbook.engine import Engine
from msgbook.notebook.transcript import Transcript
from msgbook.tools import CallContext, Tool
from msgbook_format.turn import TURN_MIME


@pytest.fixture
def turn(server: ScriptedServer, tmp_path: Path):
    """Runs one prompt and returns the blocks of its turn."""

    def run(*tools: Tool, approval: str = "ask") -> list[dict[str, Any]]:
        environ = {
            "OPENAI_BASE_URL": server.url,
            "MSGBOOK_MODEL": "m",
            "MSGBOOK_APPROVAL": approval,
        }
        engine = Engine(load_settings(environ), tmp_path)
        for tool in tools:
            engine.tools.add(tool)

        async def answer() -> list[dict[str, Any]]:
            try:
                return (await run_turn(engine, "go", Transcript("memory", ())))["blocks"]
            finally:
                await engine.close()

        return asyncio.run(answer())

    return run


def results(blocks: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    return [(b["status"], b["content"]) for b in blocks if b["type"] == "tool_result"]


def test_an_edit_is_done_where_all_is_allowed_and_denied_where_nobody_can_be_asked(
    server, turn, tmp_path
):
    (tmp_path / "a.txt").write_text("one\n")
    edit = call("edit", {"path": "a.txt", "old": "one", "new": "1"})

    server.answers = [edit, text("denied"), edit, text("done")]
    [(denied, _)] = results(turn())
    assert (tmp_path / "a.txt").read_text() == "one\n"

    [(done, diff)] = results(turn(approval="allow"))

    assert (denied, done) == ("denied", "success")
    assert diff == "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+1\n"
    assert (tmp_path / "a.txt").read_text() == "1\n"


def test_the_model_reads_on_in_a_result_that_was_too_long(server, turn, tmp_path):
    def bind(context: CallContext):
        async def long() -> str:
            """Says much."""
            return "".join(f"line {n}\n" for n in range(1, 10_001))

        return long

    server.answers = [call("long", {}), text("so much")]
    [(_, shown)] = results(turn(Tool("long", bind)))
    [blob] = (tmp_path / ".msgbook" / "blobs").iterdir()

    path = f".msgbook/blobs/{blob.name}"
    server.reset()
    server.answers = [call("read", {"path": path, "start": 5000, "end": 5001}), text("ah")]
    [(status, lines)] = results(turn())

    assert f"the complete result is in {path}" in shown
    assert "line 5000\n" not in shown
    assert (status, lines) == ("success", "line 5000\nline 5001")


def test_an_image_is_sent_as_an_image(server, turn, tmp_path):
    (tmp_path / "dot.gif").write_bytes(b"GIF89a\1\0\1\0\0\0\0;")
    server.answers = [call("read", {"path": "dot.gif"}), text("a dot")]

    [(status, parts)] = results(turn())

    assert status == "success"
    assert parts[1]["image_url"]["url"].startswith("data:image/gif;base64,R0lGODlh")


def test_an_interrupt_ends_a_search_that_would_take_for_ever(server, tmp_path):
    (tmp_path / "explodes").write_text("a" * 60 + "b\n")
    server.answers = [call("grep", {"pattern": "(a|a)+$", "path": "explodes"}), text("late")]
    settings = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"}
    with KernelClient(settings, str(tmp_path)) as kernel:
        request = kernel.start("search", "a")
        pid = kernel.manager.provisioner.pid
        while not (found := searching(pid)):
            pass

        kernel.manager.interrupt_kernel()
        reply, messages = kernel.finish(request)

        assert reply["ename"] == "KeyboardInterrupt"
        turns = [m["content"].get("data", {}).get(TURN_MIME) for m in messages]
        blocks = [turn for turn in turns if turn][-1]["blocks"]
        assert [b["status"] for b in blocks if b["type"] == "tool_result"] == ["interrupted"]
        psutil.wait_procs(found)
        server.reset()
        server.answers = [call("read", {"path": "."}), text("fine")]
        _, messages = kernel.run("look", "b")
        assert "explodes" in json.dumps([m["content"] for m in messages])


def searching(kernel: int) -> list[psutil.Process]:
    """Workers of a kernel that are busy."""
    return [
        child
        for child in psutil.Process(kernel).children()
        if child.status() == psutil.STATUS_RUNNING and child.cpu_times().user > 0.2
    ]
