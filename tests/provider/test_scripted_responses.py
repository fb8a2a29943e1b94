"""The scripted server speaks the Responses API as OpenAI does: its own client understands each event."""

from __future__ import annotations

import asyncio
import json
from typing import Any, get_args

import httpx2
import openai
import pytest
from openai.types.responses import ResponseStreamEvent
from responses_as_chat import chat_messages
from responses_bodies import as_response
from responses_events import ResponseEvents
from responses_output import encrypted
from scripted_server import Answer, ScriptedServer, call, delta, error, finish, text

KINDS: dict[str, Any] = {
    kind.model_fields["type"].annotation.__args__[0]: kind
    for kind in get_args(get_args(ResponseStreamEvent)[0])
}
"""The SDK's class for each type of event."""
REQUEST = {"model": "m", "input": [{"role": "user", "content": "hi"}], "store": False}
CALL = {"type": "function_call", "call_id": "c1", "name": "read", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "found"}
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"}


def events(answer: Answer) -> list[dict[str, Any]]:
    made = ResponseEvents(REQUEST, 1)
    found = list(made.begin())
    for chunk in answer.chunks:
        found += made.feed(chunk)
    return [*found, *made.end(answer.done)]


def kinds(answer: Answer) -> list[str]:
    return [event["type"].removeprefix("response.") for event in events(answer)]


CITED = {"type": "url_citation", "url": "http://x", "title": "X", "start_index": 0, "end_index": 1}
ANSWERS = [
    text("It is 42.", reasoning="Let me see."),
    call("read", {"path": "."}),
    Answer([delta(refusal="I "), delta(refusal="will not."), finish()]),
    Answer([delta(content="long"), finish("length")]),
    Answer([delta(content="so"), {"error": {"message": "overloaded", "code": "server_error"}}]),
    Answer([delta(content="cited", annotations=[CITED]), finish()]),
]


@pytest.mark.parametrize("answer", ANSWERS)
def test_each_event_has_the_type_that_the_sdk_gives_it(answer):
    made = events(answer)

    for event in made:
        KINDS[event["type"]].model_validate(event)
    assert [event["sequence_number"] for event in made] == list(range(len(made)))


def test_an_answer_of_reasoning_and_words_is_two_items():
    made = events(text("It is.", reasoning="Hm."))

    thought, said = made[-1]["response"]["output"]
    assert (thought["id"][:3], said["id"][:4]) == ("rs_", "msg_")
    assert thought["encrypted_content"] == encrypted("Hm.")
    assert thought["summary"] == [{"type": "summary_text", "text": "Hm."}]
    assert said["content"][0]["text"] == "It is."
    assert made[-1]["response"]["usage"]["input_tokens"] == 11


@pytest.mark.parametrize(
    ("answer", "last"),
    [
        (Answer([delta(content="half")], done=False), "output_text.delta"),
        (Answer([delta(content="all")]), "completed"),
        (Answer([delta(content="all"), finish()], done=False), "completed"),
        (Answer([delta(content="long"), finish("length")]), "incomplete"),
        (Answer([{"error": {"message": "overloaded"}}]), "error"),
        (Answer([{"error": {"message": "overloaded", "code": "server_error"}}]), "failed"),
    ],
)
def test_the_end_of_an_answer_is_that_of_its_chunks(answer, last):
    assert kinds(answer)[-1] == last


def ask(server: ScriptedServer, **body: Any) -> Any:
    """The answer as the SDK puts it together."""

    async def asked() -> Any:
        async with openai.AsyncOpenAI(
            api_key="k", base_url=server.url, max_retries=0, http_client=httpx2.AsyncClient()
        ) as client:
            stream = await client.responses.create(**{**REQUEST, **body}, stream=True)
            return [event async for event in stream][-1].response

    return asyncio.run(asked())


def test_the_sdk_reads_a_streamed_answer(server):
    server.answers = [text("It is 42."), call("read", {"path": "."}, "call_7")]

    said, called = ask(server), ask(server)

    assert said.output_text == "It is 42."
    made = called.output[0]
    assert (made.call_id, made.name, json.loads(made.arguments)) == (
        "call_7",
        "read",
        {"path": "."},
    )
    assert server.paths == ["/responses"] * 2


def test_an_error_is_the_same_over_all_apis(server):
    server.answers = [error(503, "busy")]

    with pytest.raises(openai.InternalServerError, match="busy"):
        ask(server)


