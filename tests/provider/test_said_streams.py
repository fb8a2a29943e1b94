"""What servers say outside the usual places reaches the reader, and no half answer is called done."""

from __future__ import annotations

import json
from typing import Any

import pytest
from completions import DONE, delta, finish, sse, tool
from responses import added, call, completed, event, message, plain, reasoning, text
from streamed_turns import StreamedTurn, recorded

from msgbook.messages import ApiName

PART = sse(delta(content="Half an"))
RESPONSE_PART = plain(text("Half an"))


@pytest.mark.parametrize(
    ("name", "words", "thought", "runs"),
    [
        ("text-small", "Four it is", [], []),
        ("reasoning-small", "4", ["We add"], []),
        ("vllm", "Four it is", ["We add"], []),
        ("call-smallest", "", [], ["Paris"]),
        ("harmony-call", "", ["Need weather"], ["Paris"]),
        ("harmony-two-calls", "", ["Need weather"], ["Paris", "Rome"]),
    ],
)
def test_an_answer_of_vllm_is_shown_and_run_once(
    name: str, words: str, thought: list[str], runs: list[str]
) -> None:
    turn = recorded("responses", name)

    said = turn.said
    assert (said["text"], said["reasoning"], said["notices"]) == (words, thought, [])
    assert said["runs"] == [("get_weather", json.dumps({"city": c}).replace(" ", "")) for c in runs]
    if runs:
        ids = [block["id"] for block in turn.turn["blocks"] if block["type"] == "tool_call"]
        assert ids == ["call_A", "call_A2"][: len(runs)]


def test_encrypted_reasoning_stays_at_the_call_before_which_it_came() -> None:
    turn = recorded("responses", "two-reasonings")

    kinds = [
        (i["type"], i.get("encrypted_content") or i.get("name"))
        for i in turn.requests[1]["input"][1:5]
    ]
    assert kinds == [
        ("reasoning", "ENC1"),
        ("function_call", "a"),
        ("reasoning", "ENC2"),
        ("function_call", "b"),
    ]


def test_reasonings_side_by_side_keep_their_texts_and_their_data_apart() -> None:
    def summary(words: str, n: int) -> Any:
        place = {"item_id": f"rs_{n}", "output_index": n, "summary_index": 0}
        return event("reasoning_summary_text.delta", **place, delta=words)

    def whole(words: str, n: int) -> Any:
        return event(
            "output_item.done",
            output_index=n,
            item=reasoning(words, f"rs_{n}", encrypted_content=f"ENC{n}"),
        )

    stream = [added(reasoning("", f"rs_{n}"), n) for n in (0, 1)]
    stream += [summary("one", 0), summary("two", 1), summary(" more", 0)]
    stream += [whole("two", 1), whole("one more", 0), completed()]
    blocks = StreamedTurn("responses", plain(*stream)).turn["blocks"]

    found = [(b["text"], b["extra"]["item"]["encrypted_content"]) for b in blocks if "extra" in b]
    assert found == [("one more", "ENC0"), ("two", "ENC1")]


LLAMA = b'error: {"code": 400, "message": "the context is full"}\n\n'


@pytest.mark.parametrize(
    "error",
    [
        LLAMA + b"data: [DONE]\n\n",
        LLAMA,
        LLAMA.rstrip(),
        b"error: the context is full\n\ndata: [DONE]\n\n",
        b'error: {\n  "message": "the context is full"\n}\n\ndata: [DONE]\n\n',
        b'event: error\ndata: "the context is full"\n\n',
        b'{"error": {"message": "the context is full"}}\n',
        b'{"error": "the context is full"}\n\ndata: [DONE]\n\n',
    ],
)
@pytest.mark.parametrize("api", ["chat", "responses"])
def test_an_error_in_any_line_is_an_error_with_the_servers_words(
    api: ApiName, error: bytes
) -> None:
    turn = StreamedTurn(api, (PART if api == "chat" else RESPONSE_PART) + error)

    assert turn.said["text"] == "Half an"
    assert turn.said["status"] != "done"
    (words,) = turn.said["errors"]
    assert "the context is full" in words


def test_an_error_field_directly_below_data_takes_nothing_from_it() -> None:
    turn = StreamedTurn("chat", PART.rstrip(b"\n") + b"\n" + LLAMA)

    assert (turn.said["text"], "the context is full" in turn.said["errors"][0]) == ("Half an", True)


