"""What a server's answers say of the server: the model that answered, and calls that it did not recognize."""

from __future__ import annotations

from functools import partial

import pytest
from apis import over_all_apis
from engine_turns import run_prompt
from scripted_server import Answer, call, delta, finish, text

pytestmark = over_all_apis


@pytest.fixture
def ask(server, tmp_path):
    """Runs one prompt and returns the turn."""
    return partial(run_prompt, server, tmp_path)


def named(answer: Answer, model: str) -> Answer:
    """The answer of a model: each chunk says so."""
    answer.chunks = [{**chunk, "model": model} for chunk in answer.chunks]
    return answer


def notices(turn):
    return [block["text"] for block in turn["blocks"] if block["type"] == "notice"]


def test_the_model_that_answered_is_kept(server, ask, api):
    server.answers = [named(text("Hello"), "large-2025-08-07")]

    turn = ask("%%msg model=large\nHi")

    assert (turn["model"], turn["answered_model"]) == ("large", "large-2025-08-07")
    assert ("input" in server.requests[0]) == (api == "responses")


def test_a_server_that_names_the_model_that_was_asked_adds_nothing(server, ask):
    server.answers = [named(text("Hello"), "/models/large.gguf")]

    assert "answered_model" not in ask("%%msg model=large\nHi")


def test_a_change_of_the_model_in_mid_turn_is_told(server, ask):
    server.answers = [named(call("read", {"path": "."}), "one"), named(text("Hello"), "two")]

    turn = ask("%%msg model=auto\nHi")

    assert turn["answered_model"] == "two"
    assert notices(turn) == ["two answered this step; one answered the previous one."]


def test_a_call_that_comes_as_text_is_told_and_is_not_run(server, ask):
    written = (
        '<tool_call>\n{"name": "write", "arguments": {"path": "a", "content": ""}}\n</tool_call>'
    )
    server.answers = [Answer([delta(content=written), finish()])]

    turn = ask("Write a")

    (told,) = notices(turn)
    assert "wrote a tool call as text (`<tool_call>`), so nothing ran" in told
    assert [block["text"] for block in turn["blocks"] if block["type"] == "text"] == [written]
    assert len(server.requests) == 1
