"""A request in the form of Anthropic's Messages API."""

from __future__ import annotations

import pytest

from msgbook.messages import CONTENT_BLOCKS, assistant, system, tool_call, tool_result, user
from msgbook.provider import Request, request_body, turn_options
from msgbook.provider.server_provider import BodyEncoder

MARK = {"type": "ephemeral"}
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
PDF = {
    "type": "file",
    "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBE"},
}
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
TOOL = {"type": "function", "function": {"name": "read", "description": "R", "parameters": SCHEMA}}
CALL = tool_call("call_1", "read", '{"path": "a"}')
CALL_BLOCK = {"type": "tool_use", "id": "call_1", "name": "read", "input": {"path": "a"}}
THOUGHT = {
    "type": "thinking",
    "thinking": "Hm.",
    "signature": "SIG",
    "model": "claude-sonnet-4-5-20250929",
}


def body(*messages, tools=(), model="claude-sonnet-4-5", **options):
    return request_body(Request(model, [*messages], [*tools], options), "anthropic")


def text(words):
    return {"type": "text", "text": words}


def test_system_and_messages_are_blocks_of_text():
    sent = body(system("Be kind."), user("Hi"), assistant("Hello"), user("Why?"))

    assert sent == {
        "model": "claude-sonnet-4-5",
        "max_tokens": 64_000,
        "system": [text("Be kind.")],
        "messages": [
            {"role": "user", "content": [text("Hi")]},
            {"role": "assistant", "content": [text("Hello")]},
            {"role": "user", "content": [text("Why?")]},
        ],
        "stream": True,
    }


def test_results_stand_first_in_the_message_after_their_calls():
    other = tool_call("call_2", "read", "{}")
    sent = body(
        user("Hi"),
        assistant("I look.", [CALL, other]),
        tool_result("call_1", "one"),
        tool_result("call_2", ""),
        user("Go on"),
    )

    assert sent["messages"][1:] == [
        {
            "role": "assistant",
            "content": [text("I look."), CALL_BLOCK, {**CALL_BLOCK, "id": "call_2", "input": {}}],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "call_1", "content": [text("one")]},
                {"type": "tool_result", "tool_use_id": "call_2"},
                text("Go on"),
            ],
        },
    ]


def test_neighbours_of_one_role_are_merged_and_nothing_empty_is_sent():
    sent = body(assistant("A note"), user(" \n"), user("Hi"), assistant(" "), user("You?"))

    assert sent["messages"] == [
        {"role": "user", "content": [text("[empty]")]},
        {"role": "assistant", "content": [text("A note")]},
        {"role": "user", "content": [text("[empty]"), text("Hi"), text("You?")]},
    ]


def test_pictures_and_documents_are_blocks_of_prompts_and_of_results():
    parts = [{"type": "text", "text": "What?"}, IMAGE, PDF]
    link = {"type": "image_url", "image_url": {"url": "https://a.example/b.png"}}
    sent = body(user([*parts, link]), assistant(None, [CALL]), tool_result("call_1", parts))
    blocks = [
        text("What?"),
        {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"},
        },
        {
            "type": "document",
            "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBE"},
            "title": "a.pdf",
        },
    ]

    assert sent["messages"][0]["content"] == [
        *blocks,
        {"type": "image", "source": {"type": "url", "url": "https://a.example/b.png"}},
    ]
    assert sent["messages"][2]["content"][0]["content"] == blocks


@pytest.mark.parametrize("kind", ["image/jpg", "IMAGE/JPEG", "image/pjpeg"])
def test_a_jpeg_has_the_one_name_that_the_api_knows(kind):
    image = {"type": "image_url", "image_url": {"url": f"data:{kind};base64,/9j/"}}

    [block] = body(user([image]))["messages"][0]["content"]

    assert block["source"]["media_type"] == "image/jpeg"


