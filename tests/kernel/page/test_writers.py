"""One of the pages that share a document writes each turn, and another takes over when it goes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from page_comm import Page

from msgbook.kernel.page.page_comms import PageComms
from msgbook.kernel.page.page_turns import Writers
from msgbook.notebook.transcript import Notebook


def on_a_loop(check: Callable[[PageComms, Writers], None]) -> None:
    async def main() -> None:
        pages = PageComms()
        check(pages, Writers(pages))

    asyncio.run(main())


def test_the_page_that_runs_the_cell_writes_as_long_as_it_answers():
    def check(pages: PageComms, writers: Writers) -> None:
        one, two = Page(pages, "one"), Page(pages, "two")
        writers.start("d", "a", "one")
        for _ in range(3):
            writers.check()
            two.offer()
            one.offer()
        assert writers.writer_of("d") == "one"
        assert one.named == two.named == ["one"] * 3

    on_a_loop(check)


def test_the_first_page_that_offers_itself_takes_the_place_of_one_that_is_silent():
    def check(pages: PageComms, writers: Writers) -> None:
        one, two, three = (Page(pages, client) for client in ("one", "two", "three"))
        writers.start("d", "a", "one")
        writers.check()
        assert writers.writer_of("d") == "one"
        writers.check()
        assert writers.writer_of("d") is None
        two.offer()
        three.offer()
        one.offer()
        assert writers.writer_of("d") == "two"
        assert one.named == ["one", None, "two"]

    on_a_loop(check)


def test_a_page_that_closes_is_replaced_at_once():
    def check(pages: PageComms, writers: Writers) -> None:
        one, two = Page(pages, "one"), Page(pages, "two")
        writers.start("d", "a", "one")
        one.close()
        assert two.named == [None]
        two.offer()
        assert writers.writer_of("d") == "two"

    on_a_loop(check)


def test_a_page_that_opens_learns_which_page_writes():
    def check(pages: PageComms, writers: Writers) -> None:
        writers.start("d", "a", "gone long ago")
        assert Page(pages, "one").sent == [
            {"type": "turn.writer", "display_id": "d", "cell_id": "a", "writer": "gone long ago"}
        ]
        writers.check()
        writers.check()
        assert writers.writer_of("d") is None

    on_a_loop(check)


def test_the_only_page_is_not_asked_whether_it_still_writes():
    def check(pages: PageComms, writers: Writers) -> None:
        one = Page(pages, "one")
        writers.start("d", "a", "one")
        writers.check()
        writers.check()
        assert (one.sent, writers.writer_of("d")) == ([], "one")
        two = Page(pages, "two")
        writers.check()
        assert (two.named, writers.writer_of("d")) == (["one", "one"], "one")

    on_a_loop(check)


def test_a_turn_that_is_in_the_document_needs_no_writer():
    def check(pages: PageComms, writers: Writers) -> None:
        one, two = Page(pages, "one"), Page(pages, "two")
        writers.start("d", "a", "one")
        writers.end("d")
        writers.check()
        two.offer()
        two.say({"type": "turn.writing", "display_id": ["d"]})
        assert (one.sent, writers.writer_of("d")) == ([], None)

    on_a_loop(check)


def test_turns_may_be_stored_in_the_document_while_pages_get_them():
    def check(pages: PageComms, writers: Writers) -> None:
        page = Page(pages, "one", lambda _message: writers.end("second"))
        for display_id in ("first", "second"):
            writers.start(display_id, "a", "gone long ago")
        writers.check()
        writers.check()
        assert [m["display_id"] for m in page.sent if m["writer"] is None] == ["first"]

    on_a_loop(check)


def test_the_cells_of_the_page_that_sent_the_request_are_preferred():
    async def main() -> Notebook | None:
        pages = PageComms()
        other, own = Page(pages, "other"), Page(pages, "own")
        asking = asyncio.ensure_future(pages.cells_through("a", "own"))
        await asyncio.sleep(0)
        for page, source in ((other, "what it was before"), (own, "what it is now")):
            cells = [{"id": "a", "cell_type": "code", "source": source, "metadata": {}}]
            request_id = page.sent[-1]["request_id"]
            page.say({"type": "cells", "request_id": request_id, "cells": cells, "metadata": {}})
        return await asking

    shown = asyncio.run(main())

    assert shown is not None
    assert [cell["source"] for cell in shown.cells] == ["what it is now"]


def test_only_an_open_page_is_named_to_mark_cells():
    pages = PageComms()
    page = Page(pages, "one")
    pages.send_mark({"type": "cells.mark"}, "one")
    pages.send_mark({"type": "cells.mark"}, "a console")
    assert [message["writer"] for message in page.sent] == ["one", None]
