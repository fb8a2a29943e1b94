"""Prompts are completed and inspected while a turn runs."""

from __future__ import annotations

from typing import Any

import pytest
from kernel_client import FakePage, KernelClient, Message
from scripted_server import Answer, delta, text


def ask(page: FakePage, name: str, **params: Any) -> Message:
    page.say(type="query", request_id="r", name=f"assist.{name}", params=params)
    return page.wait_for("query.answer")


@pytest.fixture
def page(kernel: KernelClient, module_server: Any) -> Any:
    """A page with a prompt, whose turn runs until the test has ended, and a macro above it."""
    module_server.choose = None
    module_server.answers = [Answer([delta(content="I wait")], hold=1), text("never")]
    code = {"cell_type": "code", "metadata": {}, "outputs": []}
    sources = {"a": "#define city Rome\nWait", "b": "In {{ci"}
    cells = [{**code, "id": name, "source": source} for name, source in sources.items()]
    shown = FakePage(kernel, cells)
    kernel.start(sources["a"], "a")
    shown.until_shown("I wait")
    yield shown
    kernel.manager.interrupt_kernel()
    shown.close()


def test_a_prompt_is_completed_and_inspected_while_a_turn_runs(page: FakePage) -> None:
    found = ask(page, "complete", code="%%msg hist", cursor_pos=10)["result"]
    assert found["status"] == "ok"
    assert "history=" in found["matches"]
    assert ask(page, "complete", code="%%ms", cursor_pos=4)["result"]["matches"] == ["%%msg"]
    shown = ask(page, "inspect", code="%%msg", cursor_pos=30)["result"]
    assert shown["found"]
    assert "%%msg" in shown["data"]["text/plain"]


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"code": "%%python\nx", "cursor_pos": 3}, "is Python"),
        ({"code": 1, "cursor_pos": 0}, "`code` has to be a text"),
        ({"code": "Hi", "cursor_pos": -1}, "`cursor_pos` has to be"),
        ({"code": "Hi", "cursor_pos": True}, "`cursor_pos` has to be"),
        ({"code": "Hi"}, "`cursor_pos` has to be"),
    ],
)
def test_what_cannot_be_completed_is_said(page: FakePage, params: Any, words: str) -> None:
    assert words in ask(page, "complete", **params)["error"]
