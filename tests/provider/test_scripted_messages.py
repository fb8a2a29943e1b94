"""The scripted server speaks Anthropic's API as Anthropic does: its own client understands each event."""

from __future__ import annotations

import asyncio
import json
from typing import Any, get_args

import httpx2
import pytest
from messages_as_chat import messages_as_chat
from messages_billing import PromptCache
from messages_bodies import as_message
from messages_events import MessageEvents
from messages_refused import RefusedError
from messages_requests import KEYS, NEWER, OLDER, check_messages
from messages_sealed import sealed, signature_of
from messages_stream import MessageStream, sse
from pydantic import TypeAdapter
from scripted_server import Answer, ScriptedServer, call, delta, error, finish, text

anthropic = pytest.importorskip("anthropic")

REQUEST = {"model": "m", "max_tokens": 2000, "messages": [{"role": "user", "content": "hi"}]}
ASKED = {"role": "user", "content": "hi"}
CALL = {"type": "tool_use", "id": "c1", "name": "read", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": "found"}
TOOL = {"name": "read", "input_schema": {"type": "object", "properties": {}}}
THINKS = {"type": "enabled", "budget_tokens": 1024}
THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": signature_of("m", "Hm.")}
HIDDEN = {"type": "redacted_thinking", "data": sealed("m", "secret")}
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
FOUND = {
    "type": "web_search_result",
    "url": "http://x",
    "title": "X",
    "encrypted_content": sealed("", "x"),
}
SEARCHED = {
    "type": "web_search_tool_result",
    "tool_use_id": "srvtoolu_1",
    "content": [FOUND],
}
MARK = {"cache_control": {"type": "ephemeral"}}
CITED = {"type": "url_citation", "url": "http://x", "title": "X", "start_index": 0, "end_index": 1}


def said(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def told(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def words(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": text, **more}


def image(data: str, kind: str = "image/png") -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}


def events(answer: Answer) -> list[dict[str, Any]]:
    made = MessageEvents(REQUEST, 1)
    found = list(made.begin())
    for chunk in answer.chunks:
        found += made.feed(chunk)
    return [*found, *made.end(answer.done)]


ANSWERS = [
    text("It is 42.", reasoning="Let me see."),
    call("read", {"path": "."}),
    Answer([delta(redacted_thinking="secret"), *call("read", {}).chunks]),
    Answer([delta(refusal="I "), delta(refusal="will not."), finish()]),
    Answer([delta(content="long"), finish("length")]),
    Answer([delta(content="cited", annotations=[CITED]), finish()]),
]


def with_usage(event: dict[str, Any]) -> dict[str, Any]:
    """An event of a server that reports no usage, with one: the SDK's types demand it."""
    usage = {"input_tokens": 1, "output_tokens": 1}
    if event["type"] == "message_start":
        return {**event, "message": {"usage": usage, **event["message"]}}
    return {"usage": usage, **event} if event["type"] == "message_delta" else event


@pytest.mark.parametrize("answer", ANSWERS)
def test_each_event_has_the_type_that_the_sdk_gives_it(answer):
    kinds = TypeAdapter(anthropic.types.RawMessageStreamEvent)
    made = [event for event in events(answer) if event["type"] != "ping"]

    for event in made:
        kinds.validate_python(with_usage(event))
    assert made[-1]["type"] == "message_stop"


def test_a_request_may_have_the_keys_that_the_sdk_knows():
    streaming = get_args(anthropic.types.MessageCreateParams)[1]
    known = streaming.__annotations__.keys() - {"workspace_id"}  # a header

    assert known <= KEYS
    assert KEYS - known == {"temperature", "top_k", "top_p"}


@pytest.mark.parametrize(
    ("answer", "last"),
    [
        (Answer([delta(content="half")], done=False), "content_block_delta"),
        (Answer([delta(content="all")]), "message_stop"),
        (Answer([delta(content="all"), finish()], done=False), "message_stop"),
        (Answer([{"error": {"message": "overloaded"}}]), "error"),
    ],
)
def test_the_end_of_an_answer_is_that_of_its_chunks(answer, last):
    assert events(answer)[-1]["type"] == last


def ask(server: ScriptedServer, **body: Any) -> Any:
    """The answer as the SDK puts it together; keys that it does not know are sent as they are."""
    server.bills = True  # the SDK adds up usage alone

    async def asked() -> Any:
        url = server.url.removesuffix("/v1")
        http = httpx2.AsyncClient(verify=False)
        async with anthropic.AsyncAnthropic(
            api_key="k", base_url=url, max_retries=0, http_client=http
        ) as client:
            whole = {**REQUEST, **body}
            known = ("model", "max_tokens", "messages")
            kept = {key: whole[key] for key in known}
            rest = {key: value for key, value in whole.items() if key not in known}
            async with client.messages.stream(**kept, extra_body=rest) as stream:
                return await stream.get_final_message()

    return asyncio.run(asked())


def test_the_sdk_reads_a_streamed_answer(server):
    server.answers = [text("It is 42.", reasoning="Hm."), call("read", {"path": "."}, "call_7")]

    answer, called = ask(server), ask(server)

    thought, told = answer.content
    assert (thought.thinking, told.text) == ("Hm.", "It is 42.")
    assert thought.signature == signature_of("m", "Hm.")
    (made,) = called.content
    assert (made.id, made.name, made.input) == ("call_7", "read", {"path": "."})
    assert (answer.stop_reason, called.stop_reason) == ("end_turn", "tool_use")
    assert answer.usage.input_tokens > 0
    assert server.paths == ["/messages"] * 2


@pytest.mark.parametrize(
    ("status", "kind"),
    [(529, "overloaded_error"), (429, "rate_limit_error"), (500, "api_error")],
)
def test_an_error_has_anthropics_shape(server, status, kind):
    server.answers = [error(status, "busy")]

    with pytest.raises(anthropic.APIStatusError, match="busy") as caught:
        ask(server)

    assert caught.value.body["error"] == {"type": kind, "message": "busy"}


def test_a_whole_body_of_chat_is_translated_and_all_else_is_not():
    message = {"role": "assistant", "content": "All at once."}
    whole = {"choices": [{"index": 0, "message": message, "finish_reason": "length"}]}

    answer = json.loads(as_message(json.dumps(whole), REQUEST))
    streamed = as_message('data: {"choices": []}\n\ndata: {oops\n\n', REQUEST)

    assert answer["content"] == [{"type": "text", "text": "All at once."}]
    assert answer["stop_reason"] == "max_tokens"
    assert streamed.endswith("data: {oops\n\n")
    assert as_message("<html>", REQUEST) == "<html>"
    assert as_message("event: ping\ndata: {}\n\n", REQUEST) == "event: ping\ndata: {}\n\n"


def test_the_models_are_a_list_as_anthropic_has_it(server):
    url = server.url.removesuffix("/v1")
    with anthropic.Anthropic(api_key="k", base_url=url) as client:
        assert [model.id for model in client.models.list()] == ["scripted"]


VALID = [
    [ASKED, said(words("a"), CALL), told(RESULT), said(words("b")), ASKED],
    [ASKED, said(CALL), told(RESULT), ASKED, ASKED],
    [ASKED, said(THOUGHT, HIDDEN, CALL), told({**RESULT, "is_error": True})],
    [ASKED, said(SEARCH, SEARCHED, words("found")), ASKED],
    [ASKED, said(words("I look. "), SEARCH)],
    [told(image("iVBORw0KGgo="), words("what is it?", **MARK))],
    [ASKED, said(CALL), told({**RESULT, "content": [image("AAAA")]}, words("and?"))],
]


@pytest.mark.parametrize("messages", VALID)
def test_a_request_that_anthropic_takes_is_taken(messages):
    check_messages({**REQUEST, "messages": messages})


INVALID = [
    ({"seed": 1}, "seed: Extra inputs are not permitted"),
    ({"max_tokens": 0}, "greater than or equal to 1"),
    ({"max_tokens": 64_001, "model": OLDER}, "maximum allowed number of output tokens"),
    ({"temperature": 1.5}, "range: 0..1"),
    ({"temperature": 0.5, "top_p": 0.5}, "cannot both be specified"),
    ({"temperature": 1, "model": NEWER}, "deprecated for this model"),
    ({"temperature": 0.5, "thinking": THINKS}, "only be set to 1"),
    ({"thinking": {**THINKS, "budget_tokens": 1023}}, "than or equal to 1024"),
    ({"thinking": {**THINKS, "budget_tokens": 2000}}, "greater than `thinking.budget_tokens`"),
    ({"thinking": THINKS, "model": NEWER}, '"thinking.type.enabled" is not supported'),
    ({"thinking": {"type": "adaptive"}, "model": OLDER}, "adaptive thinking is not supported"),
    ({"output_config": {"effort": "high"}, "model": OLDER}, "the effort parameter"),
    ({"stop_sequences": [" "]}, "non-whitespace"),
    ({"system": [words("")]}, "text content blocks must be non-empty"),
    ({"system": [words("a", **MARK)] * 5}, "maximum of 4 blocks with cache_control"),
    ({"tools": [{**TOOL, "name": "a.b"}]}, "should match pattern"),
    ({"tools": [{**TOOL, "name": "n" * 129}]}, "should match pattern"),
    ({"tools": [TOOL, TOOL]}, "must be unique"),
    ({"tools": [{"name": "read", "parameters": {}}]}, "input_schema: Field required"),
    ({"tools": [{**TOOL, "input_schema": {}}]}, "should be 'object'"),
    ({"tools": [{"type": "function", "function": TOOL}]}, "Input tag 'function'"),
    ({"tools": [{"type": "web_search_2024", "name": "web_search"}]}, "Input tag"),
    ({"tool_choice": {"type": "auto"}}, "while providing tools"),
    ({"messages": []}, "at least one message"),
    ({"messages": [{"role": "system", "content": "x"}]}, 'Unexpected role "system"'),
    ({"messages": [{"role": "tool", "content": "x"}]}, 'Unexpected role "tool"'),
    ({"messages": [said(words("a")), ASKED]}, 'must use the "user" role'),
    ({"messages": [{**ASKED, "name": "x"}]}, "Extra inputs"),
    ({"messages": [{**ASKED, "content": ""}]}, "non-empty content"),
    ({"messages": [told(words(""))]}, "must be non-empty"),
    ({"messages": [told(words("\n "))]}, "non-whitespace"),
    ({"messages": [told({"type": "image_url"})]}, "Input tag 'image_url'"),
    ({"messages": [told(image("AAAA", "image/bmp"))]}, "Input should be 'image/jpeg'"),
    ({"messages": [told(image("iVBORw0KGgo=", "image/gif"))]}, "appears to be a image/png"),
    ({"messages": [told(image("?"))]}, "Invalid base64"),
    ({"messages": [told(image("AAAA" * 2**21))]}, "exceeds 5 MB"),
    ({"messages": [told(CALL)]}, "only be in `assistant` messages"),
    ({"messages": [ASKED, said(RESULT)]}, "only be in `user` messages"),
    ({"messages": [ASKED, said(CALL)]}, "without `tool_result` blocks immediately after: c1"),
    ({"messages": [ASKED, said(CALL), ASKED]}, "without `tool_result` blocks"),
    ({"messages": [ASKED, said(CALL), told(words("a"), RESULT)]}, "without `tool_result` blocks"),
    ({"messages": [ASKED, said(CALL, words("a")), told(RESULT)]}, "without `tool_result` blocks"),
    ({"messages": [told(RESULT)]}, "unexpected `tool_use_id`"),
    ({"messages": [ASKED, said(CALL), told(RESULT, RESULT)]}, "must have a single result"),
    ({"messages": [ASKED, said(CALL, CALL), told(RESULT)]}, "ids must be unique"),
    ({"messages": [ASKED, *[said(CALL), told(RESULT)] * 2]}, "ids must be unique"),
    ({"messages": [ASKED, said({**CALL, "id": "a.b"}), told(RESULT)]}, "should match pattern"),
    ({"messages": [ASKED, said({**CALL, "input": "{}"}), told(RESULT)]}, "valid dictionary"),
    ({"messages": [ASKED, said({**CALL, "name": "a.b"}), told(RESULT)]}, "should match pattern"),
    ({"messages": [ASKED, said({**THOUGHT, "thinking": "H"}), ASKED]}, "Invalid `signature`"),
    ({"messages": [ASKED, said(THOUGHT), ASKED], "model": OLDER}, "Invalid `signature`"),
    ({"messages": [ASKED, said({**HIDDEN, "data": "x"}), ASKED]}, "Invalid `data`"),
    ({"messages": [ASKED, said({**THOUGHT, **MARK}), ASKED]}, "Extra inputs"),
    ({"messages": [ASKED, said(words("a"), THOUGHT), ASKED]}, "Expected `thinking`"),
    ({"messages": [ASKED, said(CALL), told(RESULT)], "thinking": THINKS}, "Expected `thinking`"),
    (
        {"messages": [ASKED, said(SEARCH), ASKED]},
        "without a corresponding `web_search_tool_result`",
    ),
    ({"messages": [ASKED, said(SEARCHED), ASKED]}, "`server_tool_use` block before it"),
    ({"messages": [ASKED, said({**SEARCH, "id": "c1"}, SEARCHED), ASKED]}, "match pattern"),
    ({"messages": [ASKED, said(words("a "))]}, "trailing whitespace"),
    ({"messages": [ASKED, said(words("a"))], "model": NEWER}, "message prefill"),
    ({"messages": [told(words("x" * 900_000))], "model": OLDER}, "prompt is too long"),
]


@pytest.mark.parametrize(("body", "told"), INVALID)
def test_a_request_that_anthropic_refuses_is_refused_in_its_words(body, told):
    with pytest.raises(RefusedError) as caught:
        check_messages({**REQUEST, **body})

    assert told in str(caught.value)


def test_a_refusal_has_anthropics_shape_and_fails_the_test():
    with (
        pytest.raises(AssertionError, match="trailing whitespace"),
        ScriptedServer() as server,
        pytest.raises(anthropic.BadRequestError) as caught,
    ):
        ask(server, messages=[ASKED, said(words("a "))])

    assert caught.value.body["error"]["type"] == "invalid_request_error"


def test_a_request_that_is_too_large_is_another_error():
    with pytest.raises(RefusedError) as caught:
        check_messages({**REQUEST, "messages": [told(words("x" * 2**25))]})

    assert caught.value.status == 413
    assert caught.value.body()["error"]["type"] == "request_too_large"


@pytest.mark.parametrize(
    ("headers", "status", "told"),
    [({}, 400, "anthropic-version"), ({"anthropic-version": "2023-06-01"}, 401, "x-api-key")],
)
def test_without_a_version_or_a_key_nothing_is_answered(server, headers, status, told):
    answer = httpx2.post(f"{server.url}/messages", json=REQUEST, headers=headers)

    assert answer.status_code == status
    assert told in answer.json()["error"]["message"]
    server.refused.clear()


def billed(*bodies: dict[str, Any]) -> list[tuple[int, int]]:
    """Tokens that are written and read by requests to one server."""
    cache = PromptCache()
    costs = [cache.bill({**REQUEST, **body}) for body in bodies]
    keys = ("cache_creation_input_tokens", "cache_read_input_tokens")
    return [(cost[keys[0]], cost[keys[1]]) for cost in costs]


def test_what_is_marked_is_written_once_and_read_then():
    long = words("word " * 2000, **MARK)
    short = words("word " * 100, **MARK)

    nothing, first, second, third, other = billed(
        {"system": [short]},
        {"system": [long]},
        {"system": [long], "messages": [ASKED, said(words("a")), told(words("b", **MARK))]},
        {"system": [long], "messages": [told(words("other"))]},
        {"system": [long], "model": "other"},
    )

    assert nothing == (0, 0)
    assert first == other == (first[0], 0)
    assert first[0] > 2000
    assert second[1] == third[1] == first[0]
    assert 0 < second[0] < 100
    assert third[0] == 0


def test_a_mark_looks_back_twenty_blocks():
    blocks = [words("word " * 1000)] + [words(f"block {n}") for n in range(40)]
    marked = [{**blocks[4], **MARK}, {**blocks[24], **MARK}, {**blocks[25], **MARK}]

    _, far, near = billed(
        {"messages": [told(*blocks[:4], marked[0])]},
        {"messages": [told(*blocks[:25], marked[2])]},
        {"messages": [told(*blocks[:24], marked[1])]},
    )

    assert far[1] == 0
    assert near[1] > 1000


def test_an_answer_of_a_server_that_bills_says_what_it_cost(server):
    server.answers = [text("fine")]
    long = {"system": [words("word " * 2000, **MARK)]}

    first, second = ask(server, **long).usage, ask(server, **long).usage

    assert first.cache_creation_input_tokens == second.cache_read_input_tokens > 2000
    assert first.cache_creation.ephemeral_5m_input_tokens == first.cache_creation_input_tokens
    assert first.input_tokens == second.input_tokens
    assert first.output_tokens == second.output_tokens > 1
    assert [cost["output_tokens"] for cost in server.billed] == [first.output_tokens] * 2


def test_a_request_is_the_same_conversation_in_the_form_of_chat():
    body = {**REQUEST, "system": [words("Be brief."), words("Please.")]}
    body["messages"] = [
        told(words("hi"), words("there")),
        said(THOUGHT, words("I look."), CALL),
        told(RESULT, words("and?")),
        said(words("Done.")),
    ]

    found = messages_as_chat(body)

    assert [(m["role"], m["content"]) for m in found] == [
        ("system", "Be brief.\n\nPlease."),
        ("user", "hi"),
        ("user", "there"),
        ("assistant", "I look."),
        ("tool", "found"),
        ("user", "and?"),
        ("assistant", "Done."),
    ]
    assert found[3]["tool_calls"][0]["function"]["arguments"] == "{}"


def test_an_answer_can_be_written_block_by_block():
    stream = MessageStream("m", 3, {"input_tokens": 5})
    made = [*stream.begin(), *stream.redacted("secret")]
    made += [
        *stream.call("web_search", kind="server_tool_use"),
        *stream.arguments('{"query": "x"}'),
    ]
    made += [*stream.start({**SEARCHED, "tool_use_id": "srvtoolu_x"}), *stream.text("found")]
    made += stream.end("pause_turn", {"output_tokens": 9})

    assert [block["type"] for block in stream.content] == [
        "redacted_thinking",
        "server_tool_use",
        "web_search_tool_result",
        "text",
    ]
    assert stream.content[1]["input"] == {"query": "x"}
    assert sse(made).decode().count("event: content_block_start\n") == 4
