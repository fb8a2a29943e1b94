"""A turn on the wire: one display, few messages, the last state always shown."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from virtual_time import in_virtual_time

from msgbook.display.publish import TurnDisplay
from msgbook.display.turn_view import apply
from msgbook.events import (
    ModelFinished,
    StepStarted,
    TextDelta,
    ToolApproved,
    ToolCallDelta,
    ToolFinished,
    ToolOutput,
    TurnEvent,
    TurnFinished,
)
from msgbook.turn.record import TurnRecord
from msgbook_format.turn import Turn


class FakePages:
    """The pages of a notebook: they apply what they are sent, as a page does."""

    def __init__(self, count: int = 1) -> None:
        self.count = count
        self.times: list[float] = []
        self.sent: list[dict[str, Any]] = []
        self.turn: Turn | None = None
        self.seq = 0

    def send(self, message: dict[str, Any]) -> None:
        message = json.loads(json.dumps(message))
        self.times += [asyncio.get_running_loop().time()] * self.count
        self.sent.append(message)
        if message["type"] == "turn":
            self.turn, self.seq = message["turn"], message["seq"]
        elif self.turn is not None:
            assert message["seq"] == self.seq + 1
            self.turn, self.seq = apply(self.turn, message["ops"]), message["seq"]


class Wire:
    """A display and what it sent, with the time of each message."""

    def __init__(self, pages: FakePages | None = None) -> None:
        self.record = TurnRecord({}, lambda: "0")
        self.record.apply(StepStarted(1), 0)
        self.sent: list[tuple[float, str, str]] = []
        self.ids: set[str] = set()
        self.display = TurnDisplay(
            self.record, self._bundle, self._send, "the-display", pages=pages, cell_id="a"
        )

    def say(self, text: str) -> None:
        self.take(TextDelta(text))

    def take(self, event: TurnEvent) -> None:
        self.record.apply(event, 0)
        self.display.changed()

    @property
    def text(self) -> str:
        """What the display shows."""
        return self.sent[-1][2]

    def _bundle(self, turn: Turn) -> dict[str, Any]:
        return {"turn": "".join(block.get("text", "") for block in turn["blocks"])}

    def _send(self, msg_type: str, content: dict[str, Any]) -> None:
        now = asyncio.get_running_loop().time()
        self.sent.append((now, msg_type, content["data"]["turn"]))
        self.ids.add(content["transient"]["display_id"])


def most_in_a_second(times: list[float]) -> int:
    return max(sum(start <= at < start + 1 for at in times) for start in times)


def test_the_first_change_shows_at_once_and_the_last_one_always():
    async def main() -> None:
        wire = Wire()
        for letter in "abc":
            wire.say(letter)

        assert [text for _, _, text in wire.sent] == ["a"]

        await asyncio.sleep(1)

        assert [(kind, text) for _, kind, text in wire.sent] == [
            ("display_data", "a"),
            ("update_display_data", "abc"),
        ]
        assert wire.ids == {"the-display"}

    in_virtual_time(main)


def test_no_more_than_25_messages_a_second_and_fewer_the_longer_the_turn():
    async def main() -> None:
        wire = Wire()
        for _ in range(20_000):
            wire.say("word ")
            await asyncio.sleep(0.005)
        wire.display.finish()

        times = [at for at, _, _ in wire.sent]
        assert most_in_a_second(times) <= 25
        assert sum(len(text) for _, _, text in wire.sent) < 50 * 100_000
        assert wire.sent[-1][2] == "word " * 20_000

    in_virtual_time(main)


def test_finish_shows_the_end_at_once_and_sends_nothing_later():
    async def main() -> None:
        wire = Wire()
        wire.say("a")
        wire.say("b")
        wire.record.apply(TurnFinished("done"), 0)
        wire.display.finish()

        assert [text for _, _, text in wire.sent] == ["a", "ab"]

        await asyncio.sleep(10)

        assert len(wire.sent) == 2

    in_virtual_time(main)


def test_with_a_page_text_is_sent_once_and_the_display_is_complete_at_the_end():
    async def main() -> None:
        pages = FakePages()
        wire = Wire(pages)
        wire.display.changed()
        wire.display.follow()
        for _ in range(20_000):
            wire.say("word ")
            await asyncio.sleep(0.005)
        wire.take(TurnFinished("done"))
        wire.display.finish()

        assert [kind for _, kind, _ in wire.sent] == ["display_data", "update_display_data"]
        assert wire.text == "word " * 20_000
        assert pages.turn == wire.record.snapshot()
        assert [m["type"] for m in pages.sent[:3]] == ["turn", "turn.delta", "turn.delta"]
        assert pages.sent[0]["cell_id"] == "a"
        ops = [op for message in pages.sent[1:] for op in message["ops"]]
        assert sum(len(op[3]) for op in ops if op[0] == "append") <= 100_000
        assert len(pages.sent) < 750

    in_virtual_time(main)


def test_the_last_delta_is_sent_without_a_further_change():
    async def main() -> None:
        pages = FakePages()
        wire = Wire(pages)
        wire.display.follow()
        for letter in "abc":
            wire.say(letter)
        await asyncio.sleep(1)

        assert pages.turn == wire.record.snapshot()

    in_virtual_time(main)


def tool_run(call_id: str) -> Iterator[TurnEvent]:
    yield StepStarted(1)
    yield ToolCallDelta(0, call_id, "shell", "{}")
    yield ModelFinished("tool_calls", True)
    yield ToolApproved(call_id, "pending")
    yield ToolApproved(call_id, "user")
    for _ in range(50):
        yield ToolOutput(call_id, "line\n")
    yield ToolFinished(call_id, "success", "line", 1)


@pytest.mark.parametrize("pause", [0.001, 0.01, 0.1, 0.3])
@pytest.mark.parametrize("count", [1, 2])
def test_with_a_page_there_are_at_most_25_messages_a_second_whatever_happens(pause, count):
    async def main() -> None:
        pages = FakePages(count)
        wire = Wire(pages)
        wire.display.changed()
        wire.display.follow()
        for number in range(10):
            for event in tool_run(f"c{number}"):
                wire.take(event)
                await asyncio.sleep(pause)
        wire.display.finish()

        assert most_in_a_second(pages.times + [at for at, _, _ in wire.sent]) <= 25
        assert pages.turn == wire.record.snapshot()

    in_virtual_time(main)


def test_the_display_is_complete_when_a_tool_run_or_question_begins_or_ends():
    async def main() -> None:
        wire = Wire(FakePages())
        wire.display.changed()
        wire.display.follow()
        wire.say("before ")
        await asyncio.sleep(1)
        for event in tool_run("c"):
            before = len(wire.sent)
            wire.take(event)
            await asyncio.sleep(1)
            assert (len(wire.sent) > before) == isinstance(event, ToolApproved | ToolFinished)

        assert wire.text == "before "

    in_virtual_time(main)


def test_a_page_that_opens_during_a_turn_continues_from_the_state_it_requested():
    async def main() -> None:
        pages = FakePages(0)
        wire = Wire(pages)
        wire.say("one ")
        await asyncio.sleep(1)
        assert pages.sent == []

        pages.count = 1
        wire.display.follow()
        pages.send({"type": "turn", **wire.display.state()})
        wire.say("two ")
        await asyncio.sleep(1)
        assert pages.turn == wire.record.snapshot()

        pages.count = 0
        wire.say("three ")
        await asyncio.sleep(1)
        assert wire.text == "one two three "

        pages.count = 1
        pages.send({"type": "turn", **wire.display.state()})
        wire.say("four")
        wire.display.finish()
        assert pages.turn == wire.record.snapshot()
        assert wire.text == "one two three four"

    in_virtual_time(main)


def test_the_time_to_send_a_million_tokens_grows_linearly():
    async def main() -> None:
        pages = FakePages()
        pages.send = lambda message: pages.sent.append(len(message.get("ops", ())))
        wire = Wire(pages)
        wire.display.changed()
        wire.display.follow()
        for _ in range(10_000):
            wire.say("word " * 100)
            await asyncio.sleep(0.05)

        assert len(pages.sent) <= 10_000 * 0.05 / 0.25 + 200
        assert len(wire.sent) <= 2

    in_virtual_time(main)