def test_ids_that_the_api_refuses_are_replaced_the_same_in_call_and_result():
    strange = tool_call("read:0", "read", "{}")
    sent = body(user("Hi"), assistant(None, [strange]), tool_result("read:0", "x"))["messages"]

    made = sent[1]["content"][0]["id"]
    assert made.replace("_", "").isalnum()
    assert sent[2]["content"][0]["tool_use_id"] == made


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ('{"a": "so \\ud83d"}', "so \ufffd"),
        ('{"a": "\\ud83d\\ude00"}', "😀"),
        ('{"a": NaN}', None),
        ('{"a": [-Infinity, 1e999]}', [None, None]),
        ('{"a": 1%s}' % ("0" * 4290), 10**4290),
    ],
    ids=["half a character", "a pair", "not a number", "endless", "long"],
)
def test_arguments_that_json_cannot_say_are_sent_as_it_can(arguments, sent):
    """In a text they were harmless, as the other APIs have them."""
    call = tool_call("call_1", "read", arguments)

    asked = body(user("Hi"), assistant(None, [call]), tool_result("call_1", "x"))

    assert asked["messages"][1]["content"][0]["input"] == {"a": sent}
    BodyEncoder().encode(asked)


def test_thinking_goes_back_in_its_place_to_the_model_that_signed_it():
    blocks = [
        THOUGHT,
        {"type": "text", "text": "I look."},
        {"type": "redacted_thinking", "data": "XXX", "model": "claude-sonnet-4-5"},
        {"type": "text", "text": "Twice."},
        {"type": "tool_use", "call_id": "call_1"},
    ]
    message = assistant("I look.\n\nTwice.", [CALL]) | {CONTENT_BLOCKS: blocks}

    assert body(user("Hi"), message)["messages"][1]["content"] == [
        {"type": "thinking", "thinking": "Hm.", "signature": "SIG"},
        text("I look."),
        {"type": "redacted_thinking", "data": "XXX"},
        text("Twice."),
        CALL_BLOCK,
    ]
    other = body(user("Hi"), message, model="claude-opus-5")["messages"][1]["content"]
    assert other == [text("I look."), text("Twice."), CALL_BLOCK]


def test_a_text_that_was_changed_since_is_sent_as_it_is_now():
    blocks = [{"type": "text", "text": "secret"}, {"type": "text", "text": "more"}]
    message = assistant("[redacted]\n\nmore") | {CONTENT_BLOCKS: blocks}

    assert body(user("Hi"), message)["messages"][1]["content"] == [text("[redacted]\n\nmore")]


def test_tools_have_the_form_of_this_api_and_the_users_own_stay():
    search = {"type": "web_search_20250305", "name": "web_search"}
    bare = {"type": "function", "function": {"name": "now"}}

    assert body(user("Hi"), tools=[TOOL, bare])["tools"] == [
        {"name": "read", "description": "R", "input_schema": SCHEMA},
        {"name": "now", "input_schema": {"type": "object"}},
    ]
    request = Request("m", [user("Hi")], [TOOL], {"tools": [search]})
    assert request_body(request, "anthropic")["tools"][1] == search


def test_marks_stand_at_tools_system_the_last_message_and_the_prompt_before():
    messages = [user("One"), assistant("1"), user("Two"), assistant(None, [CALL])]
    sent = body(
        system("S"),
        *messages,
        tool_result("call_1", "x"),
        tools=[TOOL],
        **turn_options("anthropic"),
    )

    assert sent["tools"][-1]["cache_control"] == sent["system"][0]["cache_control"] == MARK
    marked = [
        number
        for number, message in enumerate(sent["messages"])
        if "cache_control" in message["content"][-1]
    ]
    assert marked == [2, 4]
    assert str(sent).count("cache_control") == 4


def test_a_conversation_that_goes_on_begins_with_what_was_sent():
    """But for the marks, which say only where the server looks."""
    messages = [system("S"), user("One"), assistant("1", [CALL]), tool_result("call_1", "x")]
    earlier = body(*messages)["messages"]
    later = body(*messages, assistant("Done."), user("Two"))["messages"]

    assert later[: len(earlier)] == earlier


def test_marks_can_be_switched_off_or_last_longer():
    assert "cache_control" not in str(body(user("Hi"), cache_control=None))
    hour = {"type": "ephemeral", "ttl": "1h"}
    assert body(user("Hi"), cache_control=hour)["messages"][0]["content"] == [
        {**text("Hi"), "cache_control": hour}
    ]


