"""What a replay does without: servers that cannot be reached, MCP servers, persons, and time."""

from __future__ import annotations

import asyncio

import pytest
from command import with_settings
from engine_turns import run_turn
from mcp_turns import YES, faulty, mcp_settings
from scripted_server import Answer, ScriptedServer, call, error, text

from msgbook.approval import Answer as Said
from msgbook.approval import Approver
from msgbook.cli.run import run_file
from msgbook.engine import Conversation, Services
from msgbook.extras.cassettes import CassetteFile, Player, Recorder, read_cassette
from msgbook.extras.cassettes.replay import run_replay
from msgbook.notebook import Transcript


async def turn_with(settings, folder, cassette, ask):
    """The turn of a conversation with an approval policy that asks."""
    engine = Conversation(
        Services(settings, cassette=cassette), folder, approver=Approver("ask", folder)
    )
    try:
        return await run_turn(engine, "hi", Transcript("memory", ()), ask)
    finally:
        await engine.services.close()


async def yes(_question):
    return YES


async def nobody(_question):
    raise AssertionError("somebody was asked")


@pytest.mark.parametrize("fault", ["none", "dies"])
def test_calls_of_mcp_servers_are_replayed_without_the_server(
    tmp_path, cassette, fault, monkeypatch
):
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    folder = tmp_path / "chats"
    folder.mkdir()
    answers = [call("mcp__files__echo", {"text": "a"}), text("ok")]
    with ScriptedServer(answers) as server:
        settings = mcp_settings(server, faulty(fault))
        file = CassetteFile(cassette, settings.secrets)
        recorder = Recorder(file, settings, "chat.msg.md")
        recorded = asyncio.run(turn_with(settings, folder, recorder, yes))
        file.complete()

    player = Player(read_cassette(cassette))
    replayed = asyncio.run(turn_with(player.settings, folder, player, nobody))
    player.check_unused()

    assert player.problems.first is None
    assert replayed == recorded
    assert "mcp__files__echo" in cassette.read_text("utf-8")
    assert "faulty_mcp.py" not in cassette.read_text("utf-8")


def test_a_call_that_a_person_edited_is_replayed_as_it_ran(tmp_path, cassette):
    folder = tmp_path / "chats"
    folder.mkdir()
    answers = [
        Said("edit", arguments='{"path": 3}'),
        Said("edit", arguments='{"path": "right"}'),
        YES,
    ]

    async def edit(_question):
        return answers.pop(0)

    with ScriptedServer([call("mkdir", {"path": "wrong"}), text("ok")]) as server:
        settings = mcp_settings(server)
        file = CassetteFile(cassette, settings.secrets)
        recorder = Recorder(file, settings, "chat.msg.md")
        recorded = asyncio.run(turn_with(settings, folder, recorder, edit))
        file.complete()
    assert [path.name for path in folder.iterdir()] == ["right"]

    player = Player(read_cassette(cassette))
    replayed = asyncio.run(turn_with(player.settings, folder, player, nobody))
    player.check_unused()

    assert player.problems.first is None
    assert replayed == recorded
    assert recorded["blocks"][0]["edited_arguments"] == '{"path": "right"}'


def test_a_server_that_was_asked_for_its_silence_says_the_same_again(chat, cassette):
    silence = Answer(body="", content_type="text/event-stream")
    cause = error(400, "the request exceeds the available context size")
    with ScriptedServer([silence, cause]) as server:
        assert with_settings(server, run_file, chat, cassette=cassette) == 1
        before = chat.read_bytes()

    assert len(server.requests) == 2
    assert b"available context size" in before
    assert run_replay(chat, cassette) == 1
    assert chat.read_bytes() == before


def test_a_server_that_fails_four_times_fails_again(chat, cassette):
    with ScriptedServer(
        [error(429, "later"), error(503, "later"), error(500, "no"), error(500, "no")]
    ) as server:
        assert with_settings(server, run_file, chat, cassette=cassette) == 1
        before = chat.read_bytes()

    assert run_replay(chat, cassette) == 1
    assert chat.read_bytes() == before
    assert b"3/3" in before


def test_a_refused_connection_is_replayed(chat, cassette, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("MSGBOOK_MODEL", "m")

    assert run_file(chat, cassette=cassette) == 1
    before = chat.read_bytes()

    assert run_replay(chat, cassette) == 1
    assert chat.read_bytes() == before
    assert b"127.0.0.1:9" in before


def test_a_redirect_to_another_origin_is_replayed(chat, cassette):
    with ScriptedServer([text("no")]) as server:
        server.redirects = (307, "http://other.invalid/v1")
        assert with_settings(server, run_file, chat, cassette=cassette) == 1
        before = chat.read_bytes()

    assert run_replay(chat, cassette) == 1
    assert chat.read_bytes() == before
    assert b"redirects to" in before


def test_refused_options_are_left_out_again(chat, cassette):
    refusal = error(400, "Unrecognized request argument supplied: stream_options")
    with ScriptedServer([refusal, text("hello")]) as server:
        assert with_settings(server, run_file, chat, cassette=cassette) == 0
        before = chat.read_bytes()
        assert len(server.requests) == 2

    assert run_replay(chat, cassette) == 0
    assert chat.read_bytes() == before
