"""Turns through the engine and the real SDK: how servers answer, which model is asked."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from apis import over_all_apis
from engine_turns import run_prompt
from scripted_server import Answer, ScriptedServer, delta, error, finish, text

from msgbook.config import Settings
from msgbook.engine import Conversation, Services
from msgbook.errors import ProviderError

pytestmark = over_all_apis


@pytest.fixture
def ask(server: ScriptedServer, tmp_path: Path):
    """Runs one prompt with the given settings and returns the turn."""
    return partial(run_prompt, server, tmp_path)


def test_a_stream_without_an_end_mark_keeps_its_text_and_is_incomplete(server, ask):
    server.answers = [Answer([delta(content="half an ans")], done=False)]

    turn = ask()

    assert turn["status"] == "incomplete"
    assert turn["blocks"][0]["text"] == "half an ans"
    assert "cut off" in turn["blocks"][1]["message"]


@pytest.mark.parametrize(
    "answer",
    [Answer(done=False), Answer(body="", content_type="text/event-stream")],
    ids=["no event", "no body"],
)
def test_an_empty_answer_says_that_nothing_was_sent(server, ask, answer):
    server.answers = [answer]

    turn = ask()

    assert turn["status"] == "incomplete"
    assert turn["blocks"][-1]["message"].startswith("The server sent nothing.")


def test_done_without_a_finish_reason_is_done(server, ask):
    server.answers = [Answer([delta(content="all")], done=True)]

    assert ask()["status"] == "done"


def test_an_html_page_is_an_error_that_names_the_url_setting(server, ask):
    server.answers = [Answer(body="<html><body>Portal</body></html>", content_type="text/html")]

    turn = ask()

    assert turn["status"] == "error"
    assert "HTML page" in turn["blocks"][-1]["message"]
    assert "OPENAI_BASE_URL" in turn["blocks"][-1]["message"]


def test_a_server_that_does_not_stream_is_understood(server, ask):
    message = {"role": "assistant", "content": "All at once."}
    body = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    server.answers = [Answer(body=json.dumps(body))]

    turn = ask()

    assert turn["status"] == "done"
    assert turn["blocks"][0]["text"] == "All at once."


@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_an_answer_that_was_stopped_is_incomplete_without_an_error(server, ask, reason):
    server.answers = [Answer([delta(content="long"), finish(reason)])]

    turn = ask()

    assert (turn["status"], turn["finish_reason"]) == ("incomplete", reason)
    assert [block["type"] for block in turn["blocks"]] == ["text"]


def test_an_error_in_the_stream_keeps_the_text_before_it(server, ask):
    server.answers = [Answer([delta(content="so far"), {"error": {"message": "overloaded"}}])]

    turn = ask()

    assert turn["status"] == "incomplete"
    assert [block.get("text") or block["message"] for block in turn["blocks"]] == [
        "so far",
        "The answer was cut off. The server reported an error: overloaded.",
    ]


@pytest.mark.parametrize(
    ("status", "setting"),
    [(401, "OPENAI_API_KEY"), (403, "OPENAI_API_KEY"), (404, "MSGBOOK_MODEL")],
)
def test_a_refusal_of_the_server_names_the_setting(server, ask, status, setting):
    server.answers = [error(status, "no")]

    turn = ask()

    assert setting in turn["blocks"][-1]["message"]
    assert turn["status"] == "error"


def test_without_a_key_the_server_gets_the_key_none_and_with_one_that_one(server, ask):
    server.answers = [text("ok")]

    ask()
    ask(OPENAI_API_KEY="sk-of-a-test")

    assert [headers["Authorization"] for headers in server.headers] == [
        "Bearer none",
        "Bearer sk-of-a-test",
    ]


def test_without_settings_the_demo_model_answers_the_same_each_time(ask):
    first, second = (ask(settings=Settings())["blocks"] for _ in range(2))

    def said(blocks: list[dict[str, Any]]) -> list[Any]:
        return [(block["type"], block.get("text"), block.get("arguments")) for block in blocks]

    assert said(first) == said(second)
    assert [b["type"] for b in first] == ["reasoning", "tool_call", "tool_result", "text"]
    assert "I am the **demo model**" in first[3]["text"]
    assert "OPENAI_API_KEY" in first[3]["text"]


def test_the_demo_model_can_be_chosen_beside_a_server(server, ask):
    turn = ask(MSGBOOK_MODEL="demo")

    assert (turn["model"], turn["provider"], turn["status"]) == ("demo", "demo", "done")
    assert server.requests == []


def test_without_a_model_the_only_one_of_the_server_answers(server, ask):
    server.answers, server.models = [text("ok")], ["the-only-one"]

    assert ask(MSGBOOK_MODEL="")["model"] == "the-only-one"


def test_with_several_models_and_no_choice_the_error_names_the_setting(server, ask):
    server.answers, server.models = [text("ok")], ["a", "b"]

    turn = ask(MSGBOOK_MODEL="")

    assert "MSGBOOK_MODEL" in turn["blocks"][-1]["message"]
    assert "a, b" in turn["blocks"][-1]["message"]
    assert server.requests == []


def test_the_message_line_of_a_prompt_chooses_its_model_and_is_not_sent(server, ask):
    server.answers = [text("ok")]

    turn = ask("%%msg model=special\nHello")

    assert turn["model"] == "special"
    assert server.messages()[-1]["content"] == "Hello"


@pytest.mark.parametrize("prompt", ["%%msg model=x", "\\"])
def test_an_empty_message_is_not_sent(server, ask, prompt):
    turn = ask(prompt)

    assert turn["status"] == "error"
    assert "empty" in turn["blocks"][-1]["message"]
    assert server.requests == []


def test_unknown_attributes_of_a_message_get_a_notice(server, ask):
    server.answers = [text("ok")]

    turn = ask("%%msg modle=x history=exlude\nHi")

    assert "modle" in turn["blocks"][0]["text"]
    assert "expected history=include, exclude or summary, got exlude" in turn["blocks"][1]["text"]


def test_a_lost_piece_of_an_answer_gets_a_notice(server, ask):
    body = 'data: {"choices": [{"delta": {"content": "a"}}]}\n\ndata: {oops\n\ndata: [DONE]\n\n'
    server.answers = [Answer(body=body, content_type="text/event-stream")]

    turn = ask()

    assert [block["type"] for block in turn["blocks"]] == ["text", "notice"]
    assert "could not be read" in turn["blocks"][1]["text"]


@pytest.mark.parametrize(
    "body", ["<html></html>", "{", "[1]", '{"data": ["x"]}', '{"data": [{"name": "x"}]}', "{}"]
)
def test_a_malformed_list_of_models_ends_in_a_clear_error(server, ask, body):
    server.answers, server.models_body = [text("ok")], body

    turn = ask(MSGBOOK_MODEL="")

    assert turn["status"] == "error"
    assert turn["blocks"][-1]["name"] in ("NotAList", "ConfigError")


@pytest.mark.parametrize("source", ["%continue", "%continue and be brief"])
def test_continue_alone_or_without_a_broken_answer_calls_no_model(server, ask, source):
    turn = ask(source)

    assert turn["status"] == "error"
    assert turn["blocks"][-1]["name"] == "NothingToContinueError"
    assert server.requests == []


def test_what_cannot_be_closed_does_not_keep_the_engine_from_closing_the_rest(
    tmp_path,
):
    async def use():
        engine = Conversation(Services(Settings()), tmp_path)
        closed = asyncio.Event()

        class Broken:
            async def close(self):
                raise ProviderError("Odd", "no")

        class Slow:
            async def close(self):
                await asyncio.sleep(0)
                closed.set()

        engine.services.servers, engine.services.mcp = Broken(), Slow()
        with pytest.raises(ProviderError):
            await engine.services.close()
        return closed.is_set()

    assert asyncio.run(use())
