"""The words of more servers, each with what it refuses."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from refused import (
    OPTIONS,
    READ,
    REASONED,
    REASONED_CHAT,
    SEEN,
    TOOL,
    adapted,
    error,
    find_adaptation,
    refusal,
)

from msgbook.messages import assistant, user
from msgbook.provider import Request

CALLED = assistant("") | {
    "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    ]
}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "ok"}
OTHERS = [
    {"type": "function", "function": {"name": f"mcp__cal__{n}", "parameters": {}}} for n in range(5)
]
WITH_CALLS = Request("m", [user("a"), CALLED, RESULT, user("b")], [TOOL, *OTHERS], OPTIONS)


@pytest.mark.parametrize(
    ("status", "body", "request_", "notice"),
    [
        (400, error("At most 3 function declarations are supported"), WITH_CALLS, "no more tools than 3"),
        (400, error("invalid params, tool call result does not follow tool call (2013)"), WITH_CALLS, "sent as text"),
        (400, {"message": "This model only supports single tool-calls at once!"}, WITH_CALLS, "sent as text"),
        (400, {"error": "Error in iterating prediction stream: Error: Unrecognized schema: {\"type\":null}"}, WITH_CALLS, "does not name it"),
        (400, error("messages.1.content.0: Invalid `signature` in `thinking` block"), Request("m", [user("a"), REASONED_CHAT, user("b")]), "no reasoning back"),
        (500, error("Failed to load image or audio file"), Request("m", [SEEN]), "refuses an image"),
        (400, error("图片输入格式/解析错误", code="1210"), Request("m", [SEEN]), "refuses an image"),
        (413, error("image too large"), Request("m", [SEEN]), "refuses an image"),
        (413, error("The attachment exceeds the limit of 10 MB"), Request("m", [READ]), "as documents"),
        (400, error("The PDF specified was not valid."), Request("m", [READ]), "a.pdf"),
        (400, error("Unsupported tool type: function. Supported types are: web_search"), WITH_CALLS, "not support tools"),
        (400, error("unsupported input item type: reasoning"), Request("m", [user("a"), REASONED, user("b")]), "reasoning from earlier steps"),
        (500, error("Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/..."), Request("m", [user("a"), CALLED, RESULT]), "sent as text"),
        (400, error("invalid message format"), Request("m", [READ]), "as documents"),
        (400, {"error": "'content' objects must have a 'type' field that is either 'text' or 'image_url'."}, Request("m", [READ]), "as documents"),
    ],
)  # fmt: skip
def test_a_refusal_in_other_words_is_understood(
    status: int, body: Any, request_: Request, notice: str
) -> None:
    found = find_adaptation(refusal(status, body), request_)

    assert found is not None
    assert notice in found.notice("m", "p")


SEEDED = Request("m", [user("a")], [TOOL], {"seed": 1, "top_k": 3})


def mistral(*loc: Any, msg: str = "Extra inputs are not permitted") -> dict[str, Any]:
    detail = [{"type": "extra_forbidden", "loc": ["body", *loc], "msg": msg, "input": 1}]
    return {"object": "error", "message": {"detail": detail}, "type": "invalid_request_error"}


@pytest.mark.parametrize(
    ("body", "request_", "notice"),
    [
        (mistral("seed"), SEEDED, "refuses seed; random_seed was sent"),
        ({"detail": mistral("seed")["message"]["detail"]}, SEEDED, "refuses seed; random_seed"),
        (error("Unknown field seed, did you mean random_seed?"), SEEDED, "random_seed was sent"),
        (mistral("top_k"), SEEDED, "left out: top_k"),
        ({"message": json.dumps(mistral("top_k"))}, SEEDED, "left out: top_k"),
        (error(f"Error code: 422 - {json.dumps(mistral('top_k'))}"), SEEDED, "left out: top_k"),
        (mistral("tools", 2, "function", "parameters"), WITH_CALLS, "refuses: mcp__cal__1"),
        (mistral("messages", 1, "assistant", "reasoning_content"), Request("m", [user("a"), REASONED_CHAT, user("b")]), "no reasoning back"),
        (mistral("messages", 1, "assistant", "tool_calls", 0, "id", msg="String should match pattern"), WITH_CALLS, "other ids were sent"),
        (error("'tools' : maximum number of items is 3"), WITH_CALLS, "no more tools than 3"),
        (error("'tools': maximum number of items is 3"), WITH_CALLS, "no more tools than 3"),
        (error("tools: List should have at most 3 items after validation, not 6"), WITH_CALLS, "no more tools than 3"),
        (mistral("tools", msg="List should have at most 3 items after validation, not 6"), WITH_CALLS, "no more tools than 3"),
        (error("body/tools must NOT have more than 3 items"), WITH_CALLS, "no more tools than 3"),
        (error("Invalid 'tools': array too long. Expected an array with maximum length 3, but got an array with length 6 instead."), WITH_CALLS, "no more tools than 3"),
        (error("Invalid 'input[1].id': 'msg 1'. Expected an ID that begins with 'rs'."), Request("m", [user("a"), REASONED, user("b")]), "reasoning from earlier steps"),
        (error("Invalid 'input[1].id': string too long. Expected a string with maximum length 64"), Request("m", [user("a"), REASONED, user("b")]), "reasoning from earlier steps"),
        (error("Tools with mixed values for 'strict' are not allowed. Please set all tools to 'strict: true' or 'strict: false'"), WITH_CALLS, "the same value of strict"),
        (error("All tools must have the same `strict` value"), WITH_CALLS, "the same value of strict"),
    ],
)  # fmt: skip
def test_a_refusal_that_stands_deeper_or_in_other_words_is_understood(
    body: Any, request_: Request, notice: str
) -> None:
    found = find_adaptation(refusal(422, body), request_)

    assert found is not None
    assert notice in found.notice("m", "p")


def test_a_number_of_items_in_a_schema_is_no_number_of_tools() -> None:
    body = error("tools[1].function.parameters: maximum number of items is 3")

    found = find_adaptation(refusal(400, body), WITH_CALLS)

    assert found is not None
    assert "mcp__cal__0" in found.notice("m", "p")


SYSTEM = Request("m", [{"role": "system", "content": "s"}, user("a")])
MANY = Request("m", [user("a")], [TOOL], {"reasoning_effort": "high", "logit_bias": {"1": 1}, "top_k": 3, "stop": ["x"]})  # fmt: skip


@pytest.mark.parametrize(
    ("words", "request_", "notice"),
    [
        ("m does not support reasoning.effort", MANY, "reasoning effort"),
        ("Thinking is not supported for this model", MANY, "reasoning effort"),
        ("m cannot be used with reasoning effort.", MANY, "reasoning effort"),
        ("logit_bias is not supported", MANY, "left out: logit_bias"),
        ("logit_bias will not work with this model", MANY, "left out: logit_bias"),
        ("m cannot take top_k", MANY, "left out: top_k"),
        ("The following parameters are not recognised: top_k", MANY, "left out: top_k"),
        ("参数 top_k 不支持", MANY, "left out: top_k"),
        ("body -> stop: not allowed for m", MANY, "left out: stop"),
        ("Tool calling is not supported with this model", WITH_CALLS, "not support tools"),
        ("This model does not support image input", Request("m", [SEEN]), "not accept images"),
        ("messages.0.content.1: unknown variant `image_url`, expected `text`", Request("m", [SEEN]), "not accept images"),
        ("messages: role 'system' cannot be used with this model", SYSTEM, "system prompt"),
        ("messages with role 'tool' are not allowed", WITH_CALLS, "sent as text"),
        ("maximum of 3 function tools are supported per request, got 6", WITH_CALLS, "no more tools than 3"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("sign", ["'", "\u2019", ""])
def test_a_refusal_says_not_in_any_way(
    words: str, request_: Request, notice: str, sign: str
) -> None:
    if sign:
        words = words.replace("cannot", f"can{sign}t").replace("will not", f"won{sign}t")
        words = re.sub(r"\b(is|are|does) not\b", rf"\1n{sign}t", words)

    found = find_adaptation(refusal(400, error(words)), request_)

    assert found is not None
    assert notice in found.notice("m", "p")


def test_all_tools_get_the_same_value_of_strict() -> None:
    strict = {"type": "function", "function": {"name": "own", "strict": True, "parameters": {}}}
    mixed = Request("m", [user("a")], [TOOL], {"tools": [strict, {"type": "web_search"}]})

    made = adapted(400, error("Tools with mixed values for 'strict' are not allowed"), mixed)

    assert made is not None
    assert [tool["function"]["strict"] for tool in made.tools] == [False]
    assert made.options["tools"][0]["function"]["strict"] is False
    assert made.options["tools"][1] == {"type": "web_search"}
    assert adapted(400, error("Tools with mixed values for 'strict'"), made) is None


def test_a_server_that_knows_no_seed_by_any_name_gets_none() -> None:
    renamed = adapted(422, mistral("seed"), SEEDED)
    assert renamed is not None
    assert renamed.options == {"random_seed": 1, "top_k": 3}

    left_out = adapted(422, mistral("random_seed"), renamed)
    assert left_out is not None
    assert left_out.options == {"top_k": 3}
