"""What a page asks of `Python + Chat`: stale turns, the panel Context, and cells as a chat has them."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from kernel_client import FakePage, KernelClient, Message
from scripted_server import ScriptedServer, text

from msgbook_format.turn import TURN_MIME

SOURCES = {
    "code": "x = 6 * 7\nx",
    "first": "%%msg\nWhat is x?",
    "hidden": "%%msg history=exclude\nA private thought",
    "second": "%%msg\nAnd twice that?",
    "third": "%%msg\nNow?",
}


@pytest.fixture
def page(opened: FakePage) -> Iterator[FakePage]:
    """The page as it was after the run."""
    cells = deepcopy(opened.cells)
    yield opened
    opened.cells = cells


@pytest.fixture(scope="module")
def opened(
    module_server: ScriptedServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[FakePage]:
    """A page with code and messages, of which the first four have run."""
    module_server.reset()
    module_server.choose = None
    module_server.answers = [text("It is 42."), text("Hm."), text("84.")]
    settings = {"OPENAI_BASE_URL": module_server.url, "MSGBOOK_MODEL": "m"}
    cells = [
        {"id": name, "cell_type": "code", "source": source, "metadata": {}, "outputs": []}
        for name, source in SOURCES.items()
    ]
    with KernelClient(
        settings, str(tmp_path_factory.mktemp("notebook")), name="msgbook-python"
    ) as kernel:
        shown = FakePage(kernel, cells)
        shown.metadata = {"kernelspec": {"name": "msgbook-python"}}
        for cell in cells[:4]:
            run(kernel, shown, cell)
        yield shown
        shown.close()


def run(kernel: KernelClient, page: FakePage, cell: dict[str, Any]) -> None:
    _, messages = kernel.finish(kernel.start(cell["source"], cell["id"]), page.take)
    results = [m["content"]["data"] for m in messages if m["msg_type"] == "execute_result"]
    bundles = [m["content"]["data"] for m in messages if "transient" in m["content"]][-1:]
    for data in (*results, *(b for b in bundles if TURN_MIME in b)):
        cell["outputs"] = [{"output_type": "display_data", "data": data, "metadata": {}}]


def ask(page: FakePage, name: str, **params: Any) -> Message:
    page.say(type="query", request_id="r", name=name, params=params)
    answer = page.wait_for("query.answer")
    assert "error" not in answer
    found: Message = answer["result"]
    return found


def groups(page: FakePage) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ask(page, "stale.list", cell_id="third")["groups"]
    return found


def test_changed_code_makes_the_turns_below_stale_and_undo_takes_it_back(page):
    assert groups(page) == []

    page.cells[0]["source"] = "x = 6 * 8\nx"
    assert [turn for group in groups(page) for turn in group["turns"]] == [
        "first",
        "hidden",
        "second",
    ]
    assert groups(page)[0]["changed"][0] == "code"

    page.cells[0]["source"] = SOURCES["code"]
    assert groups(page) == []


def test_other_output_and_an_inserted_cell_make_turns_stale(page):
    before = page.cells[0]["outputs"]
    page.cells[0]["outputs"] = []
    assert groups(page)[0]["turns"] == ["first", "hidden", "second"]

    page.cells[0]["outputs"] = before
    new = {"id": "new", "cell_type": "code", "source": "y = 1", "metadata": {}, "outputs": []}
    page.cells.insert(2, new)
    assert [turn for group in groups(page) for turn in group["turns"]] == ["hidden", "second"]


def test_an_excluded_message_makes_nothing_below_it_stale(page):
    page.cells[2]["source"] = "%%msg history=exclude\nAnother private thought"

    assert [turn for group in groups(page) for turn in group["turns"]] == ["hidden"]


def test_the_context_of_a_message_lists_code_with_its_output_and_messages_with_answers(page):
    asked = ask(page, "context.request", cell_id="third")

    rows = {row["id"]: row for row in asked["cells"]}
    assert list(rows) == list(SOURCES)
    assert str(asked).count("private thought") == 1
    sent = ask(page, "context.body", cell_id="third")
    assert "x = 6 * 7" in str(sent)
    assert "42" in str(sent)
    assert "%%msg" not in str(sent)
    assert "private" not in str(sent)
