"""docs/tools.md: a model calls the function of the notebook."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fences import Fence
from kernel_client import KernelClient
from scripted_server import ScriptedServer, call, text

from msgbook_format.turn import TURN_MIME


def test_the_model_calls_the_function(
    fences: list[Fence], server: ScriptedServer, tmp_path: Path
) -> None:
    (function,) = fences
    server.answers = [call("weather", {"city": "Rome", "days": 2}), text("Sun.")]
    settings = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m", "MSGBOOK_APPROVAL": "allow"}

    with KernelClient(settings, str(tmp_path)) as kernel:
        for cell in (function.body, "%tool weather", "How is Rome?"):
            _, messages = kernel.run(cell)

    turns: list[Any] = [
        m["content"]["data"][TURN_MIME]
        for m in messages
        if TURN_MIME in m["content"].get("data", ())
    ]
    (result,) = [block for block in turns[-1]["blocks"] if block["type"] == "tool_result"]
    assert result["status"] == "success"
    assert json.loads(result["content"]) == {"city": "Rome", "days": ["sun", "sun"]}
    tools = {tool["function"]["name"]: tool["function"] for tool in server.requests[0]["tools"]}
    assert tools["weather"]["description"] == "The weather of a city in the next days."
