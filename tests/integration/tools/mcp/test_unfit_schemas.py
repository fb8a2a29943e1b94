"""Tools of MCP servers whose schemas model servers refuse are made fit, or left out with their name."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from mcp_turns import Talk, faulty, mcp_settings, notices, offered
from scripted_server import text

from msgbook.tools.mcp.listing import KeptLists, Listing, read_listing

LIST = {"type": "array", "items": {"type": "string"}}
CHOICE = {
    "type": "object",
    "anyOf": [{"properties": {"a": {"type": "array"}}}, {"properties": {"b": {}}}],
}


def entry(name: str, schema: object) -> dict[str, object]:
    return {"name": name, "description": "", "inputSchema": schema}


ENTRIES = [
    entry("all", LIST),
    entry("choose", CHOICE),
    entry("fine", {"type": "object"}),
    entry("say", {"type": "string"}),
]


def test_a_schema_is_made_fit_and_a_list_that_is_kept_stays_the_same():
    listing = read_listing(ENTRIES)

    assert [tool.name for tool in listing.tools] == ["choose", "fine"]
    assert listing.tools[0].parameters == {
        "type": "object",
        "properties": {"a": {"type": "array", "items": {}}, "b": {}},
    }
    again = read_listing([tool.as_json() for tool in listing.tools], listing.problems)
    assert again == listing


@pytest.mark.parametrize("given", [None, [], "x", 3])
def test_a_tool_without_a_schema_takes_no_arguments(given):
    (tool,) = read_listing([entry("a", given)]).tools

    assert tool.parameters == {"type": "object", "properties": {}}


@pytest.fixture
def known(no_kept_lists):
    """A server whose tools are known from the time before, so that it is not started."""
    server = faulty(name="cal")
    KeptLists().save(server.digest, read_listing(ENTRIES))
    return server


def turn_with(server, folder, mcp):
    server.answers = [text("ok")]

    async def talk():
        async with Talk(folder, mcp_settings(server, mcp)) as talk:
            return await talk.turn()

    return asyncio.run(talk())


def test_what_is_left_out_is_named_with_the_setting(server, tmp_path, known):
    turn = turn_with(server, tmp_path, known)

    assert turn["status"] == "done"
    assert [name for name in offered(server) if name.startswith("mcp__")] == [
        "mcp__cal__choose",
        "mcp__cal__fine",
    ]
    said = notices(turn)
    assert "'all' is left out" in said
    assert "'say' is left out" in said
    assert "disabled_tools" in said


def test_a_tool_that_the_user_leaves_out_is_not_spoken_of(server, tmp_path, known):
    quiet = replace(known, disabled_tools=("all", "say"))
    KeptLists().save(quiet.digest, read_listing(ENTRIES))

    turn = turn_with(server, tmp_path, quiet)

    assert notices(turn) == ""


def test_a_list_that_an_earlier_version_has_kept_is_made_fit(known):
    KeptLists().save(known.digest, Listing(tuple(read_listing([ENTRIES[2]]).tools)))
    kept = KeptLists().load(known.digest)
    raw = replace(kept, tools=(replace(kept.tools[0], parameters=CHOICE),))
    KeptLists().save(known.digest, raw)

    (tool,) = KeptLists().load(known.digest).tools

    assert "anyOf" not in tool.parameters
