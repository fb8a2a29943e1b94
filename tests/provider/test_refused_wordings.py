"""The words of more servers, each with what it refuses."""

from __future__ import annotations

from typing import Any

import pytest
from refused import OPTIONS, READ, REASONED_CHAT, SEEN, TOOL, error, find_adaptation, refusal

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
