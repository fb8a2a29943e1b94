"""Which tools and images the words of a server refuse."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refused import error, refusal

from msgbook.messages import system, user
from msgbook.provider import Request
from msgbook.provider.asking import TRIES
from msgbook.provider.refused_elements import image_key, named_images, named_tools, tool_name
from msgbook.provider.request_quirks import find_adaptations

NAMES = ["read", "shell", "mcp__cal__create_event", "mcp__cal__list_events"]
EVENT, EVENTS = NAMES[2:]


def function(name: str) -> dict[str, object]:
    return {"type": "function", "function": {"name": name, "parameters": {}}}


OFFERED = Request("m", [user("hi")], [*map(function, NAMES)], {"tools": [{"type": "web_search"}]})


@pytest.mark.parametrize(
    ("body", "names"),
    [
        (error(f"Invalid schema for function '{EVENT}': schema must have type 'object'."), {EVENT}),
        (error("Invalid schema for function 'read': array schema missing items."), {"read"}),
        (error("bad", param="tools[3].function.parameters"), {EVENTS}),
        (error(f"Invalid schema for function '{EVENT}'", param="tools[2].function.parameters"), {EVENT}),
        (error("tools.3.custom.input_schema: input_schema does not support oneOf at the top level"), {EVENTS}),
        (error("tools.0.function.parameters: 'oneOf' is not supported"), {"read"}),
        (error("tools.3.custom.name: String should have at most 64 characters"), {EVENTS}),
        ({"detail": [{"loc": ["body", "tools", 2, "function"], "msg": "Extra inputs are not permitted"}]}, {EVENT}),
        (error("1 validation error for Request\ntools -> 1 -> function: bad"), {"shell"}),
        (error("* GenerateContentRequest.tools[0].function_declarations[2].parameters: missing field."), {EVENT}),
        (error(f"Unable to submit request because `{EVENT}` functionDeclaration has no type"), {EVENT}),
        (error("The value at toolConfig.tools.1.toolSpec.inputSchema.json.type must be object."), {"shell"}),
        (error(f"函数“{EVENT}”的参数格式无效"), {EVENT}),
        (error(f"Ungültiges Schema: {EVENT}, {EVENTS}"), {EVENT, EVENTS}),
        (error("Hosted tool 'web_search' is not supported with this model."), {"web_search"}),
        (error("tools[4].type: web_search is unknown"), {"web_search"}),
        (error("Provider returned error", metadata={"raw": json.dumps(error(f"Invalid schema for {EVENT}"))}), {EVENT}),
        (error("Provider returned error", metadata={"raw": f"tools.2.name {EVENT}"}), {EVENT}),
        (error(json.dumps(error("Invalid schema", param="tools[3].function"))), {EVENTS}),
        ({"message": f"{EVENT}: bad schema"}, {EVENT}),
        ([error(f"{EVENT}: bad schema")], {EVENT}),
        (f"Invalid tool {EVENT}", {EVENT}),
        # nothing of the request is named
        (error("Invalid schema for function 'ghost': bad"), None),
        (error("tools[99].function.parameters: bad"), None),
        (error("tools[99999999999999999999].function: bad"), None),
        (error("We could not read the body of your request in this shell."), None),
        (error(f"{EVENT}_2 is unknown"), None),
        (error(f"x{EVENT}"), None),
        # it is a call that is wrong, or a choice
        (error("messages[3].tool_calls[0].function.name: 'read' is wrong"), None),
        (error(f"input[3].name: {EVENT} does not match"), None),
        (error(f"Tool call validation failed: attempted to call tool '{EVENT}'"), None),
        (error("Failed to call a function", code="tool_use_failed", failed_generation=EVENT), None),
        (error(f"Tool choice '{EVENT}' not found in 'tools' parameter"), None),
        (f"<html><body>{EVENT}</body></html>", None),
        (None, None),
    ],
)  # fmt: skip
def test_a_tool_is_named_by_its_name_or_its_place(body, names):
    found = named_tools(refusal(400, body), OFFERED)

    assert found == (names and frozenset(names))


ONE, TWO, THREE = (
    {"type": "image_url", "image_url": {"url": url, "detail": "auto"}}
    for url in ("data:image/png;base64,AA", "https://example.org/a.png", "data:image/png;base64,BB")
)
SHOWN = Request(
    "m",
    [
        system("be brief"),
        user([ONE, {"type": "text", "text": "look"}, TWO]),
        user([{"type": "text", "text": "and this"}, THREE]),
        user("well?"),
    ],
)


@pytest.mark.parametrize(
    ("words", "images"),
    [
        ("Invalid image data", [THREE]),
        ("messages[1].content[0].image_url: invalid image", [ONE]),
        ("messages.0.content.2.image.source: exceeds 5 MB", [TWO]),  # without the system message
        ("Invalid image", [THREE]),
        ("input[0].content[2].image_url", [TWO]),
        ("input[1].content[1].image_url", [THREE]),
        ("messages[1]: invalid image", [ONE, TWO]),
        ("Failed to download image from https://example.org/a.png", [TWO]),
        ("messages[77].content[0]: invalid image", [THREE]),
        ("messages[1].content[99999999].image_url", [THREE]),
    ],
)
def test_an_image_is_named_by_its_place_or_is_one_of_the_newest(words, images):
    found = named_images(refusal(400, error(words)), SHOWN)

    assert found == frozenset(map(image_key, images))


WORDS = st.lists(
    st.sampled_from(
        [
            EVENT, "read", "'read'", "function", "tools[2]", "tools.7.x", "messages[1]", "input[0].content[0]", "image",
            "invalid", "too many", "at most 3", "not supported", "reasoning_content", "must be passed back", "unique",
            "tool_call_id", "file", "temperature", "alternate", "roles", "{", "}", "{model}", "%s", "\x1b[31m", "\ud800",
        ]
    )
    | st.text(max_size=8),
    max_size=12,
).map(" ".join)  # fmt: skip


@given(WORDS, st.sampled_from([400, 415, 422, 500]))
def test_whatever_a_server_says_each_adaptation_takes_something_away_and_no_message(words, status):
    request = Request("m", [*SHOWN.messages, user("mine")], OFFERED.tools, {"temperature": 1.0})

    for found in find_adaptations(refusal(status, error(words)), request):
        changed = found.change(request)
        assert not found.concerns(changed)
        assert "mine" in json.dumps(changed.messages)
        assert found.notice("m", "p").isprintable() or not found.notice("m", "p")
        assert {*map(tool_name, changed.tools)} <= {*NAMES}


def test_the_number_of_tries_is_small():
    assert TRIES <= 10
