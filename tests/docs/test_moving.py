"""Each command of docs/moving.md works, and prints what the page shows."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from fences import fences_of
from other_programs import MESSAGES, archive, chatgpt, jupyter_ai

from msgbook.__main__ import main

PAGE = (Path(__file__).parents[2] / "docs" / "moving.md").read_text("utf-8")
NAMED = re.findall(r"`(msgbook convert (?!`).+? .+?)`", PAGE)
(FENCE,) = fences_of("docs/test_moving.py::test_every_command_works")
COMMANDS = [*FENCE.commands, *NAMED]


@pytest.fixture
def brought(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("chatgpt.zip").write_bytes(archive({"conversations.json": [chatgpt()]}))
    Path("plot.chat").write_text(json.dumps(jupyter_ai()))
    Path("messages.json").write_text(json.dumps(MESSAGES))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_works(brought, command):
    if "messages.json" not in command:
        assert main(["convert", "messages.json", "chat.msg.md"]) == 0

    assert main(shlex.split(command.partition(">>")[0], comments=True)[1:]) == 0


def test_the_first_command_prints_what_the_page_shows(fences, brought, capsys):
    command, _, shown = fences[0].body.partition("\n")

    assert main(shlex.split(command)[2:]) == 0

    printed = capsys.readouterr()
    assert printed.out + printed.err == shown


def test_the_place_that_the_page_names_is_in_the_words_of_the_error(brought, capsys):
    chats = [chatgpt() for _ in range(18)]
    chats[17]["mapping"]["a1"]["message"]["author"]["role"] = "boss"
    Path("conversations.json").write_text(json.dumps(chats))

    assert main(["convert", "conversations.json", "--out", "out"]) == 1

    place = "`[17].mapping['a1'].message.author.role`"
    assert place in capsys.readouterr().err
    assert place in PAGE
