"""What a streamed answer costs: processor time per token, and memory of a very long one.

Over each API. Baseline: a loop over the SDK's typed chunks, or typed events, that joins their text,
the least a notebook cell would do. Both read the same bytes, in the same process, without a network.
Goal: 0.3 x, over Anthropic's 0.35 x. Ten times the tokens may take ten times as long, and a million of them 200 MB.

Usage: python benchmarks/stream_decode.py [ROUNDS [API]]
"""

from __future__ import annotations

import asyncio
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable

from rows import row
from streamed import our_turn, typed_pieces

from msgbook.messages import ApiName

Read = Callable[[int, ApiName], Awaitable[int]]

TOKENS = 20_000
GOALS: dict[ApiName, float] = {"chat": 0.3, "responses": 0.3, "anthropic": 0.35}
MESSAGES = [{"role": "user", "content": "hi"}]


async def typed(tokens: int, api: ApiName) -> int:
    return len("".join(await typed_pieces(MESSAGES, tokens, api)))


async def ours(tokens: int, api: ApiName) -> int:
    turn = (await our_turn(MESSAGES, tokens, api)).snapshot()
    if turn["status"] != "done":
        raise RuntimeError(f"the turn ended otherwise: {turn['blocks'][-1:]}")
    return len(turn["blocks"][0]["text"])


def seconds(read: Read, tokens: int, api: ApiName) -> float:
    """Processor time of one answer."""
    began = time.process_time()
    size = asyncio.run(read(tokens, api))
    if size != tokens * len("word "):
        raise RuntimeError(f"{size} characters came of {tokens} tokens")
    return time.process_time() - began


def measure(api: ApiName, rounds: int) -> None:
    seconds(typed, 200, api), seconds(ours, 200, api)  # imports
    pairs = [(seconds(ours, TOKENS, api), seconds(typed, TOKENS, api)) for _ in range(rounds)]
    mine, theirs = (statistics.median(times) for times in zip(*pairs, strict=True))
    print(
        f"{api}: {TOKENS} tokens: {mine:.2f} s, typed {theirs:.2f} s: {mine / theirs:.2f} x "
        f"(goal: {GOALS[api]} x)"
    )
    row(f"{TOKENS} tokens, {api}", mine / theirs, "x", GOALS[api])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # As long as an answer may be: the limit `answer_limit` is a million characters.
    long = seconds(ours, TOKENS * 10, api)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{api}: ten times the tokens: {long / mine:.1f} x the time (goal: about 10 x)")
    print(f"{api}: ten times the tokens: +{(after - before) / 1024:.0f} MB (goal: 200 MB)")
    row(f"{TOKENS * 10} tokens, {api}: memory", (after - before) / 1024, "MB", 200)


if __name__ == "__main__":
    words = sys.argv[1:] or ["5"]
    if len(words) > 1:
        measure(next(api for api in GOALS if api == words[1]), int(words[0]))
    else:
        # Each in a process of its own: the memory that one has used would hide that of the other.
        for name in GOALS:
            subprocess.run([sys.executable, __file__, *words, name], check=True)
