"""A long answer in a real kernel, against a cell that loops over the SDK's typed stream.

The baseline is what people write: a stock `python3` kernel, whose cell updates a Markdown display
20 times a second. Same server, same run, in turn, over each of the two APIs. Goals: first token no later than 1.1 x; 20,000
tokens in 0.3 x the processor time; memory 1.5 x at the start and 2 x after the answer. At 200
tokens a second: under 3 x the text on iopub while a page has its comm open and under 100 x without,
at most 25 messages a second, and nothing lost to a client that does not read for 15 seconds.

Usage: python benchmarks/long_answer.py [ROUNDS] [--paced]
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from typing import Any

import psutil
from asked_over import asked_over
from jupyter_client.manager import KernelManager
from paced_server import paced_server
from rows import row
from said_words import WORD

Message = dict[str, Any]
TOKENS = 20_000
RATE = 200
PAUSE = 15.0
"""Seconds in which the slow client reads nothing."""
TURN = "application/vnd.msgbook.turn+json"

SETUP = """
import time, openai
from IPython.display import Markdown, display
client = openai.OpenAI(base_url={url!r}, api_key="none", max_retries=0)
"""
CELL = """
messages = [{{"role": "user", "content": {prompt!r}}}]
stream = {stream}
text, shown, handle = "", 0.0, display(Markdown(""), display_id=True)
for part in stream:
    if {has_text}:
        text += {text}
        if time.monotonic() - shown >= 0.05:
            handle.update(Markdown(text))
            shown = time.monotonic()
