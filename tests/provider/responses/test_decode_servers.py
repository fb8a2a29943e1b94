"""Streams of the Responses API in the forms that its servers are known to send."""

from __future__ import annotations

from responses import decode, end, event, merged, plain, response

WHOLE = {"type": "reasoning", "id": "rs_a", "summary": []}
HM = [{"type": "reasoning_text", "text": "hm"}]
SAID = [
    ("reasoning", "content", "hm"),
    ("item", {"type": "reasoning", "id": "rs_a"}),
    ("text", "", "Hi"),
    ("call", "fc_x", "read", "{}"),
]


def test_llama_cpp_names_calls_by_their_call_id_and_gives_no_index():
    call = {"type": "function_call", "call_id": "fc_x", "name": "read"}
    words = [{"type": "output_text", "text": "Hi", "annotations": [], "logprobs": []}]
    message = {"type": "message", "id": "msg_a", "role": "assistant", "content": words}
    reasoning = {**WHOLE, "content": HM, "encrypted_content": "", "status": "completed"}
    stream = [
        event("created", response={"id": "resp_a", "object": "response", "status": "in_progress"}),
        event("output_item.added", item={**WHOLE, "content": [], "encrypted_content": ""}),
        event("reasoning_text.delta", item_id="rs_a", delta="hm"),
        event("output_item.added", item={**message, "content": []}),
        event("content_part.added", item_id="msg_a", part={"type": "output_text", "text": ""}),
        event("output_text.delta", item_id="msg_a", delta="Hi"),
        event("output_item.added", item={**call, "arguments": "", "status": "in_progress"}),
        event("function_call_arguments.delta", item_id="fc_x", delta="{"),
        event("function_call_arguments.delta", item_id="fc_x", delta="}"),
        event("reasoning_text.done", item_id="rs_a", text="hm"),
        event("output_item.done", item=reasoning),
        event("output_text.done", item_id="msg_a", text="Hi"),
        event("output_item.done", item=message),
        event("function_call_arguments.done", item_id="fc_x", arguments="{}"),
        event("output_item.done", item={**call, "arguments": "{}", "status": "completed"}),
        event(
            "completed",
            response=response(reasoning, message, {**call, "arguments": "{}"}),
        ),
    ]

    events = decode(plain(*stream))
    assert sorted(merged(events)) == sorted(SAID)
    assert end(events).finish_reason == "tool_calls"


def test_vllm_numbers_every_event_alike_and_changes_ids_in_the_complete_response():
    call = {"type": "function_call", "id": "fc_1", "call_id": "fc_x", "name": "read"}
    message = {"type": "message", "id": "msg_1", "role": "assistant", "content": []}
    words = [{"type": "output_text", "text": "Hi", "annotations": []}]
    place = {"sequence_number": -1, "content_index": 0}
    stream = [
        event("output_item.added", output_index=0, item=WHOLE, **place),
        event("reasoning_part.added", item_id="rs_a", output_index=0, **place),
        event("reasoning_text.delta", item_id="rs_a", output_index=0, delta="h", **place),
        event("reasoning_text.delta", item_id="rs_a", output_index=0, delta="m", **place),
        event("reasoning_part.done", item_id="rs_a", output_index=0, **place),
        event("output_item.done", output_index=0, item={**WHOLE, "content": HM}, **place),
        event("output_item.added", output_index=1, item=message, **place),
        event("output_text.delta", item_id="msg_1", output_index=1, delta="Hi", **place),
        event("output_item.done", output_index=1, item={**message, "content": words}, **place),
        event("output_item.added", output_index=2, item={**call, "arguments": ""}, **place),
        event("function_call_arguments.delta", item_id="fc_1", output_index=2, delta="{}", **place),
        event("output_item.done", output_index=2, item={**call, "arguments": "{}"}, **place),
        event(
            "completed",
            response=response(
                {**WHOLE, "id": "rs_other", "content": HM},
                {**message, "id": "msg_other", "content": words},
                {**call, "id": "fc_other", "call_id": "call_other", "arguments": "{}"},
                status="incomplete",
                incomplete_details={"reason": "max_output_tokens"},
            ),
            **place,
        ),
    ]

    events = decode(plain(*stream))
    assert merged(events) == SAID
    assert end(events).finish_reason == "length"


def test_openrouter_completes_reasoning_after_the_call_that_follows_it():
    sealed = {**WHOLE, "encrypted_content": "c2VhbGVk"}
    call = {"type": "function_call", "id": "fc_1", "call_id": "fc_x", "name": "read"}
    call["arguments"] = "{}"
    stream = [
        event("output_item.added", output_index=0, item=WHOLE),
        event("output_item.added", output_index=1, item={**call, "arguments": ""}),
        event("output_item.done", output_index=1, item=call),
        event("output_item.done", output_index=0, item=sealed),
        event("completed", response=response(sealed, call)),
        "[DONE]",
    ]
    frames = b"".join(
        plain(one) if isinstance(one, dict) else b"data: [DONE]\n\n" for one in stream
    )

    assert merged(decode(b": OPENROUTER PROCESSING\n\n" + frames)) == [
        ("item", {"type": "reasoning", "id": "rs_a", "encrypted_content": "c2VhbGVk"}),
        ("call", "fc_x", "read", "{}"),
    ]


def test_ollama_sends_its_reasoning_as_a_summary():
    place = {"item_id": "rs_a", "output_index": 0, "summary_index": 0}
    summary = [{"type": "summary_text", "text": "hm"}]
    whole = {**WHOLE, "summary": summary, "encrypted_content": "hm"}
    stream = [
        event("output_item.added", output_index=0, item=WHOLE),
        event("reasoning_summary_text.delta", **place, delta="hm"),
        event("reasoning_summary_text.done", **place, text="hm"),
        event("output_item.done", output_index=0, item=whole),
        event("completed", response=response(whole)),
    ]

    assert merged(decode(plain(*stream))) == [
        ("reasoning", "summary", "hm"),
        ("item", {"type": "reasoning", "id": "rs_a", "encrypted_content": "hm"}),
    ]
