"""A page is told which of its turns are stale, by the function of `%stale`."""

from __future__ import annotations

from typing import Any

import pytest
from kernel_client import FakePage, KernelClient, Message
from scripted_server import text

from msgbook_format.turn import TURN_MIME


def cell(cell_id: str, source: str) -> dict[str, Any]:
    code = {"cell_type": "code", "metadata": {}, "outputs": []}
    return {**code, "id": cell_id, "source": source}


@pytest.fixture
def page(kernel: KernelClient, module_server: Any) -> Any:
    """A page with three prompts that have been answered, and a new one."""
    module_server.choose = None
    module_server.answers = [text("one"), text("two"), text("three")]
    shown = FakePage(kernel, [cell(name, f"say {name}") for name in "abcd"])
    for prompt in shown.cells[:3]:
        _, messages = kernel.finish(kernel.start(prompt["source"], prompt["id"]), shown.take)
        bundles = [m["content"]["data"] for m in messages if "transient" in m["content"]]
        output = {"output_type": "display_data", "data": bundles[-1], "metadata": {}}
        prompt["outputs"] = [output]
        assert bundles[-1][TURN_MIME]["status"] == "done"
    yield shown
    shown.close()


def ask(page: FakePage, cell_id: Any) -> Message:
    page.say(type="query", request_id="r", name="stale.list", params={"cell_id": cell_id})
    return page.wait_for("query.answer")


def groups(page: FakePage, cell_id: str = "c") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ask(page, cell_id)["result"]["groups"]
    return found


def test_an_edit_makes_the_turns_from_there_on_stale_and_undo_takes_it_back(page):
    assert groups(page) == []

    page.cells[1]["source"] = "say something else"
    change = {"changed": ["a", "b"], "maybe_system": False, "sure": [], "is_moved": False}
    assert groups(page) == [{"turns": ["b", "c"], **change}]
    assert groups(page, "b") == [{"turns": ["b"], **change}]

    page.cells[1]["source"] = "say b"
    assert groups(page) == []


def test_a_deleted_and_a_moved_cell_are_found(page):
    first = page.cells.pop(0)
    assert [turn for group in groups(page) for turn in group["turns"]] == ["b", "c"]

    page.cells.insert(1, first)
    assert [turn for group in groups(page) for turn in group["turns"]] == ["b", "a", "c"]

    page.cells.insert(0, page.cells.pop(1))
    assert groups(page) == []


@pytest.mark.parametrize("cell_id", [None, 1, [], "nowhere"])
def test_a_cell_that_the_page_has_not_is_an_error_in_words(page, cell_id):
    assert "error" in ask(page, cell_id)
