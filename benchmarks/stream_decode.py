"""What a streamed answer costs: processor time per token, and memory of a very long one.

Baseline: a loop over the SDK's typed chunks that joins their text, the least a notebook cell would
do. Both read the same bytes, in the same process, without a network. Goal: 0.4 x. Ten times the
tokens may take ten times as long, and a million of them 200 MB.

Usage: python benchmarks/stream_decode.py [ROUNDS]
"""

from __future__ import annotations

import asyncio
import resource
import statistics
import sys
import time
from collections.abc import Awaitable, Callable

from streamed import our_turn, typed_pieces

TOKENS = 20_000
MESSAGES = [{"role": "user", "content": "hi"}]


async def typed(tokens: int) -> int:
    return len("".join(await typed_pieces(MESSAGES, tokens)))


async def ours(tokens: int) -> int:
    turn = (await our_turn(MESSAGES, tokens)).snapshot()
    if turn["status"] != "done":
        raise RuntimeError(f"the turn ended otherwise: {turn['blocks'][-1:]}")
    return len(turn["blocks"][0]["text"])


def seconds(read: Callable[[int], Awaitable[int]], tokens: int) -> float:
    """Processor time of one answer."""
    began = time.process_time()
    size = asyncio.run(_checked(read, tokens))
    if size != tokens * len("word "):
        raise RuntimeError(f"{size} characters came of {tokens} tokens")
    return time.process_time() - began


async def _checked(read: Callable[[int], Awaitable[int]], tokens: int) -> int:
    return await read(tokens)


def main(rounds: int) -> None:
    seconds(typed, 200), seconds(ours, 200)  # imports
    pairs = [(seconds(ours, TOKENS), seconds(typed, TOKENS)) for _ in range(rounds)]
    mine, theirs = (statistics.median(times) for times in zip(*pairs, strict=True))
    print(
        f"{TOKENS} tokens: {mine:.2f} s, typed chunks {theirs:.2f} s: {mine / theirs:.2f} x "
        f"(goal: 0.4 x)"
    )
    long = seconds(ours, TOKENS * 10)
    print(f"ten times the tokens: {long / mine:.1f} x the time (goal: about 10 x)")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds(ours, 1_000_000)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"a million tokens: +{(after - before) / 1024:.0f} MB (goal: 200 MB)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
