"""How far a kernel's memory grows while a turn takes in what is much too long.

Goal: 200 MB at most over what it held before. Each case runs in a kernel of its own.

Usage: PYTHONPATH=tests/support python benchmarks/memory.py
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time

import psutil
from kernel_client import KernelClient
from paced_server import paced_server
from rows import row
from scripted_server import ScriptedServer, call, text

from msgbook_format.turn import TURN_MIME

TOOL = "%%python\ndef long() -> str:\n    return {} * {}\n"

CASES = {
    # name: cells that run before, what the model calls
    "result of 50 MB": ([TOOL.format("'x'", 50_000_000), "%tool long"], call("long", {})),
    "50 MB of other letters": (
        [TOOL.format("'→'", 50_000_000 // 3), "%tool long"],
        call("long", {}),
    ),
    "prints for ever": ([], call("shell", {"command": "yes a line of it", "timeout": 3})),
    "python prints 50 MB": (
        [],
        call("python", {"code": "for _ in range(500_000): print('a' * 99)"}),
    ),
}


def growth(kernel: KernelClient, cells: list[str], prompt: str) -> tuple[float, float, str]:
    """Megabytes that the kernel grew by, seconds, and how the turn ended."""
    process = psutil.Process(kernel.manager.provisioner.pid)
    for cell in ["%help", *cells]:
        kernel.run(cell)
    before = process.memory_info().rss
    peak, done = [before], threading.Event()

    def watch() -> None:
        while not done.wait(0.01):
            peak.append(max(peak[-1], process.memory_info().rss))

    thread = threading.Thread(target=watch)
    thread.start()
    began = time.perf_counter()
    kernel.start(prompt, "a")
    shown = ""
    while True:
        content = kernel.client.get_iopub_msg(timeout=300)["content"]
        shown = content.get("data", {}).get(TURN_MIME, {}).get("status", shown)
        if content.get("execution_state") == "idle" and shown not in ("", "running"):
            break
    kernel.client.get_shell_msg(timeout=30)
    took = time.perf_counter() - began
    done.set()
    thread.join()
    return (peak[-1] - before) / 1e6, took, shown


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, (cells, first) in CASES.items():
            with ScriptedServer([first, text("Done.")]) as server:
                settings = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"}
                with KernelClient({**settings, "MSGBOOK_APPROVAL": "allow"}, folder) as kernel:
                    report(name, growth(kernel, cells, "Go"))
                result = server.messages()[-1]["content"]
                if not isinstance(result, str) or len(result) > 50_000:
                    sys.exit(f"{name}: the model was sent {len(result)} characters")
        with paced_server() as url:
            settings = {"OPENAI_BASE_URL": url, "MSGBOOK_MODEL": "m"}
            with KernelClient(settings, folder) as kernel:
                # As long as an answer may be: the limit `answer_limit` is a million characters.
                measured = growth(kernel, [], "200000")
                report("the longest answer, 200,000 tokens", measured)
                if measured[2] != "done":
                    sys.exit(f"the longest answer ended otherwise: {measured[2]}")


def report(name: str, measured: tuple[float, float, str]) -> None:
    megabytes, took, status = measured
    print(f"{name:24} +{megabytes:4.0f} MB (goal: 200) in {took:5.1f} s: {status}", flush=True)
    row(f"memory: {name}", megabytes, "MB", 200)


if __name__ == "__main__":
    main()
