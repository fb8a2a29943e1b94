"""What recording a streamed turn costs: processor time with a cassette, against the same turn without one.

The server is another process and sends 200 tokens a second in events of their own, as a model does. Both turns run in
this process, by turns. Goal: 1.05 x. At full speed, where nothing waits, there is none: it shows what an event costs.

Usage: python benchmarks/recording.py [ROUNDS]
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

from paced_server import paced_server
from rows import row

from msgbook.config import load_settings
from msgbook.display.turn_view import HiddenTurn
from msgbook.engine import Conversation, Services
from msgbook.extras.cassettes import CassetteFile, Recorder
from msgbook.notebook import Transcript
from msgbook.turn_run import run_to_end

TOKENS, RATE = 1000, 200


def seconds(url: str, folder: Path, prompt: str, *, recorded: bool) -> float:
    """Processor time of one turn."""
    settings = load_settings(
        {"OPENAI_BASE_URL": url, "MSGBOOK_MODEL": "m", "OPENAI_API_KEY": "sk-" + "k" * 40}
    )
    file = CassetteFile(folder / "c.cassette.jsonl", settings.secrets) if recorded else None
    began = time.process_time()
    recorder = Recorder(file, settings, "chat.msg.md") if file is not None else None

    async def turn() -> str:
        engine = Conversation(Services(settings, cassette=recorder), folder)

        async def transcript() -> Transcript:
            return Transcript("memory", ())

        ended = await run_to_end(engine, prompt, transcript, engine.new_record(), HiddenTurn())
        await engine.services.close()
        return ended.turn["status"]

    status = asyncio.run(turn())
    if file is not None:
        file.complete()
    taken = time.process_time() - began
    if status != "done":
        raise RuntimeError(f"the turn ended as {status}")
    return taken


def main(rounds: int) -> None:
    with paced_server() as url, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for recorded in (False, True):
            seconds(url, folder, "100", recorded=recorded)  # imports
        for prompt, words, goal in (
            (f"{TOKENS} {RATE}", f"{TOKENS} tokens at {RATE} a second", ", goal: 1.05 x"),
            ("20000", "20000 tokens at once", ""),
        ):
            pairs = [
                (
                    seconds(url, folder, prompt, recorded=True),
                    seconds(url, folder, prompt, recorded=False),
                )
                for _ in range(rounds)
            ]
            ratios = [mine / theirs for mine, theirs in pairs]
            plain = statistics.median(theirs for _, theirs in pairs)
            row(f"recording {words}", statistics.median(ratios), "x", 1.05 if goal else None)
            print(
                f"{words}: {statistics.median(ratios):.3f} x of {plain:.2f} s "
                f"({min(ratios):.2f} to {max(ratios):.2f}){goal}"
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
