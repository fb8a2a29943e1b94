"""Asking again: which failures, how often, how long, and what the user sees of it."""

from __future__ import annotations

from typing import Any

from scripted_server import error, text

from msgbook_format.turn import TURN_MIME


def test_a_kernel_that_waits_can_be_interrupted_and_goes_on(kernel, module_server):
    module_server.answers = [error(503, "busy"), error(503, "busy"), text("fine")]
    shown: list[str] = []

    def on_message(message: Any) -> None:
        for block in message["content"].get("data", {}).get(TURN_MIME, {}).get("blocks", []):
            if "Retrying" not in block["text"]:
                continue
            if "(2/3)" in block["text"] and "(2/3)" not in shown[-1]:
                kernel.manager.interrupt_kernel()
            shown.append(block["text"])

    reply, _ = kernel.finish(kernel.start("hi", "a"), on_message)

    assert reply["ename"] == "KeyboardInterrupt"
    assert shown[0] == "Retrying in 1 s (1/3): 503 busy"
    assert len(module_server.requests) == 2
    assert kernel.run("again", "b")[0]["status"] == "ok"