UNKNOWN: list[Any] = [
    sse(delta(content="a"), delta(thoughts="hm, "), delta(thoughts="so")) + sse(finish(), DONE),
    sse({"choices": [], "warning": "hm, so"}, delta(content="a"), finish(), DONE),
    sse({"choices": [], "x_note": "hm, so it is"}, delta(content="a"), finish(), DONE),
    sse(delta(content="a")) + b"hm, so\n\n" + sse(finish(), DONE),
    sse(delta(content="a")) + b'data: "hm, so"\n\n' + sse(finish(), DONE),
    sse(delta(content=["a", {"type": "quote", "of": "hm, so"}]), finish(), DONE),
    sse(delta(content="a"), delta(audio={"id": "x", "transcript": "hm, so"}), finish(), DONE),
    sse(delta(content="a"), {"choices": [{"index": 1, "delta": {"content": "hm, so"}}]}, finish()),
]
UNKNOWN_RESPONSES: list[Any] = [
    plain({**text("a"), "thoughts": "hm, so"}, completed()),
    plain(text("a"), event("audio.transcript.delta", delta="hm, so"), completed()),
    plain(text("a"), {"words": "hm, so"}, completed()),
    plain(text("a")) + b"hm, so\n\n" + plain(completed()),
    plain(
        completed(
            {**message("a"), "content": [*message("a")["content"], {"type": "q", "a": "hm, so"}]}
        )
    ),
    plain(text("a"), event("output_item.added", item="hm, so"), completed()),
]


@pytest.mark.parametrize(
    ("api", "body"),
    [*(("chat", body) for body in UNKNOWN), *(("responses", body) for body in UNKNOWN_RESPONSES)],
)
def test_content_in_an_unknown_place_is_a_notice_with_its_words(api: ApiName, body: bytes) -> None:
    said = StreamedTurn(api, body).said

    assert (said["text"], said["status"]) == ("a", "done")
    (notice,) = said["notices"]
    assert "hm, so" in notice


