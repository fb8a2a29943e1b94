"""What servers say when they refuse a thing, and what is made of it."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refused import OPTIONS, PICTURE, SEEN, TOOL, error, refusal

from msgbook.messages import (
    IMAGE,
    OUTPUT_ITEMS,
    assistant,
    document_part,
    system,
    tool_call,
    tool_result,
    user,
)
from msgbook.provider import Request, turn_options
from msgbook.provider.failures import RefusedError
from msgbook.provider.refused_elements import image_keys
from msgbook.provider.refused_media import ALL, EVERY_DOCUMENT, Adaptation
from msgbook.provider.request_quirks import (
    ADAPTATIONS,
    ALL_TOOLS,
    DOCUMENTS,
    FEWER_IMAGES,
    FEWER_TOOLS,
    PICTURES,
    REASONING,
    TOOLS,
    UNNAMED_TOOLS,
    find_adaptations,
)
from msgbook.provider.request_quirks import OPTIONS as OPTIONS_ROW


def find_adaptation(said: RefusedError, request: Request) -> Adaptation | None:
    return next(find_adaptations(said, request), None)


DOCUMENT = document_part("a.pdf", "data:application/pdf;base64,AA==")
READ = user([{"type": "text", "text": "read"}, DOCUMENT])


def adapted(status: int, body: object, request: Request) -> Request | None:
    found = find_adaptation(refusal(status, body), request)
    return None if found is None else found.change(request)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, error("Invalid content type. image_url is only supported by certain models.")),
        (400, error("this model does not support image input (ref: b8bd630e-4a39)")),
        (400, error("Model do not support image input.\nRequest id: 0217888")),
        (400, error("Model does not support images. Please use a model that does.")),
        (400, {"object": "error", "message": "Qwen/Qwen3-8B is not a multimodal model"}),
        (400, {"object": "error", "message": "At most 0 image(s) may be provided in one prompt."}),
        (
            400,
            error(
                "Failed to deserialize the JSON body into the target type: messages[1]: unknown "
                "variant `image_url`, expected `text` at line 1 column 261"
            ),
        ),
        (404, error("No endpoints found that support image input", code=404)),
        (415, "Unsupported media type: image/png"),
        (422, {"detail": [{"loc": ["body", "messages", 0, "content"], "msg": "value is not a valid string"}]}),
        (400, error("'messages.1' : 'messages.1.content' : value must be a string")),
        (400, error("Non-text content requires multimodal endpoint")),
        (500, error("image input is not supported - hint: you may need to provide the mmproj")),
        (500, 'Unsupported content part type: "image_url"; messages = [{"url": "data:;base64,AA'),
        (500, error("this model is missing data required for image input")),
    ],
)  # fmt: skip
def test_a_model_that_cannot_see_is_sent_a_word_for_each_image(status, body):
    request = Request("m", [user("hi"), SEEN, assistant("a cat")])

    changed = adapted(status, body, request)

    assert changed.messages == [user("hi"), user(f"what is this?\n{IMAGE}"), assistant("a cat")]
    assert request.messages[1] == SEEN


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, error("Too many images in request: 120, at most 100 are allowed")),
        (400, error("prompt is too long: 210000 tokens, images included")),
        (400, error("This model's maximum context length is 8192 tokens; your images take 9000.")),
        (400, error("Invalid value for 'tools'")),
        (500, error("Internal error while the image was processed")),
        (500, None),
    ],
)  # fmt: skip
def test_other_words_about_images_take_none_away(status, body):
    assert adapted(status, body, Request("m", [SEEN])) is None


def test_a_refusal_of_images_of_tools_leaves_those_of_the_user():
    body = error(
        "Invalid 'messages[2]'. Image URLs are only allowed for messages with role 'user', but this "
        "message with role 'tool' contains an image URL."
    )
    call = assistant(None, [tool_call("c", "plot", "{}")])
    request = Request("m", [SEEN, call, tool_result("c", [PICTURE])])

    changed = adapted(400, body, request)

    assert changed.messages == [SEEN, call, tool_result("c", IMAGE)]


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


ITEM = {"type": "reasoning", "id": "rs_1", "encrypted_content": "AAA", "summary": []}
REASONED = assistant("Hello") | {OUTPUT_ITEMS: [ITEM, {"type": "message", "phase": "x"}]}


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


TURN = dict(turn_options("responses"))


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


REASONED_CHAT = assistant("Hello") | {"reasoning_content": "I think"}
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


@pytest.mark.parametrize(
    "message",
    [
        "Invalid image data",
        "Could not process image",
        "messages.1.content.1.image.source.base64: The image was specified using image/jpeg but appears to be image/png",
        "messages.1.content.1.type: Input should be 'text'",
        "messages.7.content.0.image.source.base64.media_type: Input should be 'image/jpeg'",
        "You uploaded an unsupported image. Please make sure your image is valid.",
        "image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes",
        "Failed to download image from https://example.org/a.png",
        "Your input image may contain content that is not allowed by our safety system",
        "图片格式不正确",
    ],
)
def test_one_image_that_is_refused_is_left_out_alone(message):
    older = user([{"type": "image_url", "image_url": {"url": "data:image/png;base64,OLD"}}])

    found = find_adaptation(refusal(400, error(message)), Request("m", [older, SEEN]))

    assert found.change(Request("m", [older, SEEN])).messages[0] == older
    assert PICTURE not in found.change(Request("m", [older, SEEN])).messages[1]["content"]


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, error("Invalid value: 'file'. This model does not support file content types.")),
        (400, error("Invalid type for 'messages[0].content[1]': unknown part type: file")),
        (400, error("Invalid value: 'input_file'. Supported values are: 'input_text' and 'input_image'.")),
        (404, error("No endpoints found that support file input", code=404)),
        (422, {"detail": [{"loc": ["content", 1], "msg": "Input should be 'text' or 'image_url'", "input": "file"}]}),
        (400, error("this server does not accept pdf documents")),
        (400, error("This model does not support PDFs.")),
        (400, error("Failed to parse the request: unknown variant `file`, expected `text` or `image_url`")),
        (400, error("messages.1.content.1.type: Input should be 'text'")),
        (400, error("messages[1].content must be a string")),
        (415, error("Unsupported file type: application/pdf")),
        (400, error("不支持 PDF 文档")),
        (500, error("unsupported content[].type")),
    ],
)  # fmt: skip
def test_a_model_that_takes_no_documents_is_sent_their_names(status, body):
    request = Request("m", [user("hi"), READ, SEEN])

    changed = adapted(status, body, request)

    assert changed.messages == [user("hi"), user("read\n[document: a.pdf]"), SEEN]


OLDER = user(
    [{"type": "text", "text": "first"}, document_part("b.pdf", "data:application/pdf;base64,BB==")]
)


@pytest.mark.parametrize(
    "said",
    [
        "The PDF file is too large",
        "Unsupported file: the document has more than 100 pages",
        "This model does not support PDF files with more than 100 pages",
        "the document is encrypted, which is not supported",
        "The file a.pdf exceeds the maximum size",
        "a.pdf: unsupported document, the file could not be read",
        "Invalid file data: PDF is not supported",
        "messages.1.content.1.source.base64: the document was specified using application/pdf but is text",
        "messages[1].content[1].file.file_data: Expected a base64-encoded data URL",
        "messages.1.content.1: 格式错误",
        "input[1].content[1]: bad",
        "文档已加密",
    ],
)
def test_one_document_that_is_refused_is_left_out_alone(said):
    request = Request("m", [OLDER, READ, SEEN])

    found = find_adaptation(refusal(400, error(said)), request)

    assert found.change(request).messages == [OLDER, user("read\n[document: a.pdf]"), SEEN]
    assert "a.pdf (sha256 " in found.notice("m", "p")
    assert "documents = false in [providers.p]" in found.notice("m", "p")


def test_a_document_is_found_by_its_name_and_is_another_one_once_it_has_changed():
    request = Request("m", [OLDER, READ])
    found = find_adaptation(refusal(400, error("The file b.pdf is corrupt")), request)
    mended = user([document_part("b.pdf", "data:application/pdf;base64,CC==")])

    assert found.change(request).messages == [user("first\n[document: b.pdf]"), READ]
    assert not found.concerns(Request("m", [mended]))


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, "temperature: unsupported value"),
        (400, "Invalid image file"),
        (500, "The file server is not available"),
    ],
)
def test_words_about_something_else_leave_documents_in_place(status, said):
    request = Request("m", [READ, SEEN], options=OPTIONS)

    for found in find_adaptations(refusal(status, error(said)), request):
        assert found.row is not DOCUMENTS


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
)
ELEMENTS = {
    TOOLS: frozenset({"read"}),
    UNNAMED_TOOLS: frozenset({"read"}),
    ALL_TOOLS: frozenset({"read"}),
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
