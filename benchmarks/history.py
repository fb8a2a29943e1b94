"""What the next request costs at the end of a long notebook, and to find which turns are stale.

The cells come as new objects each time, as from the page. Goals: the request for turn 1,000 (2,000
cells, 5 MB) in 50 ms beyond JSON encoding, and no more than linear growth; with 744 turns above, the
processor time of a turn a quarter of that of a loop that keeps its messages in a list and hands
them to the SDK; 1,000 turns judged stale or not in a second.

Usage: python benchmarks/history.py [ROUNDS]
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from notebooks import chat
from rows import row
from streamed import our_turn, typed_pieces

from msgbook.config import may_contain, redact_json
from msgbook.notebook.cells import Cell
from msgbook.request.history import Reader, View, known_summaries
from msgbook.request.history.stale import stale_turns

VIEW = View("assistant", "You are a helpful assistant in a Jupyter notebook.")
TOKENS = 100
"""Tokens of the answer: few, so that the request counts."""
NOTE = "A note between two messages, of some words, as one writes them for oneself. " * 18


def notebook(turns: int) -> str:
    """JSON of the cells of a conversation: before each turn a note."""
    cells: list[dict[str, Any]] = []
    for number, prompt in enumerate(chat(turns)["cells"]):
        note = {"id": f"note-{number}", "cell_type": "markdown", "metadata": {}, "source": NOTE}
        cells += [note, prompt]
    return json.dumps(cells)


def reader() -> Reader:
    secrets = ("sk-0123456789abcdef0123", "another-secret-of-the-user")
    return Reader(
        redact=partial(redact_json, secrets=secrets),
        may_contain=partial(may_contain, secrets=secrets),
    )


def request(used: Reader, cells: list[Cell]) -> list[dict[str, Any]]:
    """The messages for a prompt below the cells, hashed as a turn records it."""
    prompt = used.prompt_message("And now?", {}, VIEW)
    if prompt is None:
        raise RuntimeError("the prompt is empty")
    whole = used.read(cells, VIEW, known_summaries(cells)).with_prompt(prompt, len(cells))
    used.request_hash(whole)
    return whole.messages


def timed(work: Callable[[], Any]) -> float:
    """Processor time in milliseconds."""
    began = time.process_time()
    work()
    return (time.process_time() - began) * 1000


def building(turns: int, rounds: int) -> tuple[float, float, float]:
    """Milliseconds of the first request, of later ones, and of encoding one as JSON."""
    text = notebook(turns)
    first, later, encoding = [], [], []
    for _ in range(rounds):
        used, cells = reader(), json.loads(text)
        first.append(timed(partial(request, used, cells)))
        cells = json.loads(text)
        later.append(timed(partial(request, used, cells)))
        messages = request(used, cells)
        encoding.append(timed(partial(json.dumps, messages, ensure_ascii=False)))
    return statistics.median(first), statistics.median(later), statistics.median(encoding)


class Ours:
    """Turns below the same cells, in one session."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._reader = reader()
        request(self._reader, json.loads(text))
        self.cells: list[Cell] = []

    def prepare(self) -> None:
        self.cells = json.loads(self._text)

    async def turn(self) -> None:
        await our_turn(request(self._reader, self.cells), TOKENS)


async def kept(messages: Any) -> None:
    """A turn of a cell that keeps the messages in a list."""
    pieces = await typed_pieces(messages, TOKENS)
    if len(pieces) != TOKENS + 1:
        raise RuntimeError(f"{len(pieces)} pieces came of {TOKENS} tokens")


def turns(number: int, rounds: int) -> tuple[float, float]:
    """Milliseconds of a turn with so many above: ours, and of a list of messages."""
    text = notebook(number)
    ours, messages = Ours(text), request(reader(), json.loads(text))
    mine, theirs = [], []
    for _ in range(rounds + 1):
        ours.prepare()
        mine.append(timed(lambda: _run(ours.turn)))
        theirs.append(timed(lambda: _run(lambda: kept(messages))))
    # The first round imports.
    return statistics.median(mine[1:]), statistics.median(theirs[1:])


def _run(work: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        await work()

    asyncio.run(main())


def judging(number: int) -> tuple[float, float]:
    """Milliseconds to judge so many turns with a reader that has read nothing, and again."""
    text, used = notebook(number), reader()
    cells = json.loads(text)
    first = timed(lambda: stale_turns(cells, used, lambda _position, _turn: VIEW))
    cells = json.loads(text)
    return first, timed(lambda: stale_turns(cells, used, lambda _position, _turn: VIEW))


def main(rounds: int) -> None:
    for number in (250, 500, 1000, 2000):
        size = len(notebook(number)) / 1e6
        first, later, encoding = building(number, rounds)
        row(f"request below {number} turns, beyond encoding it", later - encoding, "ms", 50)
        print(
            f"{number} turns, {2 * number} cells, {size:.1f} MB: request {later:.0f} ms, the first "
            f"of a session {first:.0f} ms; encoding it as JSON {encoding:.0f} ms"
        )
    for number in (186, 372, 744):
        mine, theirs = turns(number, rounds)
        print(
            f"a turn below {number}: {mine:.0f} ms, list and SDK {theirs:.0f} ms: "
            f"{mine / theirs:.2f} x (goal: 0.25 x at 744)"
        )
        row(f"a turn below {number}", mine / theirs, "x", 0.25 if number == 744 else None)
    first, again = judging(1000)
    row("1000 turns judged stale or not", first, "ms", 1000)
    print(f"1000 turns judged: {first:.0f} ms, again {again:.0f} ms (goal: 1 s)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