@pytest.mark.parametrize(
    ("model", "effort", "thinking", "config"),
    [
        ("claude-opus-5-5", "high", {"type": "adaptive"}, {"effort": "high"}),
        ("anthropic/claude-sonnet-4.6", "minimal", {"type": "adaptive"}, {"effort": "low"}),
        ("claude-fable-5", "none", {"type": "disabled"}, None),
        (
            "claude-haiku-4-5-20251001",
            "medium",
            {"type": "enabled", "budget_tokens": 8192},
            None,
        ),
        (
            "claude-3-7-sonnet-20250219",
            "max",
            {"type": "enabled", "budget_tokens": 32_000},
            None,
        ),
        ("claude-3-5-haiku-latest", "high", None, None),
        ("claude-3-5-haiku-latest", "none", None, None),
        ("kimi-k3", "low", {"type": "enabled", "budget_tokens": 2048}, None),
        ("claude-opus-4-8", None, None, None),
    ],
)
def test_an_effort_becomes_thinking_in_the_form_that_the_model_takes(
    model, effort, thinking, config
):
    sent = body(user("Hi"), model=model, reasoning_effort=effort)

    assert (sent.get("thinking"), sent.get("output_config")) == (thinking, config)


def test_an_effort_may_have_its_name_of_the_responses_api():
    sent = body(user("Hi"), model="claude-opus-5-5", reasoning={"effort": "low"})

    assert sent["output_config"] == {"effort": "low"}
    assert "reasoning" not in sent


def test_a_model_that_thinks_unasked_is_asked_to_show_it():
    sent = body(user("Hi"), model="claude-sonnet-5", **turn_options("anthropic"))

    assert sent["thinking"] == {"type": "adaptive", "display": "summarized"}


def test_a_budget_leaves_room_for_the_answer():
    assert body(user("Hi"), reasoning_effort="high", max_tokens=4000)["thinking"] == {
        "type": "enabled",
        "budget_tokens": 2000,
    }
    assert "thinking" not in body(user("Hi"), reasoning_effort="high", max_tokens=500)


def test_a_tool_that_has_to_be_called_is_called_without_a_budget():
    sent = body(user("Hi"), tools=[TOOL], reasoning_effort="high", tool_choice="required")

    assert "thinking" not in sent
    assert sent["tool_choice"] == {"type": "any"}


def test_options_have_the_names_of_this_api():
    sent = body(
        user("Hi"),
        tools=[TOOL],
        max_completion_tokens=100,
        stop="END",
        user="me",
        tool_choice={"type": "function", "function": {"name": "read"}},
        parallel_tool_calls=False,
        response_format={"type": "json_schema", "json_schema": {"name": "n", "schema": SCHEMA}},
        top_k=None,
        service_tier="auto",
    )

    keys = ("model", "messages", "tools", "stream")
    assert {key: value for key, value in sent.items() if key not in keys} == {
        "max_tokens": 100,
        "stop_sequences": ["END"],
        "metadata": {"user_id": "me"},
        "tool_choice": {"type": "tool", "name": "read", "disable_parallel_tool_use": True},
        "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}},
        "service_tier": "auto",
    }


@pytest.mark.parametrize(
    ("model", "most"),
    [
        ("claude-opus-5-5", 128_000),
        ("claude-haiku-4-5", 64_000),
        ("claude-opus-4-1-20250805", 32_000),
        ("claude-3-5-sonnet-20241022", 8192),
        ("claude-3-haiku-20240307", 4096),
        ("claude-mythos-preview", 128_000),
        ("us.anthropic.claude-sonnet-4-20250514-v1:0", 64_000),
        ("qwen3", 8192),
    ],
)
def test_the_longest_answer_is_that_of_the_model(model, most):
    assert body(user("Hi"), model=model)["max_tokens"] == most


@pytest.mark.parametrize(
    ("asked", "signer", "takes"),
    [
        ("claude-opus-4-5", "claude-opus-4-5-20251101", True),
        ("claude-opus-4-5", "anthropic/claude-opus-4.5", True),
        ("claude-sonnet-4", "claude-sonnet-4@20250514", True),
        ("claude-3-7-sonnet-latest", "claude-3-7-sonnet-20250219", True),
        ("claude-sonnet-4-5", "anthropic.claude-sonnet-4-5-20250929-v1:0", True),
        ("claude-opus-4-5", "claude-opus-4-6", False),
        ("claude-opus-4-5", "claude-sonnet-4-5", False),
        ("claude-opus-4-5", "", False),
    ],
)
def test_thinking_is_sent_to_the_model_that_signed_it_under_each_of_its_names(asked, signer, takes):
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "s", "model": signer}
    answer = {
        "role": "assistant",
        "content": "Yes.",
        CONTENT_BLOCKS: [thought, {"type": "text", "text": "Yes."}],
    }

    sent = body(user("Hi"), answer, user("And?"), model=asked)["messages"][1]["content"]

    assert [block["type"] for block in sent] == ["thinking"] * takes + ["text"]


