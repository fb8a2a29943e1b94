"""Each page learns of each turn that it may have missed, whatever happens at the same time."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from page_comm import Page

from msgbook.kernel.page.kept_turns import KeptTurns
from msgbook.kernel.page.page_comms import PageComms
from msgbook.kernel.page.page_turns import PageTurns


class Display:
    """The parts of a turn's display that a page is sent."""

    def __init__(self, cell_id: str, display_id: str) -> None:
        self.cell_id, self.display_id = cell_id, display_id

    def follow(self) -> None:
        """Do nothing that a test looks at."""

    def state(self) -> dict[str, Any]:
        return {"display_id": self.display_id, "seq": 0, "turn": {}, "writer": None}


def displays_sent(page: Page) -> set[str]:
    """Return the displays of the turns that a page was sent."""
    return {message["display_id"] for message in page.sent if message["type"] == "turn"}


def test_a_turn_that_ends_while_a_page_gets_the_other_turns_is_sent_too():
    async def main() -> set[str]:
        pages = PageComms()
        turns = PageTurns(pages, KeptTurns(None, Path()))
        ended, running = Display("a", "first"), Display("b", "second")
        for display in (ended, running):
            turns.start(display)
        turns.end(ended)

        def end_the_other(message: dict[str, Any]) -> None:
            if message.get("display_id") == "first" and message["type"] == "turn":
                turns.end(running)

        page = Page(pages, "one", end_the_other)
        await asyncio.sleep(0)
        return displays_sent(page)

    assert asyncio.run(main()) == {"first", "second"}


def test_when_a_cell_runs_twice_at_once_the_last_end_counts():
    async def main() -> tuple[set[str], list[str | None]]:
        pages = PageComms()
        turns = PageTurns(pages, KeptTurns(None, Path()))
        first, second = Display("a", "first"), Display("a", "second")
        for display in (first, second):
            turns.start(display, "one")
        for display in (first, second):
            turns.end(display)
        return displays_sent(Page(pages, "one")), [
            turns.writer_of("first"),
            turns.writer_of("second"),
        ]

    assert asyncio.run(main()) == ({"second"}, [None, "one"])
