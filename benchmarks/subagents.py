"""How long eight sub-agents take, compared with the slowest of them alone.

Goal: under 1.1 times the slowest. Each answers in words with a pause between them; the last one has
the most.

Usage: PYTHONPATH=tests/support python benchmarks/subagents.py [TRIES]
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

from engine_turns import run_turn
from scripted_server import Answer, ScriptedServer, delta, finish
from team import SAID, dispatch, dispatch_result, play

from msgbook.config import load_settings
from msgbook.engine import Engine
from msgbook.notebook import Transcript

CHILDREN = 8
PAUSE = 0.05


def answers() -> dict[str, Answer]:
    """Answers of one to two seconds."""
    return {
        f"task {n}.": Answer([*[delta(content="word ")] * (20 + 3 * n), finish()], pause=PAUSE)
        for n in range(CHILDREN)
    }


async def measure(server: ScriptedServer, given: dict[str, Answer]) -> float:
    """Return the seconds of a call that starts sub-agents with these answers."""
    server.choose = play([dispatch(*given), SAID], given)
    env = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m", "MSGBOOK_APPROVAL": "allow"}
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(load_settings(env), Path(folder))
        try:
            transcript = Transcript("file", [], {}, path=Path(folder) / "chat.msg.md")
            turn: Any = await run_turn(engine, "ask them", transcript)
        finally:
            await engine.close()
    return float(dispatch_result(turn)["duration"])


def main(tries: int) -> None:
    ratios = []
    given = answers()
    slowest = dict([list(given.items())[-1]])
    with ScriptedServer() as server:
        asyncio.run(measure(server, slowest))  # imports
        for _ in range(tries):
            alone = asyncio.run(measure(server, slowest))
            together = asyncio.run(measure(server, given))
            ratios.append(together / alone)
            print(f"alone {alone:.2f} s, eight {together:.2f} s, {ratios[-1]:.3f} x the slowest")
    print(f"median {statistics.median(ratios):.3f} of {tries}; goal: under 1.1")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
