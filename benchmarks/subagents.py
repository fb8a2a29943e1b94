"""How long eight sub-agents take that run side by side, against the slowest of them alone.

Goal: 1.1 x. Each sub-agent reads a file and then writes text; the server's pauses are most of the time.
Then, how long an interrupt of a real kernel takes until it is idle while all eight write. Goal: 50 ms.

Usage: PYTHONPATH=tests/support python benchmarks/subagents.py [RUNS]
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from interrupt import SUBAGENTS, Kernel
from rows import row
from scripted_server import Answer, ScriptedServer, call, delta, finish, text

from msgbook.config import load_settings
from msgbook.display.turn_view import HiddenTurn
from msgbook.engine import Conversation, Services
from msgbook.notebook import Transcript
from msgbook.turn_run import run_to_end

AGENTS = 8
SLOWEST = 2.0
"""Seconds that the text of the slowest sub-agent takes."""
WORDS = 50
WRITING = 0.2
"""Seconds in which all write before they are interrupted."""


def seconds(server: ScriptedServer, count: int) -> float:
    """Return the time of a call that starts the `count` slowest of eight sub-agents."""
    numbers = range(AGENTS - count + 1, AGENTS + 1)
    team = [{"prompt": f"sub-agent {number}"} for number in numbers]

    def choose(request: dict[str, Any]) -> Answer:
        messages = request["messages"]
        task = next(m["content"] for m in messages if m["role"] == "user")
        if not task.startswith("sub-agent"):
            begun = messages[-1]["role"] == "tool"
            arguments = {"context_broadcast": "", "sub_agents": team}
            return text("done") if begun else call("dispatch_subagents", arguments)
        if messages[-1]["role"] != "tool":
            return call("read", {"path": "notes.txt"})
        pause = SLOWEST * int(task.split()[1]) / AGENTS / WORDS
        return Answer([*(delta(content="word ") for _ in range(WORDS)), finish()], pause=pause)

    server.choose = choose
    with tempfile.TemporaryDirectory() as folder:
        turn = asyncio.run(answer(server, Path(folder)))
    (result,) = [block for block in turn["blocks"] if block["type"] == "tool_result"]
    assert [row["status"] for row in result["agents"]] == ["done"] * count, result
    return float(result["duration"])


async def answer(server: ScriptedServer, folder: Path) -> Any:
    (folder / "notes.txt").write_text("a note")
    env = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m", "MSGBOOK_APPROVAL": "allow"}
    engine = Conversation(Services(load_settings(env)), folder)

    async def read_transcript() -> Transcript:
        return Transcript("file", (), metadata={}, path=folder / "chat.msg.md")

    try:
        ended = await run_to_end(engine, "go", read_transcript, engine.new_record(), HiddenTurn())
        return ended.turn
    finally:
        await engine.services.close()


def interrupts(server: ScriptedServer, runs: int) -> list[float]:
    """Return the milliseconds from the interrupt to `idle`."""
    kernel = Kernel(server)
    try:
        kernel.interrupted(server, SUBAGENTS, WRITING)
        return [kernel.interrupted(server, SUBAGENTS, WRITING) for _ in range(runs)]
    finally:
        kernel.close()


def main(runs: int) -> None:
    with ScriptedServer() as server:
        seconds(server, 1)
        alone, together = [], []
        for _ in range(runs):
            alone.append(seconds(server, 1))
            together.append(seconds(server, AGENTS))
        idle = interrupts(server, 2 * runs)
    one, all_of_them = statistics.median(alone), statistics.median(together)
    print(f"the slowest alone {one:.2f} s, all {AGENTS} {all_of_them:.2f} s (medians of {runs})")
    row(f"{AGENTS} sub-agents side by side", all_of_them / one, "x", 1.1)
    row("interrupt to idle while all write", max(idle), "ms", 50)
    print(f"sub-agents side by side: {all_of_them / one:.2f} x the slowest (goal: 1.1)")
    print(
        f"interrupt to idle: median {statistics.median(idle):.1f} ms, max {max(idle):.1f} ms "
        f"of {len(idle)} (goal: 50 ms)"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
