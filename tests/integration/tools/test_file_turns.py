"""File tools in turns of a real kernel, and of an engine."""

from __future__ import annotations

import json

import psutil
from file_turn import turn  # noqa: F401 - fixtures
from kernel_client import KernelClient
from scripted_server import call, text

from msgbook_format.turn import TURN_MIME


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
