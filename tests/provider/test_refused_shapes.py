"""Servers that refuse the shape of messages: calls of another model, roles, contents."""

from __future__ import annotations

import pytest
from refused import TOOL, error, refusal

from msgbook.messages import assistant, system, tool_call, tool_result, user
from msgbook.provider import Request
from msgbook.provider.request_quirks import find_adaptations, reduce_streaming

CALLED = Request(
    "m",
    [
        system("be brief"),
        user("look"),
        assistant(None, [tool_call("c1", "glob", '{"pattern": "*"}')]),
        tool_result("c1", "a.txt"),
    ],
    [TOOL],
)


def adapted(message: str, request: Request = CALLED, status: int = 400) -> list[Request]:
    """Return the request as each adaptation would change it."""
    said = refusal(status, error(message))
    return [found.change(request) for found in find_adaptations(said, request)]


_MISSED = "is missing a thought_signature in functionCall parts. This is required for tools to work correctly."
SIGNATURES = [
    f"Function call {_MISSED} Additional data, function call `default_api:glob` , position 2.",
    "Unable to submit request because function call `glob` in the 2. content block is missing a `thought_signature`.",
    "Thought signature is not valid",
]


@pytest.mark.parametrize("message", SIGNATURES)
def test_calls_of_another_model_go_with_the_word_for_a_missing_signature_else_as_text(message):
    signed, told = adapted(message)

    (call,) = signed.messages[2]["tool_calls"]
    word = {"google": {"thought_signature": "skip_thought_signature_validator"}}
    assert call == CALLED.messages[2]["tool_calls"][0] | {"extra_content": word}
    assert signed.messages[3] == CALLED.messages[3]
    assert told.messages[2:] == [
        assistant('[call of glob: {"pattern": "*"}]'),
        user("[result of glob]\na.txt"),
    ]
    assert told.tools == [TOOL]


def test_calls_that_gemini_signed_keep_its_signature():
    own = tool_call("g", "glob", "{}") | {"extra_content": {"google": {"thought_signature": "S"}}}
    calls = assistant(None, [own, tool_call("g2", "glob", "{}")])
    request = Request("m", [*CALLED.messages, calls, tool_result("g", "1"), tool_result("g2", "2")])

    signed = adapted(SIGNATURES[0], request)[0]

    assert signed.messages[4] == calls
    assert "extra_content" in signed.messages[2]["tool_calls"][0]


@pytest.mark.parametrize(
    "message",
    [
        "Unexpected message role: tool",
        "Invalid role 'tool'",
        "messages.2.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
    ],
)
def test_calls_and_results_go_as_text(message):
    (told,) = adapted(message)

    assert [m["role"] for m in told.messages] == ["system", "user", "assistant", "user"]


@pytest.mark.parametrize(
    "message",
    [
        "System role not supported",
        "Unexpected role 'system' after role 'user'",
        "Developer instruction is not enabled for models/gemma-3-27b-it",
        "This model does not support system messages",
    ],
)
def test_a_system_prompt_that_is_refused_is_the_beginning_of_the_users_message(message):
    (changed,) = adapted(message)

    assert [m["role"] for m in changed.messages] == ["user", "assistant", "tool"]
    assert "be brief" in str(changed.messages[0])
    assert "look" in str(changed.messages[0])


@pytest.mark.parametrize(
    "message",
    [
        "messages.2: all messages must have non-empty content except for the optional final assistant message",
        "messages[2].content: Input should be a valid string, got null",
        "Invalid value for 'content': expected a string, got null.",
        "messages[2]: content must not be empty",
        "Invalid request: message at position 2 with role 'assistant' must not be empty",
        "messages: text content blocks must contain non-whitespace text",
        "Unable to submit request because it must have a text parameter. Add a text parameter and try again.",
        "输入不能为空",
    ],
)
def test_a_content_that_may_not_be_empty_is_a_word(message):
    changed = adapted(message)[0]

    assert changed.messages[2] == {**CALLED.messages[2], "content": "[empty]"}
    assert changed.messages[3] == CALLED.messages[3]


def test_a_content_of_blanks_in_parts_is_empty_too():
    blank = user([{"type": "text", "text": " "}])

    (changed,) = adapted("messages: text content blocks must be non-empty", Request("m", [blank]))

    assert changed.messages == [user("[empty]")]


@pytest.mark.parametrize(
    "message",
    [
        "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
        "Requests which include `tool_use` or `tool_result` blocks must define tools",
        "Anthropic expects the `tools=` param in order to properly process tool calls",
    ],
)
def test_calls_without_their_tools_go_as_text_where_a_server_wants_both(message):
    (told,) = adapted(message, Request("m", CALLED.messages))

    assert [m["role"] for m in told.messages] == ["system", "user", "assistant", "user"]
    assert adapted(message) == []


def test_a_message_right_after_a_result_has_a_word_before_it_where_a_server_wants_one():
    request = Request("m", [*CALLED.messages, user("and now?")], [TOOL])

    changed = adapted("Unexpected role 'user' after role 'tool'", request)[0]

    assert changed.messages == [*CALLED.messages, assistant("[empty]"), user("and now?")]


def test_a_conversation_that_an_answer_begins_has_a_word_before_it_where_a_server_wants_one():
    request = Request("m", [system("s"), assistant("hello"), user("hi")])

    changed = adapted('messages: first message must use the "user" role', request)[0]

    assert changed.messages == [system("s"), user("[empty]"), assistant("hello"), user("hi")]


@pytest.mark.parametrize(
    "message",
    [
        "After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s).",
        "Messages must alternate between user and assistant",
    ],
)
def test_neighbours_of_one_role_are_merged_in_any_words_for_it(message):
    (changed,) = adapted(message, Request("m", [user("a"), user("b")]))

    assert changed.messages == [user("a\n\nb")]


STREAMING = {"stream": True, "stream_options": {"include_usage": True}}


@pytest.mark.parametrize(
    ("status", "message", "streaming", "expected"),
    [
        (500, "stream_options is not supported", STREAMING, {"stream": True}),
        (501, "Unknown parameter: stream_options", STREAMING, {"stream": True}),
        (501, "Streaming is not supported with tools", STREAMING, {"stream": False}),
        (404, "Streaming is not supported with tools", {"stream": True}, {"stream": False}),
        (400, "Streaming is not supported", {"stream": True}, {"stream": False}),
        (500, "the stream was closed by the worker", STREAMING, None),
        (404, "Streaming is not supported with tools", {"stream": False}, None),
        (400, "include_usage is not supported", STREAMING, {"stream": True}),
    ],
)
def test_streaming_that_is_refused_with_any_status_is_not_asked_for(
    status, message, streaming, expected
):
    assert reduce_streaming(streaming, refusal(status, error(message))) == expected
