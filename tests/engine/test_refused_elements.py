"""One element that a server refuses does not end the chat, over both APIs."""

from __future__ import annotations

import asyncio
import base64
import json
import struct
import zlib
from itertools import pairwise
from typing import Any

import pytest
from messages_as_chat import messages_as_chat
from refusing import Session, notices, tool_names
from scripted_server import Answer, call, text

from msgbook.extras.cassettes.exchanges import api_of
from msgbook.messages import IMAGE, request_hash
from msgbook.provider.asking import TRIES

EVENT = "mcp__cal__create_event"
OTHER = "mcp__cal__list_events"
APIS = ["chat", "responses", "anthropic"]
over_all = pytest.mark.parametrize("api", APIS)


def position(request: dict[str, Any], name: str) -> int:
    return tool_names(request).index(name)


def refuses_tool(request: dict[str, Any], name: str = EVENT) -> str | None:
    if name not in tool_names(request):
        return None
    return f"Invalid schema for function '{name}': schema must have type 'object' and not have 'anyOf'."


def by_place(request: dict[str, Any]) -> dict[str, Any] | None:
    if EVENT not in tool_names(request):
        return None
    place = f"tools.{position(request, EVENT)}.custom.input_schema"
    message = f"{place}: input_schema does not support oneOf, allOf, or anyOf at the top level"
    return {"type": "error", "error": {"type": "invalid_request_error", "message": message}}


def by_param(request: dict[str, Any]) -> dict[str, Any] | None:
    if EVENT not in tool_names(request):
        return None
    param = f"tools[{position(request, EVENT)}].function.parameters"
    return {"error": {"message": "无效的参数", "param": param, "code": "invalid"}}


@over_all
@pytest.mark.parametrize("refuse", [refuses_tool, by_place, by_param])
def test_a_tool_that_is_refused_is_left_out_from_then_on_and_said_once(
    server, tmp_path, api, refuse
):
    async def talk():
        async with Session(server, tmp_path, api, (EVENT, OTHER)) as session:
            first = await session.ask("hi", refuse=refuse)
            second = await session.ask("again", refuse=refuse)
        return first, second

    first, second = asyncio.run(talk())

    assert (first["status"], second["status"]) == ("done", "done")
    assert [EVENT in tool_names(r) for r in server.requests] == [True, False, False]
    assert all(OTHER in tool_names(r) and "read" in tool_names(r) for r in server.requests)
    (notice,) = notices(first)
    assert EVENT in notice
    assert "disabled_tools" in notice
    assert "It said: " in notice
    assert notices(second) == []


@pytest.mark.parametrize(
    "words",
    [
        "JSON schema conversion failed: Unrecognized schema",
        "json: cannot unmarshal array into Go struct field .tools.function.parameters.properties.type of type string",
        "Invalid schema for function 'other_name': bad",
    ],
)
def test_a_tool_that_is_refused_without_its_name_is_one_of_an_mcp_server(server, tmp_path, words):
    def refuse(request):
        return words if EVENT in tool_names(request) else None

    async def talk():
        async with Session(server, tmp_path, tools=(EVENT, OTHER)) as session:
            return [await session.ask(prompt, refuse=refuse) for prompt in ("hi", "again")]

    turns = asyncio.run(talk())

    assert [turn["status"] for turn in turns] == ["done", "done"]
    assert [len(notices(turn)) for turn in turns] == [1, 0]
    assert EVENT in notices(turns[0])[0]
    assert "disabled_tools" in notices(turns[0])[0]
    assert "read" in tool_names(server.requests[-1])


def test_a_tool_whose_definition_has_changed_is_offered_again(server, tmp_path):
    async def talk():
        async with Session(server, tmp_path, tools=(EVENT,)) as session:
            await session.ask("hi", refuse=refuses_tool)
            session.engine.services.servers.forget_refused_tools()
            await session.ask("again")

    asyncio.run(talk())

    assert [EVENT in tool_names(r) for r in server.requests] == [True, False, True]


