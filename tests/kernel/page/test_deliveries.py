"""Each page learns of each turn that it may have missed, whatever happens at the same time."""

from __future__ import annotations

import asyncio
from typing import Any

from page_comm import Page

from msgbook.kernel.page.deliveries import Deliveries
from msgbook.kernel.page.page_comms import PageComms


class Display:
    """A turn's display, as far as its delivery is concerned."""

    def __init__(self, cell_id: str, display_id: str) -> None:
        self.cell_id, self.display_id = cell_id, display_id

    def follow(self) -> None:
        """Nothing that a test looks at."""

    def state(self) -> dict[str, Any]:
        return {"display_id": self.display_id, "seq": 0, "turn": {}, "writer": None}


def told(page: Page) -> set[str]:
    """The displays of the turns that a page was told of."""
    return {message["display_id"] for message in page.sent if message["type"] == "turn"}


def test_a_turn_that_ends_while_a_page_is_told_of_the_others_is_told_of():
    async def main() -> set[str]:
        pages = PageComms()
        deliveries = Deliveries(pages)
        ended, running = Display("a", "first"), Display("b", "second")
        for display in (ended, running):
            deliveries.begin(display)
        deliveries.end(ended)

        def end_the_other(message: dict[str, Any]) -> None:
            if message.get("display_id") == "first" and message["type"] == "turn":
                deliveries.end(running)

        page = Page(pages, "one", end_the_other)
        await asyncio.sleep(0)
        return told(page)

    assert asyncio.run(main()) == {"first", "second"}


def test_a_cell_that_runs_twice_at_once_ends_twice_and_the_last_end_counts():
    async def main() -> tuple[set[str], list[str | None]]:
        pages = PageComms()
        deliveries = Deliveries(pages)
        first, second = Display("a", "first"), Display("a", "second")
        for display in (first, second):
            deliveries.begin(display, "one")
        for display in (first, second):
            deliveries.end(display)
        return told(Page(pages, "one")), [deliveries.writer("first"), deliveries.writer("second")]

    assert asyncio.run(main()) == ({"second"}, [None, "one"])
