"""How much of each request is, byte for byte, the beginning of the one before.

Servers keep what they have computed for a prefix, so that only the rest costs time and money.
Conversations of 50 turns, each request made from the notebook anew. Baseline: the same content with
all rules and files so far in a block at the end of the newest message, as notebook agents do it.

Usage: python benchmarks/prefix.py
"""

from __future__ import annotations

import json
import random
import statistics
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from notebooks import CODE, prose
from rows import row

from msgbook.messages import encode, user
from msgbook.request import macros_in_force
from msgbook.request.context.content_reference import (
    ContextItems,
    append_content_reference,
    build_content_reference,
    replay_content_reference,
)
from msgbook.request.context.macros import expand_macros
from msgbook.request.history import History, Reader, View
from msgbook.request.history.request import shared_prefix
from msgbook_format.turn import TURN_MIME, Turn

TURNS = 50
VIEW = View("assistant", "You are a helpful assistant in a Jupyter notebook.")
RULES = {
    "style.md": "Answer in {{LANGUAGE}}. " + "Explain each step in plain words. " * 40,
    "api.md": "All calls go to version {{VERSION}}. " * 40,
}

KINDS: Mapping[str, frozenset[str]] = {
    "plain": frozenset(),
    "tools": frozenset({"tools"}),
    "references": frozenset({"references"}),
    "rules": frozenset({"rules"}),
    "rules with macros": frozenset({"rules", "macros"}),
    "all of it": frozenset({"tools", "references", "rules", "macros"}),
}


class Conversation:
    """A notebook that grows by one turn at a time."""

    def __init__(self, kind: frozenset[str]) -> None:
        self._kind = kind
        self._random = random.Random(3)
        self._blobs: dict[str, str] = {}
        self._cells: list[dict[str, Any]] = []
        self._contexts: list[dict[str, Any]] = []
        self._files = {f"src/part{n}.py": CODE * (5 + n) for n in range(6)}
        self._reader = Reader(replay=self._replay)
        self.gathered: dict[str, Any] = {}
        """Rules and files so far, as the baseline sends them."""

    def requests(self) -> Iterator[History]:
        """The first request of each turn."""
        for number in range(TURNS):
            prompt = self._prompt(number)
            items = self._items(number, prompt)
            built = build_content_reference(self._contexts, items)
            self._blobs |= built.blobs
            self.gathered = {"rules": dict(items.rules)} | {
                "files": self.gathered.get("files", {}) | dict(items.files)
            }
            message = self._reader.prompt_message(prompt, built.context, VIEW)
            if message is None:
                raise RuntimeError("an empty prompt")
            yield self._reader.read(self._cells, VIEW).with_prompt(message, len(self._cells))
            self._answer(number, prompt, built.context)

    def _replay(self, text: str, context: Mapping[str, Any], _vision: bool) -> Any:
        return append_content_reference(text, replay_content_reference(context, self._blobs.get))

    def _prompt(self, number: int) -> str:
        prompt = prose(self._random, 200)
        if "macros" in self._kind and number % 20 == 0:
            prompt = f"#define LANGUAGE language {number}\n#define VERSION v2\n\n{prompt}"
        if "references" in self._kind and number % 3 == 0:
            prompt += f"\n\nSee @[src/part{number % 6}.py]."
        return prompt

    def _items(self, number: int, prompt: str) -> ContextItems:
        files = {}
        if "references" in self._kind and number % 3 == 0:
            name = f"src/part{number % 6}.py"
            if number % 9 == 0:
                self._files[name] += f"# edited before turn {number}\n"
            files[name] = self._files[name]
        macros = macros_in_force({}, self._cells, prompt).values
        rules = {name: expand_macros(text, macros).text for name, text in RULES.items()}
        return ContextItems(rules=rules if "rules" in self._kind else {}, files=files)

    def _answer(self, number: int, prompt: str, context: dict[str, Any]) -> None:
        blocks: list[dict[str, Any]] = [{"type": "reasoning", "step": 1, "text": "Hm. " * 50}]
        step = 1
        if "tools" in self._kind and number % 2 == 0:
            call = {"step": 1, "id": f"call_{number}"}
            blocks += [
                {"type": "tool_call", **call, "name": "read", "arguments": '{"path": "a.py"}'},
                {"type": "tool_result", **call, "status": "success", "content": CODE * 4},
            ]
            step = 2
        blocks.append({"type": "text", "step": step, "text": prose(self._random, 800)})
        turn: Turn = {
            "version": 1,
            "status": "done",
            "agent": VIEW.agent,
            "blocks": blocks,  # type: ignore[typeddict-item]
            "context": context,  # type: ignore[typeddict-item]
        }
        output = {"output_type": "display_data", "metadata": {}, "data": {TURN_MIME: turn}}
        cell = {"id": f"c{number}", "cell_type": "code", "source": prompt, "metadata": {}}
        # As the page gives it: as JSON.
        self._cells.append(json.loads(json.dumps({**cell, "outputs": [output]})))
        self._contexts.append(context)


def as_in_the_baseline(request: History, gathered: Mapping[str, Any]) -> History:
    """The same messages without their blocks, but for one of all so far at the end."""
    result = History()
    last = len(request.messages) - 1
    for number, message in enumerate(request.messages):
        if message["role"] == "user":
            text = message["content"].partition("\n\n<content_reference>")[0]
            block = json.dumps(gathered, ensure_ascii=False, indent=1) if number == last else ""
            message = user(f"{text}\n\n<content_reference>\n{block}" if block else text)
        result.add(message, encode(message), None)
    return result


def main() -> None:
    print(
        f"{TURNS} turns; share of a request that begins the one before: median, least of turn 10 on"
    )
    for name, kind in KINDS.items():
        conversation = Conversation(kind)
        mine: list[History] = []
        theirs: list[History] = []
        for request in conversation.requests():
            mine.append(request)
            theirs.append(as_in_the_baseline(request, conversation.gathered))
        ours, baseline = shares(mine), shares(theirs)
        broken = sum(shared_prefix(a, b).is_broken for a, b in pairwise(mine))
        print(
            f"{name:18} {statistics.median(ours):6.1%} {min(ours[9:]):6.1%}   all in the newest "
            f"message: {statistics.median(baseline):6.1%} {min(baseline[9:]):6.1%}   "
            f"broken: {broken} of {TURNS - 1}"
        )
        row(f"{name}: requests that do not begin with the one before", broken, "", 0)


def shares(requests: list[History]) -> list[float]:
    pairs = pairwise(requests)
    return [shared_prefix(earlier, later).share for earlier, later in pairs]


if __name__ == "__main__":
    main()