handle.update(Markdown(text))
"""
TYPED = {
    "chat": {
        "stream": 'client.chat.completions.create(model="m", messages=messages, stream=True)',
        "has_text": "part.choices and part.choices[0].delta.content",
        "text": "part.choices[0].delta.content",
    },
    "responses": {
        "stream": 'client.responses.create(model="m", input=messages, stream=True)',
        "has_text": 'part.type == "response.output_text.delta"',
        "text": "part.delta",
    },
}
"""What the cell does over each API."""


class Kernel:
    """A running kernel, asked for long answers."""

    def __init__(self, name: str, environment: dict[str, str], wrap: Callable[..., str]) -> None:
        self.manager = KernelManager(kernel_name=name)
        self.manager.start_kernel(env={**os.environ, **environment})
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)
        self.process = psutil.Process(self.manager.provisioner.pid)
        self._wrap = wrap
        self._comm = ""

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)

    def megabytes(self) -> float:
        return float(self.process.memory_info().rss) / 1e6

    def cpu(self) -> float:
        times = self.process.cpu_times()
        return float(times.user + times.system)

    def open_comm(self) -> None:
        """Be a page from now on, which has got what the kernel tells a new page: its last turn."""
        self._comm = uuid.uuid4().hex
        self._send("comm_open", {"comm_id": self._comm, "target_name": "msgbook", "data": {}})
        for _ in self.ask("20"):
            pass

    def ask(self, prompt: str) -> Iterator[tuple[float, Message]]:
        """Run a cell; the iopub messages of it and of the comm, with the seconds since its start."""
        began = time.perf_counter()
        content = {"code": self._wrap(prompt=prompt), "silent": False, "store_history": True}
        request = self._send("execute_request", content, {"cellId": "a", "deletedCells": []})
        while True:
            message = self.client.get_iopub_msg(timeout=120)
            yield time.perf_counter() - began, message
            self._answer(message)
            if message["parent_header"].get("msg_id") == request:
                if message["msg_type"] == "error":
                    raise RuntimeError(message["content"]["evalue"])
                if message["content"].get("execution_state") == "idle":
                    return

    def _answer(self, message: Message) -> None:
        data = message["content"].get("data", {})
        if message["msg_type"] == "comm_msg" and data.get("type") == "cells.get":
            cell = {"id": "a", "cell_type": "code", "source": "", "metadata": {}, "outputs": []}
            reply = {"type": "cells", "request_id": data["request_id"], "cells": [cell]}
            self._send("comm_msg", {"comm_id": self._comm, "data": reply})

    def _send(self, kind: str, content: Message, metadata: Message | None = None) -> str:
        message = self.client.session.msg(kind, content, metadata=metadata or {})
        self.client.shell_channel.send(message)
        request: str = message["header"]["msg_id"]
        return request


@contextmanager
def kernel(name: str, url: str, api: str) -> Iterator[Kernel]:
    """A kernel that has answered once, so that all is imported."""
    stock = name == "python3"
    with tempfile.TemporaryDirectory() as folder:
        environment = {"OPENAI_BASE_URL": url, "MSGBOOK_MODEL": "m", "MSGBOOK_APPROVAL": "deny"}
        environment |= asked_over(api, folder)
        wrap = partial(CELL.format, **TYPED[api]) if stock else "{prompt}".format
        running = Kernel(name, environment, wrap)
        try:
            if stock:
                running.client.execute_interactive(SETUP.format(url=url), timeout=60)
            for _ in running.ask("20"):
                pass
            yield running
        finally:
            running.close()


def full_speed(running: Kernel) -> tuple[float, float]:
    """Seconds until the first token is on iopub, and of the processor, for one long answer."""
    before, first = running.cpu(), None
    for at, message in running.ask(str(TOKENS)):
        if first is None and WORD in json.dumps(message["content"]):
            first = at
    if first is None:
        raise RuntimeError("no token came")
    return first, running.cpu() - before


def paced(running: Kernel, name: str, goal: int, pause: float = 0.0) -> None:
    """Measure what an answer at reading speed puts on iopub.

    Args:
        goal: Multiple of the text.
        pause: Seconds in which the client reads nothing, once the answer has begun.
    """
    size, times, sequence, final = 0, [], [], ""
    for at, message in running.ask(f"{TOKENS} {RATE}"):
        size += len(json.dumps(message["content"], ensure_ascii=False).encode())
        times.append(message["header"]["date"].timestamp())
        data = message["content"].get("data", {})
        if data.get("type") == "turn.delta":
            sequence.append(data["seq"])
        final = data.get(TURN, {}).get("status", final) if isinstance(data, dict) else final
        if pause and at > 1:
            time.sleep(pause)
            pause = 0.0
    busiest = max(sum(1 for t in times if start <= t < start + 1) for start in times)
    lost = sum(after != before + 1 for before, after in pairwise([0, *sequence]))
    times_text = size / (TOKENS * len(WORD))
    row(f"{RATE} tokens a second, {name}: sent", times_text, "x", goal)
    row(f"{RATE} tokens a second, {name}: messages in a second", busiest, "", 25)
    row(f"{RATE} tokens a second, {name}: gaps", lost, "", 0)
    print(
        f"{RATE} tokens a second, {name}: {times_text:.2f} x the text (goal: {goal} x) in {len(times)} "
        f"messages, at most {busiest} in a second (goal: 25); {len(sequence)} deltas, {lost} gaps; "
        f"at the end: {final or 'a display'}"
    )


def measure(api: str, rounds: int, with_paced: bool) -> None:
    with (
        paced_server() as url,
        kernel("python3", url, api) as stock,
        kernel("msgbook", url, api) as ours,
    ):
        start = ours.megabytes() / stock.megabytes()
        runs = [(full_speed(ours), full_speed(stock)) for _ in range(rounds)]
        for what, index, goal in (("first token", 0, 1.1), ("processor time", 1, 0.3)):
            mine = statistics.median(run[0][index] for run in runs)
            theirs = statistics.median(run[1][index] for run in runs)
            row(f"{TOKENS} tokens, {api}: {what}", mine / theirs, "x", goal)
            print(
                f"{api}: {TOKENS} tokens, {what}: {mine:.3f} s, typed stream {theirs:.3f} s: "
                f"{mine / theirs:.2f} x (goal: {goal} x)"
            )
        end = ours.megabytes() / stock.megabytes()
        row(f"{api}: memory after long answers", end, "x", 2)
        print(
            f"{api}: memory: {start:.2f} x after one answer, {end:.2f} x after the long ones (2 x)"
        )
        if with_paced:
            paced(ours, "without a page", 100)
            ours.open_comm()
            paced(ours, "with a page", 3)
            paced(ours, f"with a page that reads nothing for {PAUSE:g} s", 3, PAUSE)


if __name__ == "__main__":
    words = sys.argv[1:]
    for name in TYPED:
        # What a page gets does not depend on the API.
        is_paced = "--paced" in words and name == "chat"
        measure(name, int(words[0]) if words[:1] not in ([], ["--paced"]) else 5, is_paced)
