"""How long an interrupt takes until the kernel is idle, while it waits for a silent first token.

Goal: under 50 ms. The stock kernel's `await asyncio.sleep(60)` is no baseline: it does not wake up.

Usage: PYTHONPATH=tests python benchmarks/interrupt.py [RUNS]
"""

from __future__ import annotations

import os
import statistics
import sys
import time

from jupyter_client.manager import KernelManager
from scripted_server import Answer, ScriptedServer


def main(runs: int) -> None:
    with ScriptedServer([Answer(hold=0)]) as server:
        environment = {**os.environ, "OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"}
        manager = KernelManager(kernel_name="msgbook")
        manager.start_kernel(env=environment)
        client = manager.client()
        client.start_channels()
        client.wait_for_ready(timeout=60)
        try:
            times = [milliseconds(manager, client, server) for _ in range(runs + 1)][1:]
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)
    print(
        f"interrupt to idle: median {statistics.median(times):.1f} ms, max {max(times):.1f} ms "
        f"of {runs} (goal: 50 ms)"
    )


def milliseconds(manager: KernelManager, client: object, server: ScriptedServer) -> float:
    """From the interrupt of one waiting turn to `idle`."""
    server.streaming.clear()
    request = client.execute("Are you there?")  # type: ignore[attr-defined]
    if not server.streaming.wait(30):
        raise RuntimeError("the kernel asked nothing")
    began = time.perf_counter()
    manager.interrupt_kernel()
    while True:
        message = client.get_iopub_msg(timeout=30)  # type: ignore[attr-defined]
        if (
            message["parent_header"].get("msg_id") == request
            and message["msg_type"] == "status"
            and message["content"]["execution_state"] == "idle"
        ):
            return (time.perf_counter() - began) * 1000


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