@pytest.mark.parametrize("is_streamed", [True, False])
def test_a_refusal_inside_an_answer_counts_before_the_first_word(server, tmp_path, is_streamed):
    said = {"error": {"message": refuses_tool({"tools": [{"name": EVENT}]}), "code": "bad_schema"}}

    async def talk():
        async with Session(server, tmp_path, tools=(EVENT,)) as session:
            begin = {"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]}
            refused = Answer([begin, said]) if is_streamed else Answer(body=json.dumps(said))
            return await session.ask("hi", refused, text("ok"))

    turn = asyncio.run(talk())

    assert turn["status"] == "done"
    assert [EVENT in tool_names(r) for r in server.requests] == [True, False]


@pytest.mark.parametrize(
    "event",
    [
        {"type": "error", "code": None, "message": "%s", "param": None},
        {
            "type": "response.failed",
            "response": {"status": "failed", "error": {"code": "invalid_prompt", "message": "%s"}},
        },
    ],
)
def test_a_refusal_as_an_event_of_the_responses_api_counts(server, tmp_path, event):
    words = refuses_tool({"tools": [{"name": EVENT}]})
    said = json.dumps(event) % words
    begin = {"type": "response.created", "response": {"id": "r", "output": []}}
    body = f"event: response.created\ndata: {json.dumps(begin)}\n\ndata: {said}\n\n"

    async def talk():
        async with Session(server, tmp_path, "responses", (EVENT,)) as session:
            refused = Answer(body=body, content_type="text/event-stream")
            return await session.ask("hi", refused, text("ok"))

    turn = asyncio.run(talk())

    assert turn["status"] == "done"
    assert [EVENT in tool_names(r) for r in server.requests] == [True, False]
    assert "It said: Invalid schema" in notices(turn)[0]


def test_a_server_that_refuses_one_tool_after_the_other_is_asked_without_its_whole_mcp_server(
    server, tmp_path
):
    names = tuple(f"mcp__cal__tool{number:02}" for number in range(30))

    def refuse(request):
        return next(filter(None, (refuses_tool(request, name) for name in names)), None)

    async def talk():
        async with Session(server, tmp_path, tools=(*names, OTHER, "mcp__time__now")) as session:
            return await session.ask("hi", refuse=refuse)

    turn = asyncio.run(talk())

    assert turn["status"] == "done"
    assert len(server.requests) <= 4
    assert "mcp__time__now" in tool_names(server.requests[-1])


ONE_AFTER_THE_OTHER = [
    lambda request, number: refuses_tool(request, (tool_names(request) or ["none"])[0]) or "no",
    lambda request, number: f"tools.{number}.function.parameters: wrong",
    lambda request, number: "Invalid schema for function 'ghost': wrong",
    lambda request, number: f"Invalid schema for function '{EVENT}' and for function '{OTHER}'",
    lambda request, number: refuses_tool({"tools": [{"name": EVENT}]}),
    lambda request, number: (
        "The `reasoning_content` must be passed back, tool_call_id must be unique, "
        "image_url is not supported, temperature is not supported, roles must alternate"
    ),
    lambda request, number: "x" * 200_000 + EVENT,
    lambda request, number: {"error": {"message": {"message": [["deep", {"error": EVENT}]]}}},
]


@over_all
@pytest.mark.parametrize("words", ONE_AFTER_THE_OTHER)
def test_a_server_that_refuses_everything_has_the_last_word_in_a_bounded_number_of_requests(
    server, tmp_path, api, words
):
    def refuse(request):
        return words(request, len(server.requests) % 5)

    async def talk():
        async with Session(server, tmp_path, api, (EVENT, OTHER)) as session:
            return await session.ask("hi", refuse=refuse)

    turn = asyncio.run(talk())

    assert turn["status"] == "error"
    assert 1 <= len(server.requests) <= TRIES + 1
    assert "hi" in json.dumps(server.requests[-1])
    assert "The server answered 400" in turn["blocks"][-1]["message"]
    assert len(turn["blocks"][-1]["message"]) < 1500


def test_what_is_refused_again_ends_the_turn_with_the_servers_words_and_the_setting(
    server, tmp_path
):
    async def talk():
        async with Session(server, tmp_path, tools=(EVENT,)) as session:
            said = refuses_tool({"tools": [{"name": EVENT}]})
            return await session.ask("hi", refuse=lambda request: said)

    turn = asyncio.run(talk())

    message = turn["blocks"][-1]["message"]
    assert len(server.requests) == 2
    assert "Invalid schema for function" in message
    assert "disabled_tools" in message


def test_a_page_is_no_refusal_of_an_element(server, tmp_path):
    page = f"<html><body><h1>400</h1>{EVENT} image not supported: temperature</body></html>"

    async def talk():
        async with Session(server, tmp_path, tools=(EVENT,)) as session:
            return await session.ask(
                "hi", Answer(status=400, body=page, content_type="text/html"), text("ok")
            )

    turn = asyncio.run(talk())

    assert (turn["status"], len(server.requests)) == ("error", 1)


def wants_reasoning(request: dict[str, Any]) -> str | None:
    """DeepSeek: after a call, each answer has its reasoning, if only an empty one."""
    messages = request["messages"]
    answers = [m for m in messages if m["role"] == "assistant"]
    if any("reasoning_content" not in m for m in answers if m.get("tool_calls")):
        return "The `reasoning_content` in the thinking mode must be passed back to the API."
    return None


def thought_call(thought: str, call_id: str = "c1") -> Answer:
    begin = {"choices": [{"index": 0, "delta": {"reasoning_content": thought}}]}
    return Answer([begin, *call("glob", {"pattern": "*"}, call_id).chunks])


def test_a_server_that_wants_its_reasoning_back_gets_it_from_then_on(server, tmp_path):
    async def talk():
        async with Session(server, tmp_path) as session:
            return [
                await session.ask("look", thought_call("Let me see."), text("Seen."), refuse=wants_reasoning),
                await session.ask("and?", refuse=wants_reasoning),
                await session.ask("and now?", refuse=wants_reasoning),
            ]  # fmt: skip

    turns = asyncio.run(talk())

    assert [turn["status"] for turn in turns] == ["done"] * 3
    assert [len(notices(turn)) for turn in turns] == [0, 1, 0]
    assert "keep_reasoning = true in [providers.ours]" in notices(turns[1])[0]
    refused, second, third = server.requests[2:]
    assert "Let me see." not in json.dumps(refused)
    assert [m.get("reasoning_content") for m in second["messages"] if m["role"] == "assistant"] == [
        "Let me see.",
        "",
    ]
    assert third["messages"][: len(second["messages"])] == second["messages"]
    # What a turn records does not depend on what the session has learned.
    assert request_hash(refused["messages"]) == turns[1]["context"]["request_hash"]


def test_calls_of_another_model_go_with_an_empty_reasoning(server, tmp_path):
    async def talk():
        async with Session(server, tmp_path) as session:
            first = await session.ask("look", call("glob", {"pattern": "*"}), text("Seen."))
            data = session.cells[0]["outputs"][0]["data"]
            next(iter(data.values()))["provider"] = "elsewhere"
            return first, await session.ask("and?", refuse=wants_reasoning)

    _, turn = asyncio.run(talk())

    assert turn["status"] == "done"
    answers = [m for m in server.requests[-1]["messages"] if m["role"] == "assistant"]
    assert {m["reasoning_content"] for m in answers} == {""}


def test_a_server_that_takes_no_reasoning_back_is_sent_none(server, tmp_path):
    def refuse(request):
        if "reasoning_content" in json.dumps(request):
            return "'messages.2' : for 'role:assistant' property 'reasoning_content' is unsupported"
        return None

    async def talk():
        async with Session(server, tmp_path, config="keep_reasoning = true\n") as session:
            return [
                await session.ask("look", thought_call("Hm."), text("Seen."), refuse=refuse),
                await session.ask("and?", refuse=refuse),
            ]

    turns = asyncio.run(talk())

    assert [turn["status"] for turn in turns] == ["done", "done"]
    assert [len(notices(turn)) for turn in turns] == [1, 0]
    assert "keep_reasoning" in notices(turns[0])[0]


def conversation(request: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the input items of a request, or its messages in the form of chat."""
    if "input" in request:
        return request["input"]
    is_anthropic = api_of(request) == "anthropic"
    return messages_as_chat(request) if is_anthropic else request["messages"]


def call_ids(request: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the ids of calls and results of a request, in pairs."""
    if "input" in request:
        calls = [i["call_id"] for i in request["input"] if i.get("type") == "function_call"]
        results = [
            i["call_id"] for i in request["input"] if i.get("type") == "function_call_output"
        ]
    else:
        messages = conversation(request)
        calls = [c["id"] for m in messages for c in m.get("tool_calls", ())]
        results = [m["tool_call_id"] for m in messages if m["role"] == "tool"]
    return list(zip(calls, results, strict=True))


@over_all
def test_ids_that_repeat_are_made_unique_call_and_result_together(server, tmp_path, api):
    async def talk():
        async with Session(server, tmp_path, api) as session:
            for prompt in "abc":
                await session.ask(
                    prompt,
                    call("glob", {"pattern": prompt}, "glob:0"),
                    call("glob", {"pattern": prompt * 2}, "glob:0"),
                    text("ok"),
                )

    asyncio.run(talk())

    assert all(request.get("messages") or request["input"] for request in server.requests)
    last = call_ids(server.requests[-1])
    assert [first == second for first, second in last] == [True] * 6
    assert len({*last}) == 6
    # Anthropic's API takes no colon.
    assert last[0][0] == "glob:0" or api == "anthropic"
    sent = [*map(conversation, server.requests)]
    for before, after in pairwise(sent):
        assert after[: len(before)] == before


def test_mistral_takes_ids_that_repeat_too(server, tmp_path):
    def refuse(request):
        wrong = [one for one, _ in call_ids(request) if len(one) != 9 or not one.isalnum()]
        again = len(call_ids(request)) > len({*call_ids(request)})
        if again:
            return "tool call ids must be unique"
        return (
            f"Tool call id was {wrong[0]} but must be a-z, A-Z, 0-9, with a length of 9."
            if wrong
            else None
        )

    async def talk():
        async with Session(server, tmp_path) as session:
            for prompt in "ab":
                turn = await session.ask(
                    prompt, call("glob", {"pattern": prompt}, "glob:0"), text("ok"), refuse=refuse
                )
        return turn

    assert asyncio.run(talk())["status"] == "done"
    assert len({*call_ids(server.requests[-1])}) == 2


def png(width: int) -> str:
    rows = b"".join(b"\0" + b"\x80\x40\x20" * width for _ in range(8))
    pieces = [
        (b"IHDR", struct.pack(">IIBBBBB", width, 8, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    ]
    data = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in pieces
    )
    return "data:image/png;base64," + base64.b64encode(data).decode()


def image_urls(request: dict[str, Any]) -> list[str]:
    found = []
    for message in conversation(request):
        content = message.get("content")
        for part in content if isinstance(content, list) else ():
            image = part.get("image_url")
            found += [image["url"] if isinstance(image, dict) else image] if image else []
    return found


@over_all
@pytest.mark.parametrize(
    "words",
    [
        "Invalid image data. Please make sure your image is valid.",
        "You uploaded an unsupported image. Please make sure your image is valid.",
        "messages.{place}.content.1.image.source.base64: image exceeds 5 MB maximum",
    ],
)
def test_a_picture_that_is_refused_is_left_out_alone(server, tmp_path, api, words):
    refused = []

    def refuse(request):
        images = image_urls(request)
        if len(images) < 2:
            return None
        refused.append(images[-1])
        place = len(request.get("messages") or request["input"]) - 1
        return words.format(place=place)

    async def talk():
        async with Session(server, tmp_path, api) as session:
            return [
                await session.ask(f"one ![a]({png(8)})"),
                await session.ask(f"two ![b]({png(9)})", refuse=refuse),
                await session.ask("three", refuse=refuse),
            ]

    turns = asyncio.run(talk())

    assert [turn["status"] for turn in turns] == ["done"] * 3
    assert [len(notices(turn)) for turn in turns] == [0, 1, 0]
    assert len(refused) == 1
    assert all(
        len(image_urls(r)) == 1 and refused[0] not in image_urls(r) for r in server.requests[-2:]
    )
    last = json.dumps(server.requests[-1])
    assert IMAGE in last
    assert "two " in last


def test_a_server_that_takes_few_images_gets_the_newest(server, tmp_path):
    def refuse(request):
        count = len(image_urls(request))
        return f"Too many images: {count}. At most 2 images are allowed." if count > 2 else None

    async def talk():
        async with Session(server, tmp_path) as session:
            return [await session.ask(f"![a]({png(8 + n)})", refuse=refuse) for n in range(5)]

    turns = asyncio.run(talk())

    assert [turn["status"] for turn in turns] == ["done"] * 5
    assert [len(notices(turn)) for turn in turns] == [0, 0, 1, 0, 0]
    assert len(server.requests) == 6


def test_a_server_that_wants_roles_to_alternate_gets_merged_messages(server, tmp_path):
    def refuse(request):
        roles = [message["role"] for message in request["messages"]]
        if any(one == other for one, other in pairwise(roles)):
            return "Conversation roles must alternate user/assistant/user/assistant/..."
        return None

    async def talk():
        async with Session(server, tmp_path) as session:
            session.cells.append(
                {"id": "n", "cell_type": "markdown", "source": "A note.", "metadata": {}}
            )
            await session.ask("first")
            session.cells.append(
                {"id": "o", "cell_type": "markdown", "source": "Another.", "metadata": {}}
            )
            return await session.ask("hi", refuse=refuse)

    turn = asyncio.run(talk())

    assert turn["status"] == "done"
    assert "alternate = true in [providers.ours]" in notices(turn)[0]
