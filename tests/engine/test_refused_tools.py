"""Servers that refuse a tool and point at the wrong one, at none, or at all of them."""

from __future__ import annotations

import asyncio

import pytest
from refusing import Session, notices, tool_names

BAD = "mcp__cal__create_event"
OTHER = "mcp__time__now"
ALL = (BAD, OTHER)


def talk(server, tmp_path, refuse, tools=ALL, status=400):
    """Return two turns with a server that refuses, and the tools of the last request."""

    async def two_turns():
        async with Session(server, tmp_path, tools=tools, status=status) as session:
            return [await session.ask(prompt, refuse=refuse) for prompt in ("hi", "again")]

    turns = asyncio.run(two_turns())
    return turns, tool_names(server.requests[-1])


def own(server) -> list[str]:
    return [name for name in tool_names(server.requests[0]) if not name.startswith("mcp__")]


@pytest.mark.parametrize("place", range(6))
def test_a_place_that_is_always_the_same_costs_no_tool_of_ours(server, tmp_path, place):
    def refuse(request):
        said = f"tools[{place}].function.parameters: invalid schema"
        return said if BAD in tool_names(request) else None

    turns, kept = talk(server, tmp_path, refuse)

    assert [turn["status"] for turn in turns] == ["done", "done"]
    assert kept == own(server)
    assert [len(notices(turn)) for turn in turns] == [1, 0]
    assert len(server.requests) == 4


def test_places_that_move_on_cost_no_tool_of_ours(server, tmp_path):
    def refuse(request):
        if BAD not in tool_names(request):
            return None
        return f"tools.{len(server.requests) % 4}.custom.input_schema: invalid"

    _, kept = talk(server, tmp_path, refuse)

    assert kept == own(server)


def test_bedrock_counts_members_from_one(server, tmp_path):
    def refuse(request):
        if BAD not in tool_names(request):
            return None
        place = tool_names(request).index(BAD) + 1
        return (
            f"Value at 'toolConfig.tools.{place}.member.toolSpec.name' failed to satisfy constraint"
        )

    _, kept = talk(server, tmp_path, refuse)

    assert kept == [*own(server), OTHER]
    assert len(server.requests) == 3


def test_our_tools_are_left_out_last_and_what_did_not_help_is_not_remembered(server, tmp_path):
    def refuse(request):
        return "tools[1].function: invalid" if "read" in tool_names(request) else None

    turns, kept = talk(server, tmp_path, refuse)

    assert turns[1]["status"] == "done"
    assert kept == []
    (notice,) = notices(turns[0])
    assert "none that it names" in notice


def test_a_server_that_refuses_with_or_without_tools_loses_none(server, tmp_path):
    def refuse(request):
        return None if "again" in str(request["messages"]) else "tools[1].function: invalid"

    turns, kept = talk(server, tmp_path, refuse)

    assert turns[0]["status"] == "error"
    assert kept == [*own(server), *ALL]


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("Value is not callable: null at row 58, column 40:\n {%- for tool in tools %}", 500),
        ('Error rendering prompt with jinja template: "Cannot apply filter \\"string\\" to type: NullValue".', 400),
        ("invalid request: tool definition invalid: parameter definition type 'list' is not supported", 400),
    ],
)  # fmt: skip
def test_a_template_or_a_definition_that_fails_is_of_an_mcp_servers_tool(
    server, tmp_path, words, status
):
    def refuse(request):
        return words if BAD in tool_names(request) else None

    turns, kept = talk(server, tmp_path, refuse, status=status)

    assert turns[0]["status"] == "done"
    assert kept == own(server)
    assert BAD in notices(turns[0])[0]


def test_a_template_that_takes_no_tools_at_all_gets_none(server, tmp_path):
    def refuse(request):
        return "{%- for tool in tools %}: not callable" if request.get("tools") else None

    turns, kept = talk(server, tmp_path, refuse, status=500)

    assert (turns[0]["status"], kept) == ("done", [])
    assert len(notices(turns[0])) == 1


@pytest.mark.parametrize(
    ("words", "most"),
    [
        ("maximum number of tools exceeded: at most 5 tools are supported", 5),
        ("Invalid 'tools': array too long. Expected an array with maximum length 7, but got an array with length 12 instead.", 7),
        ("Too many tools: 8, maximum is 7", 7),
    ],
)  # fmt: skip
def test_a_server_that_takes_few_tools_gets_ours_first(server, tmp_path, words, most):
    def refuse(request):
        return words if len(tool_names(request)) > most else None

    turns, kept = talk(server, tmp_path, refuse)

    assert [turn["status"] for turn in turns] == ["done", "done"]
    assert kept == [*own(server), *ALL][:most]
    assert str(most) in notices(turns[0])[0]
