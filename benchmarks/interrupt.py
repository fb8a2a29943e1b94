"""How long an interrupt takes until the kernel is idle, in every phase of a turn, at random moments.

The server is asked over one API after the other.

Goal: 99 of 100 under 50 ms. The stock kernel's `await asyncio.sleep(60)` is no baseline: it does not
wake up.

Usage: PYTHONPATH=tests/support python benchmarks/interrupt.py [TRIES]
"""

from __future__ import annotations

import itertools
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from queue import Empty
from typing import Any, get_args

from asked_over import asked_over
from jupyter_client.manager import KernelManager
from rows import row
from scripted_server import Answer, Chunk, ScriptedServer, call, delta

from msgbook.messages import ApiName

APIS = get_args(ApiName)
TURN = "application/vnd.msgbook.turn+json"
LONGEST_WAIT = 0.1
"""Seconds at most between the begin of a phase and its interrupt."""
PATIENCE = 60
"""Seconds within which a phase begins."""


def flood(**piece: Any) -> Iterable[Chunk]:
    """An answer without an end."""
    return (delta(**piece) for _ in itertools.count())


def arguments(size: int = 1) -> Iterable[Chunk]:
    head = {"index": 0, "id": "c1", "function": {"name": "read", "arguments": '{"path": "aa'}}
    yield delta(tool_calls=[head])
    for _ in itertools.count():
        yield delta(tool_calls=[{"index": 0, "function": {"arguments": "aa" * size}}])


SUBAGENTS = "eight sub-agents"


def dispatch() -> Answer:
    team = [{"prompt": f"task {number}"} for number in range(8)]
    return call("dispatch_subagents", {"context_broadcast": "", "sub_agents": team})


TREE = "for i in 1 2 3; do (sleep 100; sleep 100) & done; echo up; wait"

PHASES: dict[str, tuple[Callable[[], Answer], str]] = {
    # name: what the server says, made anew for each try, and what the turn shows when the phase has begun
    "silent": (lambda: Answer(hold=0), '"running"'),
    "reasoning": (lambda: Answer(flood(reasoning_content="Hm "), pause=0.001), "Hm"),
    "text": (lambda: Answer(flood(content="word "), pause=0.001), "word"),
    "arguments": (lambda: Answer(arguments(), pause=0.001), "aa"),
    "reasoning, full speed": (lambda: Answer(flood(reasoning_content="Hm " * 100)), "Hm"),
    "text, full speed": (lambda: Answer(flood(content="word " * 100)), "word"),
    "arguments, full speed": (lambda: Answer(arguments(100)), "aa"),
    "retry wait": (lambda: Answer(status=503, body="busy"), "Retrying in"),
    "tool": (lambda: call("shell", {"command": "echo up; sleep 100"}), "up\\n"),
    "process tree": (lambda: call("shell", {"command": TREE}), "up\\n"),
    "python, busy": (lambda: call("python", {"code": "while True: pass"}), '"user"'),
    "python, waiting": (
        lambda: call("python", {"code": "import asyncio\nawait asyncio.sleep(100)"}),
        '"user"',
    ),
    "approval": (lambda: call("mkdir", {"path": "x"}), '"pending"'),
    SUBAGENTS: (dispatch, '"last": "word'),
}
LAST = {SUBAGENTS: lambda: Answer(flood(content="word "), pause=0.01)}
"""What the server says after the first answer of a phase, again and again."""


class Kernel:
    """A kernel in which a person allows all, but for `mkdir`."""

    def __init__(self, server: ScriptedServer, api: str = "chat") -> None:
        self.manager = KernelManager(kernel_name="msgbook")
        self._folder = tempfile.TemporaryDirectory()
        environment = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m"}
        environment |= asked_over(api, self._folder.name)
        self.manager.start_kernel(
            env={**os.environ, **environment},
            cwd=self._folder.name,
            extra_arguments=["--log-level=ERROR"],
        )
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)
        self._folder.cleanup()

    def interrupted(self, server: ScriptedServer, name: str, wait: float) -> float:
        """Milliseconds from the interrupt to `idle`, `wait` seconds after the phase has begun."""
        answer, shows = PHASES[name]
        server.reset()
        server.answers = [answer(), *([LAST[name]()] if name in LAST else [])]
        request = self.client.execute("Are you there?", allow_stdin=True)
        self._until(name, shows)
        time.sleep(wait)
        began = time.perf_counter()
        self.manager.interrupt_kernel()
        while True:
            message = self.client.get_iopub_msg(timeout=30)
            if (
                message["parent_header"].get("msg_id") == request
                and message["content"].get("execution_state") == "idle"
            ):
                return (time.perf_counter() - began) * 1000

    def _until(self, name: str, shows: str) -> None:
        ends = time.monotonic() + PATIENCE
        while time.monotonic() < ends:
            if name != "approval" and self.client.stdin_channel.msg_ready():
                self.client.get_stdin_msg()
                self.client.input("y")
            try:
                content = self.client.get_iopub_msg(timeout=0.02)["content"]
            except Empty:
                continue
            if shows in json.dumps(content.get("data", {}).get(TURN, {})):
                return
        raise RuntimeError(f"the phase {name} does not show {shows!r} within {PATIENCE} s")


def main(tries: int) -> None:
    chance = random.Random(4)
    places = [(api, name) for api in APIS for name in PHASES]
    taken: dict[tuple[str, str], list[float]] = {place: [] for place in places}
    with ScriptedServer([]) as server, ExitStack() as running:
        kernels = {api: Kernel(server, api) for api in APIS}
        for kernel in kernels.values():
            running.callback(kernel.close)
        for api, name in places:
            kernels[api].interrupted(server, name, 0)
        for _ in range(tries):
            api, name = chance.choice(places)
            wait = chance.uniform(0, LONGEST_WAIT)
            taken[api, name].append(kernels[api].interrupted(server, name, wait))
    for (api, name), times in taken.items():
        if times:
            print(
                f"  {api:9} {name:21} median {statistics.median(times):5.1f}  max {max(times):6.1f} ms"
            )
    every = sorted(itertools.chain.from_iterable(taken.values()))
    p99 = every[max(0, round(len(every) * 0.99) - 1)]
    print(
        f"interrupt to idle: median {statistics.median(every):.1f} ms, 99 of 100 under "
        f"{p99:.1f} ms, max {every[-1]:.1f} ms of {len(every)} (goal: 50 ms)"
    )
    row("interrupt to idle, 99 of 100 under", p99, "ms", 50)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
