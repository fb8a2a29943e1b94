"""The request follows the notebook on the screen, as the page tells it over the comm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from kernel_client import FakePage, KernelClient
from scripted_server import call, text

from msgbook_format.turn import TURN_MIME


def prompt(cell_id: str, source: str, answer: str | None = None) -> dict[str, Any]:
    blocks = [{"type": "text", "step": 1, "text": answer}]
    turn = {"version": 1, "status": "done", "agent": "assistant", "blocks": blocks}
    output = {"output_type": "display_data", "data": {TURN_MIME: turn}, "metadata": {}}
    outputs = [] if answer is None else [output]
    return {
        "id": cell_id,
        "cell_type": "code",
        "source": source,
        "metadata": {},
        "outputs": outputs,
    }


@pytest.fixture
def server(kernel, module_server):
    module_server.answers = [text("ok")]
    return module_server


@pytest.fixture
def open_page(kernel: KernelClient) -> Iterator[Callable[[list[dict[str, Any]]], FakePage]]:
    pages = []

    def open_one(cells: list[dict[str, Any]]) -> FakePage:
        pages.append(FakePage(kernel, cells))
        return pages[-1]

    yield open_one
    for page in pages:
        page.close()


def context(messages: list[dict[str, Any]]) -> dict[str, Any]:
    shown = [m for m in messages if m["msg_type"] in ("display_data", "update_display_data")]
    turn: dict[str, Any] = shown[-1]["content"]["data"][TURN_MIME]
    found: dict[str, Any] = turn["context"]
    return found


def spoken(server) -> list[tuple[str, str]]:
    return [(m["role"], m["content"]) for m in server.messages() if m["role"] != "system"]


def test_the_request_is_built_from_the_live_cells(kernel, server, open_page):
    page = open_page(
        [
            prompt("a", "edited since it ran", "the answer that stands there"),
            prompt("c", "the question"),
            prompt("d", "below", "does not count"),
        ],
    )

    reply, messages = kernel.finish(kernel.start("the question", "c"), page.take)

    assert reply["status"] == "ok"
    assert len(page.asked) == 1
    assert spoken(server) == [
        ("user", "edited since it ran"),
        ("assistant", "the answer that stands there"),
        ("user", "the question"),
    ]
    assert context(messages)["source"] == "live"
    assert context(messages)["cells"] == 1


def test_each_turn_asks_for_the_cells_again_so_moves_and_deletions_count(kernel, server, open_page):
    page = open_page([prompt("a", "A", "1"), prompt("b", "B", "2"), prompt("c", "C")])
    kernel.finish(kernel.start("C", "c"), page.take)

    page.cells = [prompt("b", "B", "2"), prompt("c", "C")]
    kernel.finish(kernel.start("C", "c"), page.take)

    assert spoken(server) == [("user", "B"), ("assistant", "2"), ("user", "C")]


def test_if_no_page_has_the_cell_the_sessions_turns_are_sent(kernel, server, open_page):
    page = open_page([prompt("z", "another notebook", "other")])
    kernel.finish(kernel.start("first", "a"), page.take)

    _, messages = kernel.finish(kernel.start("second", "b"), page.take)

    assert spoken(server) == [("user", "first"), ("assistant", "ok"), ("user", "second")]
    assert context(messages)["source"] == "memory"


def test_a_cell_that_runs_again_replaces_its_turn_and_sees_only_the_cells_above(kernel, server):
    for cell_id in "abc":
        kernel.run(cell_id.upper(), cell_id)

    kernel.run("B again", "b")

    assert spoken(server) == [("user", "A"), ("assistant", "ok"), ("user", "B again")]


def test_a_model_cell_above_chooses_the_model(kernel, server, open_page):
    page = open_page([prompt("a", "%model special"), prompt("b", "hi")])

    kernel.finish(kernel.start("hi", "b"), page.take)

    assert server.requests[-1]["model"] == "special"
    assert spoken(server) == [("user", "hi")]


def test_a_cell_that_was_edited_while_it_waited_is_sent_as_it_was_run(kernel, server, open_page):
    page = open_page([prompt("a", "A", "1"), prompt("b", "edited meanwhile")])

    _, messages = kernel.finish(kernel.start("as it was run", "b"), page.take)

    assert spoken(server) == [("user", "A"), ("assistant", "1"), ("user", "as it was run")]
    assert context(messages)["source"] == "live"


def test_the_turn_says_that_no_page_showed_the_cell(kernel, server, open_page):
    page = open_page([prompt("z", "another notebook")])

    _, messages = kernel.finish(kernel.start("hi", "a"), page.take)

    shown = [m for m in messages if m["msg_type"] in ("display_data", "update_display_data")]
    first = shown[-1]["content"]["data"][TURN_MIME]["blocks"][0]
    assert first["type"] == "notice"
    assert "No open page showed this cell" in first["text"]


def test_a_silent_page_is_waited_for_only_once(kernel, server, open_page):
    page = open_page([prompt("a", "A")])
    asked = []
    for cell_id in "ab":
        kernel.finish(
            kernel.start("hi", cell_id),
            lambda m: asked.append(m) if m["content"].get("comm_id") == page.comm_id else None,
        )

    assert len(asked) == 1


RAN = "I ran this code:\n\n```python\n{}\n```"


def test_deleted_cells_are_forgotten_whatever_runs_next(kernel, server):
    kernel.run("A", "a")
    kernel.run("%%python\npass", "p", deleted=["a"])
    kernel.run("B", "b")

    assert spoken(server) == [("user", RAN.format("pass")), ("user", "B")]


def test_a_prompt_that_became_code_is_sent_as_code(kernel, server):
    kernel.run("A secret", "a")
    kernel.run("%%python\npass", "a")
    kernel.run("B", "b")

    assert spoken(server) == [("user", RAN.format("pass")), ("user", "B")]


def test_a_page_that_is_slow_to_show_its_cells_misses_nothing_of_the_turn(
    kernel, server, open_page
):
    quick, slow = (open_page([prompt("a", "A")]) for _ in range(2))

    def take(message: dict[str, Any]) -> None:
        quick.take(message)
        if message["content"].get("data", {}).get("type") != "cells.get":
            slow.take(message)

    kernel.finish(kernel.start("A", "a"), take)

    assert quick.asked
    assert slow.turns == quick.turns
    assert [turn["status"] for turn in slow.turns.values()] == ["done"]


@pytest.mark.parametrize("metadata", [5, "x", None, [1]])
def test_metadata_of_any_shape_ends_no_turn(kernel, server, open_page, metadata):
    page = open_page([prompt("a", "A") | {"metadata": metadata}])

    reply, _ = kernel.finish(kernel.start("A", "a"), page.take)

    assert reply["status"] == "ok"


def test_a_message_that_the_page_excludes_stays_excluded_after_the_page_is_gone(
    kernel, server, open_page
):
    excluded = prompt("a", "A")
    excluded["metadata"] = {"msgbook": {"history": "exclude"}}
    page = open_page([excluded])
    kernel.finish(kernel.start("A", "a"), page.take)
    page.close()

    kernel.run("B", "b")

    assert spoken(server) == [("user", "B")]


def test_completion_knows_the_cells_on_the_page_even_if_they_have_not_run(
    kernel, server, open_page
):
    kernel.run("ran, and is deleted by now", "gone")
    page = open_page([prompt("a1", "#define TONE dry"), prompt("b2", "never ran")])

    def ask(what: str, code: str) -> dict[str, Any]:
        sent = getattr(kernel.client, what)(code, len(code))
        while not page.asked:
            page.take(kernel.client.get_iopub_msg(timeout=300))
        page.asked.clear()
        while True:
            reply = kernel.client.get_shell_msg(timeout=300)
            if reply["parent_header"]["msg_id"] == sent:
                return reply["content"]

    assert ask("complete", "see @[cell:")["matches"] == ["cell:b2", "cell:a1"]
    assert ask("complete", "{{")["matches"] == ["TONE"]
    assert "never ran" in ask("inspect", "see @[cell:b2")["data"]["text/plain"]


def test_a_silent_page_does_not_delay_completion_and_is_asked_again(kernel, server, open_page):
    kernel.run("A", "a1")
    page = open_page([prompt("b2", "B")])

    for _ in range(2):
        code = "see @[cell:"
        reply = kernel.client.complete(code, len(code), reply=True, timeout=300)
        assert reply["content"]["matches"] == ["cell:a1"]
    kernel.finish(kernel.start("B", "b2"), page.take)

    assert [asked["cell_id"] for asked in page.asked] == [None, None, "b2"]


def test_the_page_is_to_keep_the_agents_metadata_until_its_notebook_has_them(
    kernel, server, open_page
):
    page = open_page([prompt("a", "A")])
    for _ in range(2):
        kernel.finish(kernel.start("A", "a"), page.take)

    first, again = page.got("agent.keep")
    assert first == again
    assert first["cell_id"] == "a"
    assert first["agent_metadata"]["uuid"]

    page.metadata = {"msgbook": {"agent_metadata": first["agent_metadata"]}}
    kernel.finish(kernel.start("A", "a"), page.take)
    assert len(page.got("agent.keep")) == 2
    requests = [request["messages"] for request in server.requests[-3:]]
    assert requests[0] == requests[1] == requests[2]


def test_the_page_is_to_keep_that_a_sub_agent_has_reported(kernel, server, open_page):
    page = open_page([prompt("a", "Count the lines.")])
    subagent = {"uuid": "k", "parent_agent_id": "c", "is_task_finished": False, "x": 1}
    page.metadata = {"msgbook": {"agent_metadata": subagent}}
    server.answers = [call("task_finish", {"context_summary": "Two."}), text("Reported.")]

    kernel.finish(kernel.start("Count the lines.", "a"), page.take)

    (kept,) = page.got("agent.keep")
    assert kept["agent_metadata"] == {**subagent, "is_task_finished": True}


def test_a_page_that_did_not_tell_its_metadata_is_not_to_replace_them(kernel, server, open_page):
    page = open_page([prompt("z", "another notebook")])
    kernel.finish(kernel.start("A", "a"), page.take)
    assert page.got("agent.keep") == []
