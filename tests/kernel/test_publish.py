"""A turn on the wire: one display, few messages, the last state always shown."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Awaitable, Callable
from typing import Any

from msgbook.events import StepStarted, TextDelta, TurnFinished
from msgbook.output.publish import TurnDisplay
from msgbook.output.record import TurnRecord


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to the next timer instead of waiting for it."""

    def __init__(self) -> None:
        self.now = 0.0
        loop = self

        class Selector(selectors.SelectSelector):
            def select(self, timeout: float | None = None) -> Any:
                loop.now += timeout or 0.0
                return super().select(0)

        super().__init__(Selector())

    def time(self) -> float:
        return self.now


def in_virtual_time(main: Callable[[], Awaitable[None]]) -> None:
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        runner.run(main())  # type: ignore[arg-type]


class Wire:
    """A display and what it sent, with the time of each message."""

    def __init__(self) -> None:
        self.record = TurnRecord({}, lambda: "0")
        self.record.apply(StepStarted(1), 0)
        self.sent: list[tuple[float, str, str]] = []
        self.ids: set[str] = set()
        self.display = TurnDisplay(self.record, self._bundle, self._send, "the-display")

    def say(self, text: str) -> None:
        self.record.apply(TextDelta(text), 0)
        self.display.changed()

    def _bundle(self) -> dict[str, Any]:
        return {"turn": "".join(block["text"] for block in self.record.snapshot()["blocks"])}

    def _send(self, msg_type: str, content: dict[str, Any]) -> None:
        now = asyncio.get_running_loop().time()
        self.sent.append((now, msg_type, content["data"]["turn"]))
        self.ids.add(content["transient"]["display_id"])


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
        assert max(sum(start <= at < start + 1 for at in times) for start in times) <= 25
        assert sum(len(text) for _, _, text in wire.sent) < 50 * 100_000
        assert wire.sent[-1][2] == "word " * 20_000

    in_virtual_time(main)


def test_finish_shows_the_end_at_once_and_nothing_follows():
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
