"""What MCP servers cost a conversation that does not call them, and an interrupt while one reads no more.

Goals: ten servers whose tools are known delay the request of a turn by nothing measurable, and the SDK is
not imported before the first call; idle comes under 50 ms after an interrupt.

Usage: PYTHONPATH=tests/support python benchmarks/mcp_servers.py [TRIES]
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from engine_turns import run_turn
from kernel_client import KernelClient
from mcp_turns import FAULTY, Talk, faulty, mcp_settings
from rows import row
from scripted_server import ScriptedServer, call, text

from msgbook.config import Settings
from msgbook.notebook import Transcript
from msgbook_format.turn import TURN_MIME

CHOOSES_NONE = "%%msg agent=none\nhi"


def seconds_of_turn(folder: Path, settings: Settings, prompt: str) -> float:
    """Seconds that the first turn of a session takes, with all that it imports imported."""

    async def work() -> float:
        async with Talk(folder, settings) as talk:
            began = time.perf_counter()
            await run_turn(talk.engine, prompt, Transcript("memory", ()))
            return time.perf_counter() - began

    return asyncio.run(work())


def measure_turns(server: ScriptedServer, folder: Path, tries: int) -> None:
    agents = {"none": {"mcp_servers": []}}
    ten = [faulty(name=f"server{number}") for number in range(10)]
    without = mcp_settings(server, agents=agents)
    known = mcp_settings(server, *ten, agents=agents)
    server.answers = [text("ok")]
    seconds_of_turn(folder, without, "hi")
    imported = "mcp" in sys.modules
    chosen_none = seconds_of_turn(folder, known, CHOOSES_NONE)
    print(f"ten servers that were never started, of which the agent uses none: {chosen_none:.3f} s")
    learned = seconds_of_turn(folder, known, "hi")
    print(f"ten servers that were never started, all used: {learned:.3f} s")
    taken: dict[str, list[float]] = {"none": [], "ten known": []}
    for _ in range(tries):
        taken["none"].append(seconds_of_turn(folder, without, "hi"))
        taken["ten known"].append(seconds_of_turn(folder, known, "hi"))
    for name, times in taken.items():
        print(f"first turn, {name}: median {statistics.median(times) * 1000:.1f} ms of {tries}")
    known_ten, none = (statistics.median(taken[name]) for name in ("ten known", "none"))
    row("first turn with ten servers that it does not call", known_ten / none, "x", 1.1)
    print(f"the SDK is imported before a server starts: {'yes' if imported else 'no'}")


def milliseconds_to_idle(kernel: KernelClient, server: ScriptedServer) -> float:
    """Milliseconds from an interrupt to `idle` while a server reads no more."""
    server.reset()
    server.answers = [call("mcp__files__echo", {"text": "x" * 200_000}), text("ok")]
    request = kernel.start("hi", "a")
    shown = ""
    while "1 wedged" not in shown:
        content = kernel.client.get_iopub_msg(timeout=30)["content"]
        shown = json.dumps(content.get("data", {}).get(TURN_MIME, {}))
    began = time.perf_counter()
    kernel.manager.interrupt_kernel()
    kernel.finish(request)
    return (time.perf_counter() - began) * 1000


def measure_interrupts(server: ScriptedServer, folder: Path, tries: int) -> None:
    args = json.dumps([FAULTY, "on_call_wedged"])
    config = folder / "msgbook.toml"
    config.write_text(
        f"[mcp_servers.files]\ncommand = {json.dumps(sys.executable)}\nargs = {args}\n"
    )
    settings = {
        "OPENAI_BASE_URL": server.url,
        "MSGBOOK_MODEL": "m",
        "MSGBOOK_CONFIG": str(config),
        "MSGBOOK_APPROVAL": "allow",
    }
    taken = []
    for _ in range(tries):
        # A new kernel each time: the server of the last one still reads nothing.
        with KernelClient(settings, str(folder)) as kernel:
            taken.append(milliseconds_to_idle(kernel, server))
    print(
        f"interrupt to idle with a wedged server: median {statistics.median(taken):.1f} ms, "
        f"max {max(taken):.1f} ms of {tries} (goal: 50 ms)"
    )
    row("interrupt to idle with a server that reads no more", max(taken), "ms", 50)


def main(tries: int) -> None:
    with tempfile.TemporaryDirectory() as name, ScriptedServer() as server:
        folder = Path(name)
        os.environ["JUPYTER_DATA_DIR"] = str(folder / "data")
        measure_turns(server, folder, tries)
        measure_interrupts(server, folder, max(3, tries // 4))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
