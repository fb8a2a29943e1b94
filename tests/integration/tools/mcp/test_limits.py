"""Clashes, too many tools, sub-agents, and an installation without the SDK."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from mcp_turns import Talk, faulty, mcp_settings, notices, offered
from scripted_server import ScriptedServer, call, text

from msgbook.approval.rule import read_rules
from msgbook.errors import MsgbookError
from msgbook.magics import run_magic
from msgbook.magics.base import MagicContext


def turn_with(server: ScriptedServer, folder: Path, *mcp, **metadata):
    """Return the turn of a prompt, in a conversation with these servers."""
    server.answers = [text("ok")]

    async def talk():
        async with Talk(folder, mcp_settings(server, *mcp)) as talk:
            return await talk.turn(**metadata)

    return asyncio.run(talk())


def magic(server: ScriptedServer, folder: Path, *sources: str, mcp=(), before=None):
    """Return what magics print, in a conversation with these servers."""

    async def talk():
        async with Talk(folder, mcp_settings(server, *mcp)) as talk:
            if before is not None:
                server.answers = [text("ok")]
                await talk.turn(before)
            context = MagicContext(talk.engine, lambda: None)
            return [await run_magic(source, context) for source in sources]

    return asyncio.run(talk())


def test_more_tools_than_a_request_can_have_end_the_turn_with_counts(server, tmp_path):
    turn = turn_with(server, tmp_path, faulty("on_list_500", "many"), faulty(name="few"))

    assert turn["status"] == "error"
    message = str(turn["blocks"][-1])
    assert "take at most 128. Tools of MCP servers: many 500, few 3; others: " in message
    assert server.requests == []


def test_what_is_left_out_is_said_in_the_next_session_too(server, tmp_path):
    turns = [turn_with(server, tmp_path, faulty("on_list_doubles")) for _ in range(2)]

    assert "Starting MCP servers" in notices(turns[0])
    assert "Starting MCP servers" not in notices(turns[1])
    for turn in turns:
        assert "The MCP server files: 'echo' is listed twice; the first one counts." in notices(
            turn
        )


def test_enabled_and_disabled_tools_choose_and_a_wrong_name_is_said(server, tmp_path):
    some = faulty(enabled_tools=("echo", "look", "nothing"), disabled_tools=("look",))
    turn = turn_with(server, tmp_path, some)

    assert [name for name in offered(server) if name.startswith("mcp__")] == ["mcp__files__echo"]
    assert "The MCP server files: it has no tool 'nothing'." in notices(turn)


def test_two_tools_of_one_name_are_both_left_out_and_said(server, tmp_path):
    turn = turn_with(
        server, tmp_path, faulty("on_list_clash_a", "a"), faulty("on_list_clash_b", "a__b")
    )

    assert [name for name in offered(server) if name.startswith("mcp__")] == []
    assert (
        "The tool mcp__a__b__c is not offered, since it is provided by both MCP servers 'a' and 'a__b'."
    ) in notices(turn)


def test_a_sub_agent_is_offered_no_tool_that_its_parent_does_not_allow(server, tmp_path):
    metadata = {"agent_metadata": {"allowed_tools": ["read", "mcp__files__look"]}}
    turn_with(server, tmp_path, faulty(), msgbook=metadata)

    assert [name for name in offered(server) if name.startswith("mcp__")] == ["mcp__files__look"]


def test_a_projects_rule_approves_no_call_of_a_server(tmp_path):
    rules, warnings = read_rules([{"tool": "mcp__files__echo"}], "config.toml", tmp_path)

    assert rules == []
    assert "only your own configuration can approve calls of MCP servers" in warnings[0]


def test_without_the_sdk_a_configured_server_is_a_notice(server, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp", None)
    turn = turn_with(server, tmp_path, faulty())

    assert turn["status"] == "done"
    assert (
        'the package mcp is not installed. Install it with: pip install "msgbook[mcp]"'
        in notices(turn)
    )


def test_an_sdk_that_cannot_be_imported_is_a_notice(server, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "msgbook.tools.mcp.connection", None)
    turn = turn_with(server, tmp_path, faulty())

    assert turn["status"] == "done"
    assert "the package mcp cannot be imported (ModuleNotFoundError: " in notices(turn)
    assert 'Install it again with: pip install "msgbook[mcp]"' in notices(turn)


def test_the_key_of_a_server_is_neither_kept_nor_sent(server, tmp_path, no_kept_lists):
    key = "tok-0123456789abcdef"
    turn_with(server, tmp_path, faulty("on_list_tells_its_key", env={"MY_TOKEN": key}))

    assert key not in str(server.requests)
    [kept] = (no_kept_lists / "msgbook" / "mcp").iterdir()
    assert key not in kept.read_text()
    assert "Uses [redacted]." in kept.read_text()


@pytest.mark.parametrize("fault", ["on_call_environment", "at_start_tells_its_key"])
def test_no_turn_shows_the_key_of_a_server(server, tmp_path, fault):
    key = "tok-0123456789abcdef"
    server.answers = [call("mcp__files__echo", {}), text("ok")]

    async def talk():
        settings = mcp_settings(server, faulty(fault, env={"MY_TOKEN": key}))
        async with Talk(tmp_path, settings) as talk:
            turn = await talk.turn()
            return turn, await run_magic("%mcp", MagicContext(talk.engine, lambda: None))

    turn, listed = asyncio.run(talk())

    assert "[redacted]" in str(turn)
    assert key not in f"{turn} {listed} {server.requests}"


def test_the_magic_lists_servers_states_tools_and_what_asks(server, tmp_path):
    before, *_ = magic(server, tmp_path, "%mcp", mcp=[faulty()])
    after, refreshed = magic(
        server,
        tmp_path,
        "%mcp",
        "%mcp refresh files",
        mcp=[faulty(trust_hints=True), faulty("at_start_exit", "broken")],
        before="hi",
    )

    assert before.startswith("files  [not started]  tools not known yet")
    lines = after.splitlines()
    assert lines[0].startswith("files  [running]  3 tools  ")
    assert lines[1].startswith("    mcp__files__echo  [needs approval]")
    assert "[needs approval; says that it only reads, and may reach the network]" in lines[2]
    assert "[no approval: it only reads, says the server, whose hints you trust]" in lines[3]
    assert lines[4].startswith("broken  [failed]")
    assert "The setting DATABASE is missing." in lines[5]
    assert refreshed == "files: 3 tools"


def test_the_magic_says_what_it_expected(server, tmp_path):
    assert magic(server, tmp_path, "%mcp")[0].startswith("There are no MCP servers.")
    with pytest.raises(MsgbookError, match="Expected %mcp, %mcp refresh or"):
        magic(server, tmp_path, "%mcp start", mcp=[faulty()])
    with pytest.raises(MsgbookError, match="There is no MCP server 'x'"):
        magic(server, tmp_path, "%mcp refresh x", mcp=[faulty()])
