"""How long the kernel waits for the cells that a page shows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from virtual_time import in_virtual_time

from msgbook.kernel.page.page_comms import PageComms

CELL = {"id": "a", "cell_type": "code", "source": "A", "metadata": {}, "outputs": []}


class _Comm:
    """A comm whose page keeps silent until it is told otherwise."""

    def __init__(self, comm_id: str = "c") -> None:
        self.comm_id = comm_id
        self.asked: list[dict[str, Any]] = []

    def send(self, message: dict[str, Any]) -> None:
        self.asked.append(message)

    def on_msg(self, heard: Callable[[dict[str, Any]], None]) -> None:
        self._heard = heard

    def on_close(self, closed: Callable[[dict[str, Any]], None]) -> None:
        pass

    def answer(self, cells: list[dict[str, Any]]) -> None:
        request_id = self.asked[-1]["request_id"] if self.asked else "late"
        data = {"type": "cells", "request_id": request_id, "cells": cells, "metadata": {}}
        self._heard({"content": {"data": data}})


def opened(pages: PageComms, session: str) -> _Comm:
    comm = _Comm(session)
    pages.comm_opened(comm, {"header": {"session": session}})
    return comm


def test_a_page_that_was_considered_gone_gets_what_it_missed():
    greeted: list[_Comm] = []

    async def main() -> None:
        pages = PageComms()
        pages.on_open(greeted.append)
        comm = opened(pages, "page")
        assert await pages.cells_through("a") is None
        assert not pages.is_connected
        comm.answer([])
        assert pages.is_connected

    in_virtual_time(main)

    assert len(greeted) == 2


def test_the_page_that_sent_the_request_is_waited_for_when_it_is_slow():
    async def main() -> None:
        pages = PageComms()
        comm, _gone = opened(pages, "own"), opened(pages, "gone")
        asyncio.get_running_loop().call_later(15, comm.answer, [CELL])
        notebook = await pages.cells_through("a", "own")
        assert notebook is not None
        assert notebook.cells == [CELL]

    in_virtual_time(main)


@pytest.mark.parametrize(("session", "waited"), [("own", 20), ("a terminal", 2)])
def test_a_page_that_never_answers_is_not_waited_for_much_longer(session, waited):
    async def main() -> None:
        pages = PageComms()
        opened(pages, "own")
        loop = asyncio.get_running_loop()
        began = loop.time()
        assert await pages.cells_through("a", session) is None
        assert loop.time() - began == pytest.approx(waited)

    in_virtual_time(main)


def test_what_another_page_shows_is_taken_if_the_own_page_is_slow():
    async def main() -> None:
        pages = PageComms()
        _slow, other = opened(pages, "own"), opened(pages, "other")
        loop = asyncio.get_running_loop()
        began = loop.time()
        loop.call_later(1, other.answer, [CELL])
        notebook = await pages.cells_through("a", "own")
        assert notebook is not None
        assert notebook.cells == [CELL]
        assert loop.time() - began == pytest.approx(2)

    in_virtual_time(main)
