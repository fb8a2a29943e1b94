"""A conversation of fifty turns with a server that bills as Anthropic does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from apis import asking_over
from scripted_server import Answer, ScriptedServer, call, delta, text
from talk import Talk

TURNS = 50
KINDS = {"words": (False, False), "calls and thinking": (True, True)}
"""Whether every second turn calls a tool, and whether the model thinks."""

_WORDS = "Each step is explained in plain words, with an example. "


@dataclass
class Bill:
    """What the turns have cost, in tokens of input."""

    turns: list[dict[str, Any]]
    read: int
    """From the cache."""
    written: int
    """To the cache."""
    rest: int

    @property
    def input(self) -> int:
        return self.read + self.written + self.rest

    @property
    def share(self) -> float:
        """Share of the input that was read from the cache."""
        return self.read / self.input


def converse(server: ScriptedServer, folder: Path, kind: str) -> Bill:
    """Have the conversation, and return what it cost."""
    (folder / "notes.txt").write_text("".join(f"{n}: {_WORDS}\n" for n in range(30)))
    server.bills = True
    server.answers = list(_answers(*KINDS[kind]))
    talk = Talk(server, folder)
    with asking_over("anthropic"):
        turns = [talk.ask(f"Question {number}. {_WORDS * 4}") for number in range(TURNS)]
    keys = ("cache_read_input_tokens", "cache_creation_input_tokens", "input_tokens")
    return Bill(turns, *(sum(cost[key] for cost in server.billed) for key in keys))


def _answers(calls: bool, thinks: bool) -> Iterator[Answer]:
    thought = "I read the file first. " * 10 if thinks else None
    for number in range(TURNS):
        if calls and number % 2 == 0:
            reasoning = [delta(reasoning_content=thought)] if thought else []
            called = call("read", {"path": "notes.txt"}, f"toolu_{number}")
            yield Answer([*reasoning, *called.chunks])
        yield text(f"Answer {number}. " + _WORDS * 15, reasoning=thought)
