"""Turns through the engine and the real SDK, against a scripted server."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from scripted_server import Answer, ScriptedServer, call, delta, error, finish, text

from msgbook.cells import Cell
from msgbook.config import ProviderSettings, Settings, load_settings
from msgbook.engine import Engine
from msgbook.transcript import Transcript


async def no_sleep(seconds: float) -> None:
    """Waits in virtual time."""


@pytest.fixture
def ask(server: ScriptedServer, tmp_path: Path):
    """Runs one prompt with the given settings and returns the turn."""

    def run(
        prompt: str = "hi",
        *,
        settings: Settings | None = None,
        earlier: Sequence[Cell] = (),
        **env: str,
    ) -> dict[str, Any]:
        environ = {"OPENAI_BASE_URL": server.url, "MSGBOOK_MODEL": "m", **env}
        engine = Engine(settings or load_settings(environ), tmp_path, sleep=no_sleep)

        async def turn() -> Any:
            record = engine.new_record()
            try:
                async for _ in engine.run(prompt, Transcript("memory", earlier), record):
                    pass
                return record.snapshot()
            finally:
                await engine.close()

        return asyncio.run(turn())

    return run


def results(turn: dict[str, Any]) -> list[dict[str, Any]]:
    return [block for block in turn["blocks"] if block["type"] == "tool_result"]


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
    assert turn["blocks"][-1]["message"] == "The server sent nothing."


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

    assert turn["status"] == "error"
    assert [block.get("text") or block["message"] for block in turn["blocks"]] == [
        "so far",
        "overloaded",
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


def test_no_error_ever_shows_the_key(server, ask):
    server.answers = [error(400, "bad key sk-secret-of-a-test, you know")]

    turn = ask(OPENAI_API_KEY="sk-secret-of-a-test")

    assert "sk-secret-of-a-test" not in str(turn)
    assert "[redacted]" in turn["blocks"][-1]["message"]


def test_a_tool_result_never_carries_the_key(server, ask, tmp_path):
    (tmp_path / "notes.txt").write_text("the key is sk-secret-of-a-test")
    server.answers = [call("read", {"path": "notes.txt"}), text("ok")]

    turn = ask(OPENAI_API_KEY="sk-secret-of-a-test")

    assert results(turn)[0]["content"] == "the key is [redacted]"
    assert "sk-secret" not in str(server.requests)


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


def test_a_tool_reads_nothing_outside_the_notebooks_folder(server, ask, tmp_path):
    secret = tmp_path.parent / "outside.txt"
    secret.write_text("classified")
    (tmp_path / "link").symlink_to(secret)
    (tmp_path / ".env").write_text("classified")
    (tmp_path / "fine.txt").write_text("public")
    paths = [str(secret), "../outside.txt", "link", ".env", "/proc/self/environ", "fine.txt"]
    server.answers = [call("read", {"path": path}) for path in paths] + [text("ok")]

    turn = ask()

    assert [result["status"] for result in results(turn)] == ["denied"] * 5 + ["success"]
    assert "classified" not in str(server.requests)
    assert results(turn)[-1]["content"] == "public"
    approvals = [b["approval"] for b in turn["blocks"] if b["type"] == "tool_call"]
    assert approvals == ["denied"] * 5 + ["auto"]


def test_a_user_who_allows_all_is_told_so_in_every_turn(server, ask, tmp_path):
    secret = tmp_path.parent / "outside.txt"
    secret.write_text("allowed")
    server.answers = [call("read", {"path": str(secret)}), text("ok")]

    turn = ask(MSGBOOK_APPROVAL="allow")

    assert results(turn)[0]["content"] == "allowed"
    assert turn["blocks"][0]["type"] == "notice"
    assert "MSGBOOK_APPROVAL=allow" in turn["blocks"][0]["text"]


def test_an_unknown_approval_policy_allows_nothing(server, ask, tmp_path):
    server.answers = [call("read", {"path": ".."}), text("ok")]

    turn = ask(MSGBOOK_APPROVAL="always")

    assert results(turn)[0]["status"] == "denied"
    assert "expected ask, deny or allow" in turn["blocks"][0]["text"]


def test_wrong_arguments_and_unknown_tools_are_results_for_the_model(server, ask):
    server.answers = [
        call("read", {"file": "x"}),
        call("fly", {}),
        Answer(
            [
                delta(
                    tool_calls=[
                        {
                            "index": 0,
                            "id": "c",
                            "function": {"name": "read", "arguments": "{broken"},
                        }
                    ]
                ),
                finish("tool_calls"),
            ]
        ),
        call("read", {"path": "."}),
        text("ok"),
    ]

    turn = ask()

    assert turn["status"] == "done"
    said = [(result["status"], result["content"]) for result in results(turn)]
    assert [status for status, _ in said] == ["error", "error", "error", "success"]
    assert "arguments do not fit" in said[0][1]
    assert "no tool named 'fly'" in said[1][1]
    assert "arguments do not fit" in said[2][1]


def test_a_turn_ends_after_max_steps_model_calls(server, ask):
    server.answers = [call("read", {"path": "."})]

    turn = ask()

    assert (turn["status"], turn["finish_reason"]) == ("incomplete", "max_steps")
    assert len(server.requests) == 30


def test_a_message_lowers_the_limits_of_its_turn_but_never_lifts_them(server, ask):
    server.answers = [call("read", {"path": "."})]

    lower = ask("%%msg max_steps=2\nhi")
    higher = ask("%%msg max_steps=99\nhi")

    asked = [sum(b["type"] == "tool_call" for b in turn["blocks"]) for turn in (lower, higher)]
    assert asked == [2, 30]
    assert "99 is more than your own limit, 30, allows" in higher["blocks"][0]["text"]


def test_several_calls_of_one_step_are_answered_one_by_one(server, ask, tmp_path):
    (tmp_path / "a").write_text("A")
    (tmp_path / "b").write_text("B")
    pieces = [
        {"index": i, "id": f"c{i}", "function": {"name": "read", "arguments": f'{{"path": "{n}"}}'}}
        for i, n in enumerate("ab")
    ]
    server.answers = [
        Answer([delta(content="Two at once."), delta(tool_calls=pieces), finish("tool_calls")]),
        text("ok"),
    ]

    ask()

    assistant, *tools = server.messages()[2:]
    assert assistant["content"] == "Two at once."
    assert [c["id"] for c in assistant["tool_calls"]] == ["c0", "c1"]
    assert [(m["tool_call_id"], m["content"]) for m in tools] == [("c0", "A"), ("c1", "B")]


def test_reasoning_goes_back_within_its_own_turn_only(server, ask):
    thinking = [delta(reasoning_content="hm"), *call("read", {"path": "."}).chunks]
    server.answers = [Answer(thinking), text("ok")]

    ask()

    assert server.messages()[2]["reasoning_content"] == "hm"


def test_what_a_cell_printed_of_the_key_is_not_sent(server, ask):
    server.answers = [text("ok")]
    printed = {"output_type": "stream", "name": "stdout", "text": "sk-secret-of-a-test"}
    cell = {"cell_type": "code", "source": "!env", "metadata": {}, "outputs": [printed]}

    ask(earlier=[cell], OPENAI_API_KEY="sk-secret-of-a-test")

    assert "[redacted]" in server.messages()[1]["content"]
    assert "sk-secret" not in str(server.requests)


@pytest.mark.parametrize("key", ["assistant", 'say-"key"-\\backslash'])
def test_a_key_is_redacted_in_texts_however_json_spells_it_and_in_nothing_else(server, ask, key):
    settings = Settings(ProviderSettings("p", server.url, headers={"X-Api-Key": key}), "m", "deny")
    server.answers = [text("ok")]
    printed = {"output_type": "stream", "name": "stdout", "text": f"it is {key}."}
    cell = {"cell_type": "code", "source": "!env", "metadata": {}, "outputs": [printed]}
    note = {"cell_type": "markdown", "source": "hi", "metadata": {"msgbook": {"role": "assistant"}}}

    turn = ask(settings=settings, earlier=[cell, note])

    assert turn["status"] == "done"
    assert "it is [redacted]." in server.messages()[1]["content"]
    assert server.messages()[2] == {"role": "assistant", "content": "hi"}


def test_file_names_that_are_no_text_spoil_nothing(server, ask, tmp_path):
    (tmp_path / os.fsdecode(b"\xff.txt")).write_text("")
    server.answers = [call("read", {"path": "."}), text("ok")]

    turn = ask("a lone \ud83d half")

    assert turn["status"] == "done"
    assert results(turn)[0]["content"] == "\ufffd.txt"


@pytest.mark.parametrize("prompt", ["%%msg model=x", "\\"])
def test_an_empty_message_is_not_sent(server, ask, prompt):
    turn = ask(prompt)

    assert turn["status"] == "error"
    assert "empty" in turn["blocks"][-1]["message"]
    assert server.requests == []


def test_unknown_attributes_of_a_message_are_said(server, ask):
    server.answers = [text("ok")]

    turn = ask("%%msg modle=x history=exlude\nHi")

    assert "modle means nothing" in turn["blocks"][0]["text"]
    assert "history=exlude means nothing" in turn["blocks"][1]["text"]


def test_a_lost_piece_of_an_answer_is_said(server, ask):
    body = 'data: {"choices": [{"delta": {"content": "a"}}]}\n\ndata: {oops\n\ndata: [DONE]\n\n'
    server.answers = [Answer(body=body, content_type="text/event-stream")]

    turn = ask()

    assert [block["type"] for block in turn["blocks"]] == ["text", "notice"]
    assert "could not be read" in turn["blocks"][1]["text"]


def test_the_password_in_a_url_is_never_shown(ask):
    turn = ask(OPENAI_BASE_URL="http://bob:hunter2pass@127.0.0.1:9/v1")

    assert turn["blocks"][0]["text"].startswith("Retried (3/3): The connection to http://127")
    assert "127.0.0.1:9/v1" in turn["blocks"][-1]["message"]
    assert "hunter2pass" not in str(turn)


@pytest.mark.parametrize(
    "body", ["<html></html>", "{", "[1]", '{"data": ["x"]}', '{"data": [{"name": "x"}]}', "{}"]
)
def test_a_list_of_models_in_any_shape_ends_in_words(server, ask, body):
    server.answers, server.models_body = [text("ok")], body

    turn = ask(MSGBOOK_MODEL="")

    assert turn["status"] == "error"
    assert turn["blocks"][-1]["name"] in ("NotAList", "ConfigError")


@pytest.mark.parametrize("source", ["%continue", "%continue and be brief"])
def test_continue_without_an_answer_that_broke_off_or_not_alone_asks_nobody(server, ask, source):
    turn = ask(source)

    assert turn["status"] == "error"
    assert turn["blocks"][-1]["name"] == "NothingToContinueError"
    assert server.requests == []