@pytest.mark.parametrize("value", [True, 3, "much", [1], ["a"], [None], {"type": ["x"]}, {"a": {}}])
@pytest.mark.parametrize(
    "key",
    [
        "thinking",
        "reasoning",
        "reasoning_effort",
        "output_config",
        "response_format",
        "stop",
        "tool_choice",
        "max_tokens",
    ],
)
def test_an_option_of_any_type_is_the_servers_to_refuse(key, value):
    for model in ("claude-opus-4-5", "claude-sonnet-5", "m"):
        for options in ({}, {"reasoning_effort": "high"}):
            sent = body(user("Hi"), tools=[TOOL], model=model, **{**options, key: value})

            assert sent["messages"][0]["role"] == "user"


def server_call(number, name="web_search"):
    return {"type": "server_tool_use", "id": f"srvtoolu_{number}", "name": name, "input": {}}


def server_result(number, content=()):
    kind, call_id = "web_search_tool_result", f"srvtoolu_{number}"
    return {"type": kind, "tool_use_id": call_id, "content": [*content]}


ONE, TWO = server_call(1), server_call(2)
OF_ONE, OF_TWO = server_result(1), server_result(2)


@pytest.mark.parametrize(
    ("blocks", "wanted"),
    [
        ([ONE, OF_ONE], [ONE, OF_ONE]),
        ([ONE, TWO, OF_TWO, OF_ONE], [ONE, TWO, OF_TWO, OF_ONE]),
        ([OF_ONE, ONE], [ONE, OF_ONE]),
        ([OF_TWO, ONE, OF_ONE, TWO], [ONE, OF_ONE, TWO, OF_TWO]),
        ([ONE], []),
        ([OF_ONE], []),
        ([ONE, OF_TWO], []),
        ([ONE, OF_ONE, OF_ONE, ONE], [ONE, OF_ONE]),
        ([ONE | {"input": "x"}, OF_ONE], []),
        ([ONE, OF_ONE | {"content": [1]}], []),
        ([ONE | {"id": 1}, OF_ONE | {"tool_use_id": 1}], []),
    ],
)
def test_what_the_server_did_goes_back_in_pairs_each_call_before_its_result(blocks, wanted):
    said = {"type": "text", "text": "Yes."}
    answer = {"role": "assistant", "content": "Yes.", CONTENT_BLOCKS: [*blocks, said]}

    sent = body(user("Hi"), answer, user("And?"))["messages"][1]["content"]

    assert sent == [*wanted, said]


def test_an_answer_that_goes_on_ends_with_the_call_whose_result_the_server_has():
    answer = {"role": "assistant", "content": None, CONTENT_BLOCKS: [ONE, OF_ONE, TWO]}
    rest = {"role": "assistant", "content": None, CONTENT_BLOCKS: [OF_TWO]}

    paused = body(user("Hi"), answer)["messages"][1]["content"]
    whole = body(user("Hi"), answer, rest, user("And?"))["messages"][1]["content"]

    assert paused == [ONE, OF_ONE, TWO]
    assert whole == [ONE, OF_ONE, TWO, OF_TWO]


def test_an_answer_that_goes_on_does_not_end_with_white_space():
    """The API refuses it at the end of a request, and takes it everywhere else."""
    paused = [user("Hi"), assistant("I look. \n")]

    assert body(*paused)["messages"][1]["content"] == [text("I look.")]
    assert body(*paused, user("And?"))["messages"][1]["content"] == [text("I look. \n")]


@pytest.mark.parametrize("blanks", [["\n"], ["\n\n", " ", ""]])
def test_no_text_of_an_answer_is_blank(blanks):
    """The API refuses such a text anywhere, and white space at the end of what goes on."""
    texts = ["", "I look. ", *blanks]
    blocks = [text(said) for said in texts]
    answer = assistant("\n\n".join(texts)) | {CONTENT_BLOCKS: [*blocks, ONE, OF_ONE]}
    paused = answer | {CONTENT_BLOCKS: blocks}

    assert body(user("Hi"), paused)["messages"][1]["content"] == [text("I look.")]
    sent = body(user("Hi"), answer, user("And?"))["messages"][1]["content"]
    assert sent == [text("I look. "), ONE, OF_ONE]