REASONINGS: list[Any] = [
    {"reasoning": {"content": "hm, so"}},
    {"reasoning": {"text": "hm, so"}},
    {"reasoning_content": ["hm, ", "so"]},
    {"reasoning_content": [{"type": "text", "text": "hm, so"}]},
    {"reasoning": {"summary": [{"type": "summary_text", "text": "hm, so"}]}},
    {"thinking_blocks": [{"type": "thinking", "thinking": "hm, so", "signature": "x"}]},
    {"reasoning_content": "hm, so", "thinking_blocks": [{"thinking": "hm, so"}]},
    {"thinking": "hm, so"},
    {"thought": "hm, so"},
    {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm, so"}]}]},
    {"content": [{"type": "reasoning", "text": "hm, so"}]},
    {"content": [{"type": "reasoning", "reasoning": "hm, so"}]},
    {"content": "hm, so", "extra_content": {"google": {"thought": True}}},
]


@pytest.mark.parametrize("fields", REASONINGS)
def test_reasoning_of_any_shape_is_reasoning(fields: dict[str, Any]) -> None:
    said = StreamedTurn("chat", sse(delta(**fields), delta(content="a"), finish(), DONE)).said

    assert (said["text"], said["reasoning"], said["notices"]) == ("a", ["hm, so"], [])


def test_the_tags_around_marked_reasoning_are_not_part_of_it() -> None:
    mark = {"extra_content": {"google": {"thought": True}}}
    pieces = (
        delta(content="<thought>hm, ", **mark),
        delta(content="so", **mark),
        delta(content="</thought>a"),
        delta(content=" </thought> b"),
    )
    said = StreamedTurn("chat", sse(*pieces, finish(), DONE)).said

    assert (said["text"], said["reasoning"]) == ("a </thought> b", ["hm, so"])


def test_a_summary_that_is_a_list_of_texts_is_reasoning() -> None:
    item = {**reasoning(), "summary": ["hm, so"]}
    said = StreamedTurn("responses", plain(event("output_item.done", item=item), text("a"))).said

    assert (said["text"], said["reasoning"]) == ("a", ["hm, so"])


@pytest.mark.parametrize(
    "fields",
    [
        {"refusal": {"text": "I cannot"}},
        {"content": [{"type": "refusal", "refusal": "I cannot"}]},
    ],
)
def test_a_refusal_that_is_an_object_is_read(fields: dict[str, Any]) -> None:
    turn = StreamedTurn("chat", sse(delta(**fields), finish(), DONE))

    assert turn.said["text"] == "I cannot"
    assert turn.turn["blocks"][0]["refusal"] is True


PARIS, ROME = '{"city": "Paris"}', '{"city": "Rome"}'


@pytest.mark.parametrize(
    ("pieces", "runs"),
    [
        # A place for the arguments, as gateways to Anthropic announce them.
        ([tool(0, "a", "f", "{}"), tool(0, None, None, PARIS)], [("f", PARIS)]),
        (
            [tool(0, "a", "f", "{}"), tool(0, None, None, '{"city"'), tool(0, "a", None, ": 1}")],
            [("f", '{"city": 1}')],
        ),
        ([tool(0, "a", "f", "{}"), tool(0, None, None, " ")], [("f", "{}")]),
        ([tool(0, "a", "f", "{}"), tool(0, "a", "f", "{}")], [("f", "{}")]),
        ([tool(0, "a", "f", "{}"), tool(0, "b", "f", ROME)], [("f", "{}"), ("f", ROME)]),
        ([tool(None, "a", "f", "{}"), tool(None, "b", "f", "{}")], [("f", "{}"), ("f", "{}")]),
        # A name in pieces, or longer each time.
        (
            [tool(0, "a", "get_"), tool(0, None, "city"), tool(0, None, None, PARIS)],
            [("get_city", PARIS)],
        ),
        (
            [tool(0, "a", "get_"), tool(0, None, "get_city"), tool(0, None, None, PARIS)],
            [("get_city", PARIS)],
        ),
        ([tool(0, "a", "f", PARIS), tool(0, None, "g", ROME)], [("f", PARIS), ("g", ROME)]),
    ],
)
def test_a_call_in_pieces_of_any_kind_runs_once_as_the_model_meant_it(
    pieces: list[Any], runs: list[tuple[str, str]]
) -> None:
    assert StreamedTurn("chat", sse(*pieces, finish("tool_calls"), DONE)).runs == runs


NO_ERRORS: list[Any] = [
    {"code": 0, "message": ""},
    {"code": None, "message": None, "param": None, "type": ""},
    {"code": "0", "message": "success"},
    {},
    False,
]


@pytest.mark.parametrize("error", NO_ERRORS)
@pytest.mark.parametrize("api", ["chat", "responses"])
def test_an_error_that_says_that_there_is_none_ends_no_answer(api: ApiName, error: Any) -> None:
    if api == "chat":
        body = sse({**delta(content="a"), "error": error}, {**finish(), "error": error}, DONE)
    else:
        body = plain(text("a"), completed(message("a"), error=error))
    said = StreamedTurn(api, body).said

    assert (said["text"], said["status"], said["notices"]) == ("a", "done", [])


@pytest.mark.parametrize(
    "error",
    [
        {"error": True, "message": "the GPU is lost"},
        {"detail": "the GPU is lost"},
        {"status": "error", "msg": "the GPU is lost"},
        {"object": "error", "message": "the GPU is lost", "code": 500},
    ],
)
def test_the_words_of_an_error_are_said_once(error: dict[str, Any]) -> None:
    said = StreamedTurn("chat", PART + sse(error, DONE)).said

    assert (said["text"], said["notices"]) == ("Half an", [])
    assert "the GPU is lost" in said["errors"][0]


FRAMES: list[Any] = [
    lambda body: body.replace(b"\n\n", b"\n"),
    lambda body: body.replace(b"\n\n", b"\r\n"),
    lambda body: body.replace(b"data:", b"Data:"),
    lambda body: body.replace(b"data:", b" data :"),
    lambda body: body.replace(b"hm, so", "hm,\t\x0b\u2028so".encode()),
]
"""What a server may do to a stream without that a word is lost."""


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("api", ["chat", "responses"])
def test_no_carelessness_in_framing_loses_an_answer(api: ApiName, frame: Any) -> None:
    if api == "chat":
        body = sse(delta(content="hm, so"), delta(content=" it is"), finish(), DONE)
    else:
        body = plain(text("hm, so"), text(" it is"), completed())
    said = StreamedTurn(api, frame(body)).said

    assert (said["text"].replace("\t\x0b\u2028", " "), said["status"]) == ("hm, so it is", "done")


@pytest.mark.parametrize(
    "body",
    [
        sse({"result": {"choices": [{"delta": {"content": "hm, so"}}]}}),
        sse({"result": {"choices": [{"delta": {"content": "hm, so"}}]}}, DONE),
        b'data: {"choices": [{"delta": {"content": "hm, so"}}]}\\n\\ndata: [DONE]',
    ],
)
@pytest.mark.parametrize("api", ["chat", "responses"])
def test_an_answer_that_cannot_be_read_is_quoted_and_not_called_nothing(
    api: ApiName, body: bytes
) -> None:
    said = StreamedTurn(api, body).said

    assert said["status"] == "error"
    assert "hm, so" in said["errors"][0]


@pytest.mark.parametrize(
    "calls",
    [
        {"index": 0, "id": "c", "function": {"name": "f", "arguments": "{}"}},
        {"0": {"id": "c", "function": {"name": "f", "arguments": "{}"}}},
        [{"index": 0, "id": "c", "name": "f", "arguments": "{}"}],
        [{"id": "c", "name": "f", "arguments": {}}],
        [{"id": "c", "type": "function", "function": {"name": "f", "parameters": {}}}],
        [{"id": "c", "function": "f", "arguments": "{}"}],
    ],
)
def test_a_call_of_any_shape_is_read(calls: Any) -> None:
    body = sse(delta(tool_calls=calls), finish("tool_calls"), DONE)

    assert StreamedTurn("chat", body).runs == [("f", "{}")]


@pytest.mark.parametrize(
    "fields",
    [
        {
            "tool_calls": [
                {"index": 0, "type": "custom", "custom": {"name": "f", "input": "hm, so"}}
            ]
        },
        {"tool_calls": "hm, so"},
        {"tool_calls": ["hm, so"]},
        {"reasoning": {"effort": "hm, so"}},
        {"reasoning_content": [{"type": "redacted", "data": "hm, so"}]},
        {"refusal": {"reason": "hm, so"}},
    ],
)
def test_a_known_key_of_an_unknown_shape_is_a_notice(fields: dict[str, Any]) -> None:
    turn = StreamedTurn("chat", sse(delta(content="a"), delta(**fields), finish(), DONE))

    assert turn.runs == []
    assert turn.said["text"] == "a"
    (notice,) = turn.said["notices"]
    assert "hm, so" in notice


def test_such_a_notice_is_bounded_and_has_no_secret() -> None:
    body = sse(*(delta(thoughts="sk-secret-1234 and ") for _ in range(5000)), finish(), DONE)
    turn = StreamedTurn("chat", body, secrets=("sk-secret-1234",))

    notice = turn.said["notices"][0]
    assert len(notice) < 500
    assert "sk-secret-1234" not in json.dumps(turn.turn)


@pytest.mark.parametrize(
    "noise",
    [
        b": OPENROUTER PROCESSING\n\n",
        b":\n\n",
        b"event: ping\ndata: {}\n\n",
        b'data: {"type": "ping"}\n\n',
        b"ping\n\n",
        b"id: 5\nretry: 100\n\n",
        b"data:\n\n",
        b"error: null\n\n",
        sse(
            {
                "choices": [],
                "usage": None,
                "error": None,
                "x_request_id": "ab-1",
                "timings": {"n": 1},
            }
        ),
        sse(delta(thoughts="", notes=None, more=[], flags={"a": [None, 1]})),
        sse({"choices": [{"index": 0, "delta": None, "stop_reason": "x", "token_ids": [1]}]}),
    ],
)
def test_what_says_nothing_is_no_notice(noise: bytes) -> None:
    said = StreamedTurn("chat", noise + PART + noise + sse(finish(), DONE)).said

    assert (said["text"], said["notices"], said["status"]) == ("Half an", [], "done")


def test_an_item_of_a_hosted_tool_is_an_answer() -> None:
    said = recorded("responses", "resp-done-item-only").said

    assert said["status"] == "done"
    assert said["errors"] == []
    assert "`apply_patch_call`" in said["notices"][0]


def test_a_complete_text_that_says_something_else_is_quoted() -> None:
    turn = StreamedTurn(
        "responses", plain(text("Four"), text("is"), completed(message("Four it is")))
    )

    assert turn.said["text"] == "Fouris"
    assert "“Four it is”" in turn.said["notices"][0]


def test_a_complete_message_after_its_pieces_is_said_once_and_completes_them() -> None:
    whole = {
        "content": "Four it is.",
        "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}],
    }
    last = {"choices": [{"index": 0, "message": whole, "finish_reason": "tool_calls"}]}
    turn = StreamedTurn("chat", sse(delta(content="Four it"), tool(0, "c", "f", "{}"), last, DONE))

    assert turn.said["text"] == "Four it is."
    assert turn.runs == [("f", "{}")]


def test_a_call_that_is_completed_again_under_other_names_runs_once() -> None:
    first, again = call("f", "{}", "fc_1"), call("f", "{}", "fc_9")
    stream = [added(call("f", "", "fc_1")), event("output_item.done", output_index=0, item=first)]
    stream += [event("output_item.done", output_index=4, item=again), completed(again)]

    assert StreamedTurn("responses", plain(*stream)).runs == [("f", "{}")]
