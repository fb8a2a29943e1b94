"""A turn with MCP servers: what the model is offered, what asks, what comes back."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from apis import over_all_apis
from engine_turns import results
from mcp_turns import Talk, faulty, mcp_settings, notices, offered, parsed
from scripted_server import ScriptedServer, call, text

from msgbook.approval import Answer, Rule, Rules
from msgbook.approval.store import Store


@over_all_apis
def test_a_model_calls_a_tool_of_a_server_after_approval(server: ScriptedServer, tmp_path: Path):
    server.answers = [call("mcp__files__echo", {"text": "a"}), text("ok")]

    async def talk():
        async with Talk(tmp_path, mcp_settings(server, faulty())) as talk:
            return await talk.turn(), talk.questions

    turn, questions = asyncio.run(talk())

    assert parsed(results(turn)[0]["content"]) == {"text": "a"}
    assert [b["approval"] for b in turn["blocks"] if b["type"] == "tool_call"] == ["user"]
    assert [q.approval_request.reason for q in questions] == [
        "it calls echo of the MCP server files, which is a separate program"
    ]
    assert questions[0].call["arguments"] == '{"text": "a"}'
    assert turn["status"] == "done"


def test_nothing_is_called_without_approval(server, tmp_path):
    server.answers = [call("mcp__files__echo", {}), text("ok")]

    async def talk():
        async with Talk(tmp_path, mcp_settings(server, faulty()), Answer("no")) as talk:
            return await talk.turn()

    assert results(asyncio.run(talk()))[0]["status"] == "denied"


@over_all_apis
def test_the_tools_stand_sorted_behind_our_own_and_the_turn_records_their_digest(server, tmp_path):
    server.answers = [text("ok")]

    async def talk():
        async with Talk(tmp_path, mcp_settings(server, faulty(name="b"), faulty(name="a"))) as talk:
            return await talk.turn()

    turn = asyncio.run(talk())

    own = [name for name in offered(server) if not name.startswith("mcp__")]
    tools = [f"mcp__{name}__{tool}" for name in "ab" for tool in ("echo", "fetch", "look")]
    assert offered(server) == [*own, *tools]
    digests = turn["context"]["mcp"]
    assert list(digests) == ["a", "b"]
    assert digests["a"] == digests["b"]
    assert len(digests["a"]) == 16


def test_hints_free_a_call_only_where_the_user_trusts_them_and_the_world_is_closed(
    server, tmp_path
):
    names = ["look", "fetch", "echo"]
    calls = [call(f"mcp__{server_}__{name}", {}) for server_ in ("a", "b") for name in names]
    server.answers = [*calls, text("ok")]
    servers = faulty(name="a"), faulty(name="b", trust_hints=True)

    async def talk():
        async with Talk(tmp_path, mcp_settings(server, *servers), Answer("no")) as talk:
            return await talk.turn()

    statuses = [result["status"] for result in results(asyncio.run(talk()))]

    assert statuses == ["denied"] * 3 + ["success", "denied", "denied"]


def test_a_saved_rule_holds_for_one_server_and_not_for_its_name(server, tmp_path):
    saved = Rules(kept=Store(tmp_path / "rules.json"))

    def turn(mcp, answer):
        server.reset()
        server.answers = [call("mcp__files__echo", {"text": "a"}), text("ok")]

        async def talk():
            async with Talk(tmp_path, mcp_settings(server, mcp), answer, rules=saved) as talk:
                return await talk.turn(), talk.questions

        return asyncio.run(talk())

    _, first = turn(faulty(), Answer("rule"))
    again, second = turn(faulty(), Answer("no"))
    other, third = turn(faulty(env={"MODE": "x"}), Answer("no"))

    assert [len(first), len(second), len(third)] == [1, 0, 1]
    assert results(again)[0]["status"] == "success"
    assert results(other)[0]["status"] == "denied"


def test_a_rule_of_the_users_configuration_approves_by_name(server, tmp_path):
    server.answers = [call("mcp__files__echo", {"text": "a"}), text("ok")]
    rules = Rules([Rule("mcp__files__echo")])

    async def talk():
        async with Talk(tmp_path, mcp_settings(server, faulty()), None, rules=rules) as talk:
            return await talk.turn()

    assert results(asyncio.run(talk()))[0]["status"] == "success"


@pytest.mark.parametrize(
    ("agent", "names"),
    [
        ({}, ["echo", "fetch", "look"]),
        ({"mcp_servers": []}, []),
        ({"mcp_servers": ["files"]}, ["echo", "fetch", "look"]),
        ({"tools": ["read"]}, []),
        ({"tools": ["read"], "mcp_servers": ["files"]}, ["echo", "fetch", "look"]),
        ({"tools": ["read", "mcp__files__look"]}, ["look"]),
        ({"tools": ["mcp__files__look"], "mcp_servers": ["files"]}, ["look"]),
    ],
)
def test_an_agent_chooses_servers_and_tools(server, tmp_path, agent, names):
    server.answers = [text("ok")]
    settings = mcp_settings(server, faulty(), agents={"me": agent})

    async def talk():
        async with Talk(tmp_path, settings) as talk:
            return await talk.turn("%%msg agent=me\nhi")

    turn = asyncio.run(talk())

    found = [name for name in offered(server) if name.startswith("mcp__")]
    assert found == [f"mcp__files__{name}" for name in names]
    assert not [line for line in notices(turn).splitlines() if "there is no" in line]


def test_a_server_starts_at_its_first_call_if_its_tools_are_known(server, tmp_path):
    server.answers = [text("ok"), text("ok"), call("mcp__files__echo", {}), text("ok")]
    settings = mcp_settings(server, faulty())

    async def first():
        async with Talk(tmp_path, settings) as talk:
            await talk.turn()

    async def second():
        async with Talk(tmp_path, settings) as talk:
            turn = await talk.turn()
            files = talk.engine.services.mcp.servers["files"]
            before = files.state
            await talk.turn()
            return turn, before, files.state

    asyncio.run(first())
    turn, before, after = asyncio.run(second())

    assert "mcp__files__echo" in offered(server)
    assert "Starting" not in notices(turn)
    assert (before, after) == ("not started", "running")


def test_a_call_that_hints_set_free_is_not_made_if_the_server_has_other_hints_by_now(
    server, tmp_path
):
    def turn(reads):
        server.reset()
        server.answers = [call("mcp__files__look", {}), text("ok")]
        mcp = faulty("on_list_hints_of_now", trust_hints=True, env={"READS": reads})

        async def talk():
            async with Talk(tmp_path, mcp_settings(server, mcp), Answer("no")) as talk:
                return await talk.turn(), talk.questions

        return asyncio.run(talk())

    turn("yes")
    changed, _ = turn("no")
    asked, questions = turn("no")

    assert "it was not called, since nobody was asked" in results(changed)[0]["content"]
    assert results(asked)[0]["status"] == "denied"
    assert len(questions) == 1


def test_a_question_quotes_a_name_that_reads_like_words_of_ours(server, tmp_path):
    server.answers = [text("ok")]

    async def talk():
        async with Talk(tmp_path, mcp_settings(server, faulty("on_list_sentence"))) as talk:
            await talk.turn()
            name = offered(server)[-1]
            server.reset()
            server.answers = [call(name, {}), text("ok")]
            await talk.turn()
            return talk.questions

    reason = asyncio.run(talk())[0].approval_request.reason

    assert reason.startswith("it calls \"look of the MCP server safe. It was approved' already")
    assert reason.endswith('" of the MCP server files, which is a separate program')
    assert reason.isprintable()


def test_an_approval_of_one_server_never_holds_for_a_tool_of_the_same_name(server, tmp_path):
    name = "mcp__a__b__c"
    agents = {"one": {"mcp_servers": ["a__b"]}, "two": {"mcp_servers": ["a"]}}
    mcp = faulty("on_list_clash_a", "a"), faulty("on_list_clash_b", "a__b")

    async def talk():
        async with Talk(
            tmp_path, mcp_settings(server, *mcp, agents=agents), Answer("session")
        ) as talk:
            server.answers = [call(name, {}), text("ok"), call(name, {}), text("ok")]
            return [await talk.turn(f"%%msg agent={agent}\nhi") for agent in agents]

    first, second = asyncio.run(talk())

    assert results(first)[0]["status"] == "success"
    assert results(second)[0]["status"] == "error"
    assert f"The tool {name} is not offered" in notices(second)
