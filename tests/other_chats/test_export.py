"""Conversations become OpenAI messages: those that a request sends."""

from __future__ import annotations

import json

import pytest
from command import with_settings
from other_programs import LOOK, MESSAGES, chatgpt, claude, jupyter_ai, llm_rows
from scripted_server import text

from msgbook.__main__ import main


@pytest.fixture
def exported(converter, capsys):
    def export(*argv):
        capsys.readouterr()
        assert main(["convert", *map(str, argv)]) == 0
        return capsys.readouterr().out

    return export


def test_messages_are_the_same_after_the_way_through_a_conversation(converter, exported):
    converter.one("messages.json", MESSAGES)

    assert json.loads(exported("chat.msg.md", "--to", "openai-messages")) == MESSAGES


@pytest.mark.parametrize("other", [chatgpt(), claude(), jupyter_ai(), MESSAGES, llm_rows()[2:]])
def test_the_messages_are_those_that_the_next_request_sends(server, converter, capsys, other):
    converter.one("other.json", other)
    capsys.readouterr()
    argv = ["convert", "chat.msg.md", "--to", "openai-messages", "--system-prompt"]
    assert with_settings(server, main, argv) == 0
    messages = json.loads(capsys.readouterr().out)
    server.answers = [text("ok")]

    assert with_settings(server, main, ["chat", "chat.msg.md", "Go on", "--continue"]) == 0

    assert server.messages(0)[:-1] == messages


def test_training_data_is_a_line_with_the_tools_that_are_called(converter, exported):
    converter.one("messages.json", {"messages": MESSAGES, "tools": [LOOK]})

    line = exported("chat.msg.md", "--to", "openai-jsonl")

    assert line.count("\n") == 1
    assert json.loads(line) == {"messages": MESSAGES, "tools": [LOOK]}


def test_training_data_end_with_an_answer(converter, capsys):
    converter.one("messages.json", [*MESSAGES, {"role": "user", "content": "More?"}])

    assert main(["convert", "chat.msg.md", "train.jsonl"]) == 0

    line = json.loads((converter.folder / "train.jsonl").read_bytes())
    assert line["messages"] == MESSAGES
    shown = capsys.readouterr().err
    assert "prompts below the last answer are left out" in shown
    assert "no schema is known of the tools look" in shown


def test_a_file_of_another_program_can_become_messages_at_once(converter, exported):
    path = converter.file("conversations.json", [chatgpt(), claude()])

    lines = exported(path, "--to", "openai-jsonl").splitlines()

    assert [len(json.loads(line)["messages"]) for line in lines] == [4, 4]
    assert exported(path, "--to", "openai-messages", "--out", "out").splitlines() == [
        "out/Tides.json",
        "out/Rust or Go.json",
    ]


def test_reasoning_that_is_not_sent_is_said(converter, capsys):
    converter.one("conversations.json", [chatgpt()])

    assert main(["convert", "chat.msg.md", "chat.json"]) == 0

    assert "reasoning is not among the messages (in 'chat')" in capsys.readouterr().err
    assert "moon pulls" not in (converter.folder / "chat.json").read_text()


@pytest.mark.parametrize("form", ["openai-messages", "openai-jsonl", "msg.md"])
def test_a_conversation_is_never_replaced_by_its_own_export(converter, capsys, form):
    converter.one("messages.json", MESSAGES)
    chat = converter.folder / "chat.msg.md"
    before = chat.read_bytes()

    assert main(["convert", str(chat), "./chat.msg.md", "--to", form, "--force"]) == 2

    assert "chat.msg.md is FILE itself" in capsys.readouterr().err
    assert chat.read_bytes() == before
