"""What servers say when they refuse a thing, and what is made of it."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refused import (
    DOCUMENT,
    OPTIONS,
    PICTURE,
    REASONED,
    REASONED_CHAT,
    SEEN,
    TOOL,
    TURN,
    adapted,
    error,
    find_adaptation,
    refusal,
)

from msgbook.messages import (
    CONTENT_BLOCKS,
    assistant,
    system,
    tool_call,
    tool_result,
    user,
)
from msgbook.provider import Request, turn_options
from msgbook.provider.refused_elements import image_keys
from msgbook.provider.refused_media import ALL, EVERY_DOCUMENT, Adaptation
from msgbook.provider.request_quirks import (
    ADAPTATIONS,
    ALL_TOOLS,
    DOCUMENTS,
    FEWER_IMAGES,
    FEWER_TOOLS,
    LIMIT,
    PICTURES,
    REASONING,
    ROOM,
    TOOLS,
    UNNAMED_TOOLS,
)
from msgbook.provider.request_quirks import OPTIONS as OPTIONS_ROW

UNSUPPORTED = "Unsupported parameter: '{}' is not supported with this model."
FORBIDDEN = "Extra inputs are not permitted"


@pytest.mark.parametrize(
    ("old", "new", "status", "body"),
    [
        (
            "max_tokens",
            "max_completion_tokens",
            400,
            error(UNSUPPORTED.format("max_tokens") + " Use 'max_completion_tokens' instead."),
        ),
        (
            "max_completion_tokens",
            "max_tokens",
            422,
            {
                "message": {
                    "detail": [
                        {
                            "type": "extra_forbidden",
                            "loc": ["body", "max_completion_tokens"],
                            "msg": FORBIDDEN,
                        }
                    ]
                }
            },
        ),
        (
            "max_completion_tokens",
            "max_tokens",
            400,
            error("Unrecognized request argument supplied: max_completion_tokens"),
        ),
    ],
)
def test_a_limit_of_tokens_under_a_name_that_is_refused_is_sent_under_the_other(
    old, new, status, body
):
    changed = adapted(status, body, Request("m", [], options={old: 100, **OPTIONS}))

    assert changed.options == {new: 100, **OPTIONS}


@pytest.mark.parametrize(
    ("key", "status", "body"),
    [
        (
            "temperature",
            400,
            error(
                "Unsupported value: 'temperature' does not support 0.2 with this model. Only the "
                "default (1) value is supported.",
                param="temperature",
            ),
        ),
        ("temperature", 400, error("invalid temperature: only 1 is allowed for this model")),
        ("temperature", 400, error("`temperature` is deprecated for this model.")),
        ("temperature", 400, error("`temperature` may only be set to 1 when thinking is enabled.")),
        (
            "temperature",
            400,
            error("`temperature` and `top_p` cannot both be specified for this model."),
        ),
        ("temperature", 422, {"detail": [{"loc": ["body", "temperature"], "msg": FORBIDDEN}]}),
        (
            "reasoning_effort",
            400,
            error("Unrecognized request argument supplied: reasoning_effort"),
        ),
        ("reasoning_effort", 400, error(UNSUPPORTED.format("reasoning_effort"))),
        ("reasoning_effort", 400, error('"llama3.2" does not support thinking')),
        ("reasoning_effort", 400, error('think value "low" is not supported for this model')),
        ("reasoning_effort", 400, error("Model grok does not support parameter reasoningEffort.")),
        (
            "reasoning_effort",
            400,
            error("Function tools with reasoning_effort are not supported for this model."),
        ),
    ],
)
def test_an_option_that_a_model_does_not_take_is_left_out(key, status, body):
    changed = adapted(status, body, Request("m", [SEEN], options=OPTIONS))

    assert changed.options == {k: v for k, v in OPTIONS.items() if k != key}
    assert changed.messages == [SEEN]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("stop", "Argument not supported on this model: stop"),
        ("presence_penalty", "Argument not supported on this model: presencePenalty"),
        ("verbosity", "Unsupported value: 'text.verbosity' does not support 'low' with this model"),
        ("response_format", "This response_format type is unavailable now"),
        ("tool_choice", "Thinking may not be enabled when tool_choice forces tool use."),
        ("include", "Invalid type for 'include': expected null"),
        ("include", '[{"code":"invalid_value","path":["include",0],"message":"Invalid option"}]'),
    ],
)
def test_an_option_is_found_however_a_server_spells_it(key, message):
    changed = adapted(
        400, error(message), Request("m", [user("hi")], options={key: "x", "top_k": 1})
    )

    assert changed.options == {"top_k": 1}


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "registry.ollama.ai/library/gemma:2b does not support tools"),
        (400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
        (404, "No endpoints found that support tool use. To learn more: https://example.org"),
        (500, "tools param requires --jinja flag"),
        (400, "`tool calling` is not supported with this model"),
        (400, "deepseek-reasoner does not support Function Calling"),
        (501, "Function calling not implemented"),
        (400, "Tool use is not yet available for this model"),
        (400, UNSUPPORTED.format("tools")),
        (400, "Unrecognized request argument supplied: tools"),
        (422, "body.tools: Extra inputs are not permitted"),
        (400, "该模型不支持工具调用"),
        (400, "Dieses Modell unterstützt keine Tools"),
        (404, "No endpoints found that support tool use. Try disabling \"read\"."),
        (500, "Error: chat template failed: tools is not callable"),
    ],
)  # fmt: skip
def test_a_model_that_takes_no_tools_can_chat(status, message):
    request = Request("m", [SEEN], [TOOL], OPTIONS)

    changed = adapted(status, error(message), request)

    assert changed == Request("m", [SEEN], [], OPTIONS)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (
            400,
            "Invalid 'messages[1].tool_calls[0].id': string too long. Expected maximum length 40.",
        ),
        (422, "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9."),
        (400, "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"),
    ],
)
def test_ids_that_another_server_gave_its_calls_are_sent_as_all_servers_take_them(status, message):
    long = "chatcmpl-tool-0123456789abcdef0123456789abcdef"
    kept = tool_call("aB3dEf6h9", "read", "{}")
    messages = [
        SEEN,
        assistant(None, [tool_call(long, "read", "{}"), kept]),
        tool_result(long, "one"),
        tool_result("aB3dEf6h9", "two"),
    ]

    sent = adapted(status, error(message), Request("m", messages, [TOOL])).messages

    first = sent[1]["tool_calls"][0]["id"]
    assert re.fullmatch("[a-zA-Z0-9]{9}", first)
    assert sent[1] == assistant(None, [tool_call(first, "read", "{}"), kept])
    assert sent[2:] == [tool_result(first, "one"), messages[3]]


@pytest.mark.parametrize(
    "message",
    [
        "'tool_calls' must be followed by tool messages responding to each 'tool_call_id'",
        "No tool call found for call_id c",
    ],
)
def test_an_id_that_is_missed_is_not_one_that_is_refused(message):
    messages = [assistant(None, [tool_call("c", "read", "{}")]), tool_result("c", "one")]

    assert adapted(400, error(message), Request("m", messages, [TOOL])) is None


@pytest.mark.parametrize(
    "message",
    [
        "Invalid value for 'tools'",
        "Invalid schema for function 'plot': 'format' is not supported",
        "Tool call validation failed: attempted to call tool 'x' which was not in request.tools",
        "Function tools with reasoning_effort are not supported for this model.",
    ],
)
def test_one_tool_that_is_wrong_says_nothing_about_the_others(message):
    assert adapted(400, error(message), Request("m", [user("hi")], [TOOL])) is None


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "max_tokens is too large: 100000. This model supports at most 4096 tokens."),
        (400, "temperature is too high: it has to be between 0 and 2."),
        (400, "reasoning_effort: Input should be 'low', 'medium' or 'high'"),
        (400, "The model does not support tools."),
        (404, "temperature is not supported"),
        (500, "temperature is not supported"),
    ],
)
def test_a_value_that_is_wrong_and_anything_else_stays_the_servers_word(status, message):
    request = Request("m", [user("hi")], options={"max_tokens": 100_000, **OPTIONS})

    assert adapted(status, error(message), request) is None


@pytest.mark.parametrize(
    "message",
    [
        "messages: `tool_use` ids must be unique",
        "Duplicate value for 'tool_call_id' of 'read:0' in message[4]",
        "messages.1.content.0.toolUse.toolUseId: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
        "messages.2.tool_calls.0.id: 格式错误",
        "function call id has an invalid value",
    ],
)
def test_ids_are_replaced_whatever_is_wrong_with_them_and_stay_apart(message):
    one = [assistant(None, [tool_call("read:0", "read", "{}")]), tool_result("read:0", "1")]

    sent = adapted(400, error(message), Request("m", [*one, *one])).messages

    ids = [m["tool_calls"][0]["id"] for m in sent if m["role"] == "assistant"]
    assert ids == [m["tool_call_id"] for m in sent if m["role"] == "tool"]
    assert len({*ids}) == 2
    assert all(re.fullmatch("[a-zA-Z0-9]{9}", one) for one in ids)


def test_nothing_is_changed_that_the_request_does_not_hold():
    said = refusal(
        400,
        error(
            "image_url, temperature, reasoning_effort, max_tokens: unsupported; "
            "the model does not support tools"
        ),
    )

    assert find_adaptation(said, Request("m", [user("hi")])) is None


@given(st.text(), st.sampled_from([400, 404, 415, 422, 500, 501]))
def test_no_words_of_a_server_break_it_and_no_change_leaves_the_thing_in_place(text, status):
    request = Request("m", [SEEN], options={"max_tokens": 1, **OPTIONS})

    found = find_adaptation(refusal(status, text + " image not supported temperature"), request)

    assert found is None or not found.concerns(found.change(request))


HELD = (
    Request(
        "m",
        [
            system("be brief"),
            SEEN,
            user("and this?"),
            assistant(None, [tool_call("c", "plot", "{}")]),
            tool_result("c", [PICTURE]),
            REASONED,
            user([DOCUMENT]),
        ],
        [TOOL],
        {"max_tokens": 1, "seed": 1, **OPTIONS, **TURN},
    ),
    Request("m", [REASONED_CHAT], options={"max_completion_tokens": 1, "reasoning_effort": "none"}),
    Request("m", [user("and this?")], [TOOL, TOOL]),
    Request(
        "m",
        [
            assistant("hello"),
            user("look"),
            assistant(None, [tool_call("c", "plot", "{'a'")]),
            tool_result("c", "done"),
            user("and this?"),
        ],
    ),
    Request(
        "m",
        [user("and this?"), assistant("hello") | {CONTENT_BLOCKS: [{"type": "thinking"}]}],
        options=dict(turn_options("anthropic")),
    ),
)
ELEMENTS = {
    TOOLS: frozenset({"read"}),
    UNNAMED_TOOLS: frozenset({"read"}),
    ALL_TOOLS: frozenset({"read"}),
    LIMIT: 0,
    ROOM: 0,
    FEWER_TOOLS: 0,
    DOCUMENTS: EVERY_DOCUMENT,
    PICTURES: frozenset(image_keys(HELD[0])),
    FEWER_IMAGES: 1,
    REASONING: frozenset({"reasoning_content"}),
    OPTIONS_ROW: frozenset({"seed"}),
}


@pytest.mark.parametrize("row", ADAPTATIONS)
def test_each_adaptation_takes_away_what_it_concerns(row):
    adaptation = Adaptation(row, ELEMENTS.get(row, ALL))

    held = next(request for request in HELD if adaptation.concerns(request))
    changed = adaptation.change(held)

    assert not adaptation.concerns(changed)
    # What a person wrote is never taken away.
    answers = [
        [m for m in request.messages if m["role"] == "assistant"] for request in (held, changed)
    ]
    assert len(answers[0]) <= len(answers[1])
    assert "and this?" in str(changed.messages) or held is HELD[1]


def test_only_the_beginning_of_a_refusal_is_looked_at():
    body = error("wrong", echo="x" * 3000 + "image_url is not supported")

    assert adapted(400, body, Request("m", [SEEN])) is None
    assert len(refusal(400, body).body) == 2000
    assert json.loads(refusal(400, error("wrong")).body) == error("wrong")
