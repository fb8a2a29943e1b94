"""The notebook of a turn on a page: one page makes each change, and says so."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from page_comm import Message, Page

from msgbook.errors import ToolError
from msgbook.kernel.page.page_comms import PageComms
from msgbook.kernel.page.page_notebook import PageChanges, PageNotebook
from msgbook.notebook import RequestedCell
from msgbook.tools import AbsentPython, CellEdit
from msgbook_format.syntax import CHAT_CELLS

CELLS = [
    {"id": "code", "cell_type": "code", "source": "%%python\nx", "metadata": {}},
    {"id": "ask", "cell_type": "code", "source": "Mend it.", "metadata": {}},
]
EDIT = CellEdit(0, "code", "%%python\nx", "%%python\ny", "cell code", "code")


class World:
    """The pages of one kernel; each answers as it is told."""

    def __init__(self, path: Path | None = None) -> None:
        self.pages = PageComms()
        requested = RequestedCell("Mend it.", "ask", client_session="mine")
        changes = PageChanges(self.pages)
        self.notebook = PageNotebook(
            self.pages, changes, requested, CHAT_CELLS, AbsentPython(), path
        )

    def open(self, client: str, problem: Any = "", cells: Any = CELLS) -> Page:
        def hear(message: Message) -> None:
            answer: Message = {"request_id": message["request_id"]}
            if message["type"] == "cells.change":
                answer |= {"type": "cells.changed", "problem": problem}
            else:
                answer |= {"type": "cells", "cells": cells, "metadata": {}}
            # A real page answers later.
            asyncio.get_running_loop().call_soon(page.say, answer)

        page = Page(self.pages, client, hear)
        return page


def changes_of(page: Page) -> list[Message]:
    return [message["change"] for message in page.sent if message["type"] == "cells.change"]


def run(play: Callable[[], Any]) -> Any:
    return asyncio.run(play())


def test_the_page_that_runs_the_cell_makes_the_change_and_no_other():
    async def play() -> tuple[Page, Page]:
        world = World()
        other, mine = world.open("other"), world.open("mine")
        await world.notebook.edit(EDIT)
        return other, mine

    other, mine = run(play)
    assert changes_of(other) == []
    assert changes_of(mine) == [
        {"kind": "edit", "cell_id": "code", "before": "%%python\nx", "after": "%%python\ny"}
    ]


def test_a_page_of_another_notebook_leaves_it_to_the_next():
    async def play() -> tuple[Page, Page]:
        world = World()
        mine, other = world.open("mine", "absent"), world.open("other")
        await world.notebook.edit(EDIT)
        return mine, other

    mine, other = run(play)
    assert len(changes_of(mine)) == len(changes_of(other)) == 1


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        ("changed", "Nothing was changed: the cell has changed meanwhile. Read it again."),
        ("missing", "Nothing was changed: the cell is no longer there."),
        ("locked", "Nothing was changed: the notebook or the cell cannot be edited."),
        ("something new", "Nothing was changed: the page did not do it."),
        ("absent", "No open page shows this notebook, so its cells can be neither changed nor run."),
    ],
)  # fmt: skip
def test_why_a_page_does_not_make_a_change_is_said(problem, words):
    async def play() -> None:
        world = World()
        world.open("mine", problem)
        await world.notebook.edit(EDIT)

    with pytest.raises(ToolError) as refused:
        run(play)
    assert str(refused.value) == words


def test_an_answer_that_is_none_and_one_that_nobody_asked_for_have_no_effect():
    async def play() -> None:
        world = World()
        asked = asyncio.Event()
        page = Page(world.pages, "mine", lambda _message: asked.set())
        for request_id in ("other", None):
            page.say({"type": "cells.changed", "request_id": request_id, "problem": ""})
        change = asyncio.ensure_future(world.notebook.edit(EDIT))
        await asked.wait()
        request_id = page.sent[-1]["request_id"]
        for problem in (["no text"], None, "", "changed"):
            page.say({"type": "cells.changed", "request_id": request_id, "problem": problem})
        await change

    run(play)


def test_the_cells_are_those_of_the_page_that_has_the_running_one():
    async def play() -> Any:
        world = World()
        world.open("mine", cells=[{"id": "else", "cell_type": "code", "source": "no"}])
        world.open("other")
        return await world.notebook.read()

    cells = run(play)
    assert [cell["id"] for cell in cells.cells] == ["code", "ask"]
    assert cells.running == 1


def test_where_no_page_is_open_the_file_is_read_and_nothing_is_changed(tmp_path):
    path = tmp_path / "chat.msg.md"
    path.write_text("# %% [^ask]\n\nMend it.\n")

    async def play() -> Any:
        world = World(path)
        cells = await world.notebook.read()
        with pytest.raises(ToolError, match="No open page shows this notebook"):
            await world.notebook.edit(EDIT)
        with pytest.raises(ToolError, match="No open page shows this notebook"):
            await world.notebook.run("code", "x", print, lambda _data: None)
        return cells

    assert run(play).listing() == "#1 ask message: Mend it."
