"""Servers that do not find a call, refuse two tools of one name, or options: the turn goes on, or a setting is named."""

from __future__ import annotations

import pytest
from refused import TOOL, error, refusal

from msgbook.messages import assistant, tool_call, tool_result, user
from msgbook.provider import Request
from msgbook.provider.request_quirks import UNNAMED_TOOLS, find_adaptations, find_remedy

CALLED = Request(
    "m",
    [user("hi"), assistant(None, [tool_call("c", "read", "{}")]), tool_result("c", "one")],
    [TOOL],
)


def first(status: int, message: str, request: Request):
    return next(find_adaptations(refusal(status, error(message)), request), None)


def tool(name: str):
    return {"type": "function", "function": {"name": name, "parameters": {}}}


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "tool_call_id call_abc not found"),
        (400, "Invalid request: tool_call_id  is not found"),
        (400, "invalid params, tool result's tool id(call_1) not found (2013)"),
        (400, "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: c"),
        (400, "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: c"),
        (400, "Not the same number of function calls and responses"),
        (400, "Unexpected tool call id c in tool results"),
        (400, "Please ensure that the number of function response parts is equal to the number of function call parts"),
        (400, "Please ensure that function call turn comes immediately after a user turn or a function response turn."),
        (422, "Unknown tool result: c"),
        (500, "tool_use_id `c` does not match any tool_use"),
    ],
)  # fmt: skip
def test_a_server_that_does_not_find_a_call_is_sent_text(status, message):
    # Other ids may be tried before.
    *_, last = find_adaptations(refusal(status, error(message)), CALLED)

    changed = last.change(CALLED)
    assert [one["role"] for one in changed.messages] == ["user", "assistant", "user"]
    assert "read" in str(changed.messages[1:])


@pytest.mark.parametrize(
    "message",
    [
        "tools: Tool names must be unique.",
        "Tool names must be unique",
        "Duplicate function declaration found: read",
        "Invalid value: duplicate tool name 'read'",
        "Function names in `tools` must be unique",
        "tools[1].function.name: 'read' is already defined",
        "The tool read was specified more than once",
        "工具名称重复: read",
    ],
)
def test_the_first_of_two_tools_of_one_name_is_offered(message):
    request = Request("m", [user("hi")], [tool("read"), tool("mcp__a__x"), tool("Read")])

    found = first(400, message, request)

    assert found.change(request).tools == [tool("read"), tool("mcp__a__x")]
    assert "disabled_tools" in found.notice("m", "p")
    added = Request("m", [user("hi")], [tool("read")], {"tools": [tool("read")]})
    assert first(400, message, added).change(added).tools == []


def test_without_two_of_one_name_the_setting_is_named():
    request = Request("m", [user("hi")], [tool("read")])
    said = refusal(400, error("Tool names must be unique"))

    assert next(find_adaptations(said, request), None) is None
    assert "disabled_tools" in find_remedy(said, request, "p")


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("top_p", "Unsupported parameter: 'top_p' is not supported with this model."),
        ("seed", "Extra inputs are not permitted: parameter seed"),
        ("seed", "seed: Extra inputs are not permitted"),
        ("verbosity", "litellm.BadRequestError: verbosity: Extra inputs are not permitted"),
        ("parallel_tool_calls", "Unknown parameter: 'parallel_tool_calls'."),
        ("stop", "Unsupported parameter: 'stop' is not supported with this model."),
        ("verbosity", "Unrecognized request argument supplied: verbosity"),
        ("frequency_penalty", "property 'frequency_penalty' is unsupported"),
        ("logit_bias", "[{'type': 'extra_forbidden', 'loc': ('body', 'logit_bias')}]"),
        ("top_k", "top_k is deprecated for this model"),
    ],
)
def test_an_option_that_a_server_does_not_know_is_left_out(key, message):
    request = Request("m", [user("hi")], options={key: 1, "presence_penalty": 0})

    found = first(400, message, request)

    assert found.change(request).options == {"presence_penalty": 0}
    assert key in found.notice("m", "p")


WANTED = ("cannot", "can't", "can\u2019t", "must not", "must never", "may not ever")


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("stop", "You are not allowed to stop here"),
        ("top_p", "top_p must be between 0 and 1"),
        ("user", "role user is not supported here"),
        ("seed", "something else is not supported"),
        *[("stop", f"'stop' {words} be empty") for words in WANTED],
    ],
)
def test_an_option_that_is_not_refused_as_such_stays(key, message):
    request = Request("m", [user("hi")], options={key: 1})

    assert first(400, message, request) is None


@pytest.mark.parametrize("name", ["mcp__a__x", "of_a_plugin", "of_the_notebook"])
def test_every_tool_that_is_not_our_own_may_be_to_blame(name):
    request = Request("m", [user("hi")], [tool("read"), tool(name)])

    found = first(400, "Invalid JSON schema of a function", request)

    assert found.row is UNNAMED_TOOLS
    assert found.change(request).tools == [tool("read")]