def test_a_whole_body_of_chat_is_translated_and_all_else_is_not():
    message = {"role": "assistant", "content": "All at once."}
    whole = {"choices": [{"index": 0, "message": message, "finish_reason": "length"}]}

    response = json.loads(as_response(json.dumps(whole), REQUEST))
    streamed = as_response('data: {"choices": []}\n\ndata: {oops\n\n', REQUEST)

    assert response["output"][0]["content"][0]["text"] == "All at once."
    assert response["incomplete_details"] == {"reason": "max_output_tokens"}
    assert streamed.endswith("data: {oops\n\n")
    assert as_response("<html>", REQUEST) == "<html>"


def test_a_server_may_lack_an_api(server):
    server.routes = ("/chat/completions",)

    with pytest.raises(openai.NotFoundError):
        ask(server)


INVALID = [
    ({"messages": []}, "Unknown parameter: 'messages'"),
    ({"reasoning_effort": "low"}, "Unknown parameter: 'reasoning_effort'"),
    ({"store": True}, "'store' has to be false"),
    ({"previous_response_id": "resp_1"}, "makes the server the memory"),
    ({"stream_options": {"include_usage": True}}, "stream_options.include_usage"),
    ({"tools": [{"type": "function", "function": {"name": "f"}}]}, "'tools[0].name'"),
    ({"input": [{"role": "tool", "content": "x"}]}, "Invalid value: 'tool'"),
    ({"input": [{"role": "user", "content": ""}]}, "has no content"),
    ({"input": [{"role": "user", "content": [{"type": "text", "text": "x"}]}]}, "'text'"),
    ({"input": [{"role": "assistant", "content": "x", "reasoning_content": "y"}]}, "reasoning_c"),
    ({"input": [{"type": "other"}]}, "Invalid value: 'other'"),
    ({"input": [CALL]}, "No tool output found for function call c1"),
    ({"input": [OUTPUT]}, "No tool call found"),
    ({"input": [OUTPUT, CALL]}, "No tool call found"),
    ({"input": [CALL, OUTPUT, OUTPUT]}, "No tool call found"),
    ({"input": [CALL, CALL, OUTPUT]}, "Two calls at once"),
    ({"input": [CALL, {"role": "user", "content": "x"}, OUTPUT]}, "No tool output"),
    ({"input": [{**CALL, "call_id": "c" * 65}, OUTPUT]}, "string too long"),
    ({"input": [{**CALL, "id": "call_1"}, OUTPUT]}, "begins with 'fc'"),
    ({"input": [{**CALL, "arguments": "[]"}, OUTPUT]}, "expected a JSON object"),
    ({"input": [{**CALL, "name": "a.b"}, OUTPUT]}, "does not match pattern"),
    ({"input": [THOUGHT]}, "without its required following item"),
    ({"input": [THOUGHT, {"role": "user", "content": "x"}]}, "required following item"),
    ({"input": [{**THOUGHT, "encrypted_content": None}, CALL, OUTPUT]}, "not found"),
    ({"input": [THOUGHT, THOUGHT, CALL, OUTPUT]}, "Duplicate item"),
]


@pytest.mark.parametrize(("body", "words"), INVALID)
def test_a_request_that_openai_refuses_is_refused_in_its_shape(server, body, words):
    server.answers = [text("never")]

    with pytest.raises(openai.BadRequestError) as caught:
        ask(server, **({"extra_body": body} if "input" not in body else body))

    assert words in caught.value.body["message"]
    assert caught.value.body["type"] == "invalid_request_error"
    assert len(server.refused) == 1
    server.refused.clear()


def test_a_test_fails_that_sends_an_invalid_request():
    with (
        pytest.raises(AssertionError, match="No tool output"),
        ScriptedServer() as server,
        pytest.raises(openai.BadRequestError),
    ):
        ask(server, input=[CALL])


def test_a_request_is_the_same_conversation_in_the_form_of_chat():
    said = {"role": "assistant", "content": [{"type": "output_text", "text": "I look."}]}
    body = {**REQUEST, "instructions": "Be brief."}
    body["input"] = [*REQUEST["input"], THOUGHT, said, CALL, OUTPUT, {**said, "content": "Done."}]

    assert [(m["role"], m["content"]) for m in chat_messages(body)] == [
        ("system", "Be brief."),
        ("user", "hi"),
        ("assistant", "I look."),
        ("tool", "found"),
        ("assistant", "Done."),
    ]
    assert chat_messages(body)[2]["tool_calls"][0]["id"] == "c1"
