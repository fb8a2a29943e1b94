"""Mutated streams of Anthropic's API: no error but ours, no text lost, and done only where the server said so."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from mutated import mutated, pieces
from streamed_turns import recorded_streams

from msgbook.errors import ProviderError
from msgbook.events import ModelFinished, StepStarted
from msgbook.provider.anthropic.decode import MessageDecoder
from msgbook.turn.loop import end_of_answer
from msgbook.turn.record import TurnRecord

STREAMS = [body for api, body in recorded_streams().values() if api == "anthropic"]
SHORT = [body for body in STREAMS if len(body) < 8_000]
IN_EACH = 500 if settings().max_examples >= 200 else 30
"""Streams of one example: 100,000 in all where many examples are made."""
ENDS = {"", "end_turn", "stop_sequence", "tool_use", "true"}
"""Reasons of an answer that is complete. The servers of others may name none, and a flag is none."""


class Answer:
    """What a stream made."""

    def __init__(self, body: bytes, random: Random) -> None:
        numbers = itertools.count(1)
        decoder = MessageDecoder(lambda: f"made_{next(numbers)}")
        record = TurnRecord({"model": "m"}, lambda: "00000000")
        record.apply(StepStarted(1), 0.0)
        self.error = ""
        end: Any = None
        cuts = sorted(random.randint(0, len(body)) for _ in range(random.choice((0, 3))))
        try:
            for start, stop in itertools.pairwise([0, *cuts, len(body)]):
                for event in decoder.feed(body[start:stop]):
                    record.apply(event, 0.0)
            for event in decoder.end():
                end = event
                record.apply(event, 0.0)
        except ProviderError as error:
            self.error = str(error)
            for event in decoder.flush():
                record.apply(event, 0.0)
        self.turn: Any = record.snapshot()
        blocks = record.step_blocks()
        finished = end if isinstance(end, ModelFinished) else None
        ended = None if self.error else end_of_answer(finished, blocks)
        self.is_done = ended is not None and ended.status == "done"

    @property
    def text(self) -> str:
        keys = ("text", "arguments", "message")
        blocks = self.turn["blocks"]
        return "".join(str(block.get(key, "")) for block in blocks for key in keys)


@given(st.integers(0, 2**40))
def test_no_change_of_a_stream_breaks_a_law(seed: int) -> None:
    random = Random(seed)
    for number in range(IN_EACH):
        body, events = mutated(random, random.choice(SHORT), SHORT)
        try:
            answer = Answer(body, random)
            json.dumps(answer.turn).encode()
            letters = Counter(answer.text)
            said = "".join(pieces(events)).replace("\ud83d", "")
            missing = Counter(said) - letters
            assert not missing, f"lost: {said!r}"
            reason = stop_reason(events)
            assert not answer.is_done or reason in ENDS, reason
        except BaseException as failure:
            failure.add_note(f"stream {number} of seed {seed}:\n{body.decode(errors='replace')}")
            raise


def stop_reason(events: list[Any]) -> str:
    """Why the answer ended, as the last event before its end says it; empty if none does."""
    reason = ""
    for event in events:
        kind = event.get("type") if isinstance(event, dict) else event
        if kind in ("message_stop", "data: [DONE]"):
            break
        delta = event.get("delta") if kind == "message_delta" else None
        found = delta.get("stop_reason") if isinstance(delta, dict) else None
        reason = json.dumps(found).strip('"') if found else reason
    return reason
