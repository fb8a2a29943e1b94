"""Reasoning that servers refuse, miss or do not hand out."""

from __future__ import annotations

import pytest
from refused import (
    OPTIONS,
    REASONED,
    REASONED_CHAT,
    SEEN,
    TURN,
    adapted,
    error,
    find_adaptation,
    refusal,
)

from msgbook.messages import OUTPUT_ITEMS, assistant, user
from msgbook.provider import Request


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "Unsupported value: 'none' is not supported with the 'm' model: reasoning_effort"),
        (400, "reasoning_effort: Input should be 'low', 'medium' or 'high'"),
        (422, "body.reasoning_effort: unexpected value; permitted: 'low', 'medium', 'high'"),
        (400, '"m" does not support thinking'),
    ],
)
def test_a_server_that_cannot_switch_reasoning_off_is_asked_without(status, message):
    request = Request("m", [SEEN], options={**OPTIONS, "reasoning_effort": "none"})

    assert adapted(status, error(message), request).options == {"temperature": 0.2}


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (
            400,
            error(
                "The encrypted content gAAA...K-w= could not be verified. Reason: Encrypted content "
                "organization_id did not match the target organization.",
                code="invalid_encrypted_content",
            ),
        ),
        (
            404,
            error("Item with id 'rs_1' not found. Items are not persisted when `store` is false."),
        ),
        (
            400,
            error(
                "Item 'rs_1' of type 'reasoning' was provided without its required following item."
            ),
        ),
    ],
)
def test_reasoning_that_a_server_cannot_read_is_left_out(status, body):
    changed = adapted(status, body, Request("m", [user("Hi"), REASONED]))

    assert changed.messages == [
        user("Hi"),
        assistant("Hello") | {OUTPUT_ITEMS: [{"type": "message", "phase": "x"}]},
    ]


@pytest.mark.parametrize(
    ("body", "left_out", "is_told"),
    [
        (
            error(
                "Your organization must be verified to generate reasoning summaries.",
                param="reasoning.summary",
                code="unsupported_value",
            ),
            "reasoning_summary",
            True,
        ),
        (
            error("Unsupported parameter: 'reasoning.summary' is not supported with this model."),
            "reasoning_summary",
            False,
        ),
        (error("Unknown parameter: 'reasoning'."), "reasoning_summary", False),
        (error("Encrypted content is not supported with this model."), "include", False),
        (error("Unknown parameter: 'include'."), "include", False),
    ],
)
def test_a_server_that_hands_out_no_reasoning_is_not_asked_for_it(body, left_out, is_told):
    request = Request("m", [user("Hi"), REASONED], options=TURN)

    found = find_adaptation(refusal(400, body), request)

    assert found.change(request).options == {k: v for k, v in TURN.items() if k != left_out}
    assert bool(found.notice("m", "p")) is is_told


ANSWERS = [user("a"), assistant("one"), user("b"), assistant("two") | {"reasoning": "I think"}]


@pytest.mark.parametrize(
    ("message", "field", "sent"),
    [
        (
            "The `reasoning_content` in the thinking mode must be passed back to the API.",
            "reasoning_content",
            ["", "I think"],
        ),
        (
            "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
            "reasoning_content",
            ["", "I think"],
        ),
        ("messages.1.reasoning_content: Field required", "reasoning_content", ["", "I think"]),
        ("The `reasoning` of assistant messages must be passed back", "reasoning", ["", "I think"]),
        ("The reasoning content must be passed back", "reasoning_content", ["", "I think"]),
        ("reasoning_details is required", "reasoning_details", [[], []]),
    ],
)
def test_reasoning_goes_back_in_the_field_that_the_server_names(message, field, sent):
    changed = adapted(400, error(message), Request("m", ANSWERS))

    assert [m[field] for m in changed.messages if m["role"] == "assistant"] == sent


def test_a_field_that_is_named_in_another_language_is_wanted_where_it_is_missing():
    said = error("思考模式下的 `reasoning_content` 必须传回")

    wanted = adapted(400, said, Request("m", ANSWERS[:2]))
    refused = adapted(400, said, Request("m", [*ANSWERS[:2], REASONED_CHAT]))

    assert wanted.messages[1]["reasoning_content"] == ""
    assert "reasoning_content" not in str(refused.messages)


@pytest.mark.parametrize(
    "message",
    [
        "'messages.1' : for 'role:assistant' property 'reasoning_content' is unsupported",
        "body.messages.1.assistant.reasoning_content: Extra inputs are not permitted",
        'json: unknown field "reasoning_content"',
        "Additional properties are not allowed ('reasoning_content' was unexpected)",
        "Please remove the reasoning_content from your message.",
        "Unsupported: reasoning_content must not be sent",
    ],
)
def test_reasoning_that_a_server_does_not_take_is_left_out(message):
    changed = adapted(400, error(message), Request("m", [user("a"), REASONED_CHAT]))

    assert changed.messages == [user("a"), assistant("Hello")]


NOT_TAKEN = [
    "Invalid type for {}: expected null",
    "{}: Input should be None",
    "{} must be omitted",
    "{} must not be specified for this model",
    "property {} should not exist",
    "{} is no longer supported",
    "{} doesn't exist for this model",
    "Unrecognised field: {}",
    "Please remove {} from the request",
    "no field named {}",
    "No such parameter: {}",
    "{} is not a valid parameter",
    "{} is obsolete",
    "{} has been removed",
    "{} is only for other models",
    "{} requires a reasoning model",
    "{} wird nicht unterstützt",
    "{} n'est pas pris en charge",
    "{} no es compatible con este modelo",
    "无法识别 {}",
    "{} はサポートされていません",
]
"""Words with which a server says that it takes a key in no case."""


@pytest.mark.parametrize("words", NOT_TAKEN)
@pytest.mark.parametrize(
    ("options", "left_out", "name"),
    [
        ({"reasoning_effort": "low"}, "reasoning_effort", "reasoning_effort"),
        ({"reasoning_effort": "low"}, "reasoning_effort", "'reasoning'"),
        (TURN, "reasoning_summary", "'reasoning'"),
        ({"temperature": 0.2}, "temperature", "`temperature`"),
        ({"top_k": 3}, "top_k", "top_k"),
    ],
)
def test_a_key_that_a_server_takes_in_no_case_is_left_out(words, options, left_out, name):
    request = Request("m", [user("Hi")], options={**options, "presence_penalty": 1})

    changed = adapted(400, error(words.format(name)), request)

    kept = {key: value for key, value in request.options.items() if key != left_out}
    assert changed.options == kept


@pytest.mark.parametrize(
    "words",
    [
        "{} must not be null",
        "{} must not be negative",
        "{} must be one of 'low', 'medium'",
        "{} must be greater than 0",
    ],
)
def test_a_key_whose_value_is_refused_stays(words):
    request = Request("m", [user("Hi")], options=dict(OPTIONS))

    assert adapted(400, error(words.format("reasoning_effort")), request) is None
    assert adapted(400, error(words.format("temperature")), request) is None
