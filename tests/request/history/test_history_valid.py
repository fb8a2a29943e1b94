"""Every request is one that strict servers accept, whatever the notebook holds."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from answered import PRUNE, files_of_message
from history_cells import blocks, check_valid, json_values, odd_cells, prompt, says
from hypothesis import given
from hypothesis import strategies as st
from messages_requests import check_messages

from msgbook.messages import OUTPUT_ITEMS, Message, request_hash
from msgbook.provider import Request, request_body
from msgbook.request.context.content_reference import (
    ContextItems,
    append_content_reference,
    build_content_reference,
    replay_content_reference,
)
from msgbook.request.history import Reader, View, contexts_above, known_summaries, summary_record
from msgbook_format.syntax import CHAT_CELLS
from msgbook_format.turn import TURN_MIME

views = st.builds(
    View,
    st.sampled_from(["assistant", "reviewer"]),
    st.sampled_from(["Be kind.", ""]),
    vision=st.booleans(),
    reasoning_of=st.sampled_from([None, "p"]),
    alternate=st.booleans(),
)
digests = st.sampled_from(["0" * 64, "1" * 64]) | json_values
files = st.fixed_dictionaries(
    {},
    optional={
        "key": st.sampled_from(["a", "b"]) | json_values,
        "name": st.sampled_from(["a", "b"]) | json_values,
        "version": st.integers(0, 2) | json_values,
        "sha256": digests,
        "unchanged": st.booleans() | json_values,
        "dropped": st.booleans() | json_values,
        "args": json_values,
    },
)
extras = st.fixed_dictionaries(
    {
        "extra": st.fixed_dictionaries(
            {},
            optional={
                "field": st.sampled_from(["", "reasoning", "role", "content"]) | json_values,
                "reasoning_details": st.lists(st.dictionaries(st.text(max_size=2), json_values)),
                "item": st.dictionaries(
                    st.sampled_from(["type", "id", "role", "content", "call_id", "output"]),
                    st.sampled_from(["reasoning", "message", "function_call", "mcp_call"])
                    | json_values,
                ),
                "call": st.dictionaries(
                    st.sampled_from(["id", "type", "function", "extra_content"]), json_values
                ),
            },
        )
    }
)
contexts = st.dictionaries(
    st.sampled_from(["files", "rules", "tools", "summaries"]),
    st.lists(files, max_size=3) | json_values,
)


@st.composite
def turns(draw: st.DrawFn) -> dict[str, Any]:
    """A prompt with an odd turn and an odd record."""
    cell = prompt("Q", says("A"))
    turn = cell["outputs"][0]["data"][TURN_MIME]
    turn["blocks"] = draw(st.lists(blocks, max_size=5))
    for block_ in turn["blocks"]:
        block_ |= draw(st.just({}) | extras)
    turn["status"] = draw(st.sampled_from(["done", "running", "interrupted"]))
    turn["agent"] = draw(st.sampled_from(["assistant", "reviewer"]))
    turn["context"] = draw(contexts | json_values)
    cell["metadata"]["msgbook"] = draw(
        st.sampled_from([{}, {"history": "summary"}, {"history": "exclude"}])
    )
    return cell


notebooks = st.lists(odd_cells | turns() | st.just(PRUNE), max_size=6)


def replay(text: str, context: Any, vision: bool) -> Any:
    """As a conversation does it; one of the texts is still there. Of images there is one."""
    load = {"0" * 64: "the text"}.get
    content: Any = text
    if vision:
        image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
        content = [{"type": "text", "text": text}, image]
    return append_content_reference(content, replay_content_reference(context, load))


def request(cells: list[dict[str, Any]], view: View) -> list[Message]:
    """The request of a prompt below some cells, with all summaries but the first made."""
    reader = Reader(cell_rule=CHAT_CELLS, replay=replay)
    known = known_summaries(cells)
    for missing in reader.read(cells, view, known).missing[1:]:
        known |= {s["source"]: s["text"] for s in summary_record(missing, "S").values()}
    history = reader.read(cells, view, known)
    built = build_content_reference(
        contexts_above(cells, CHAT_CELLS), ContextItems({"r": "R"}, {"a": "A"})
    )
    message = reader.prompt_message("Go on.", built.context, view)
    assert message is not None
    whole = history.with_prompt(message, len(cells))
    assert reader.request_hash(whole) == request_hash(whole.messages)
    assert len(whole.owners) == len(whole.encoded) == len(whole.messages)
    return whole.messages


def check_keys(messages: list[Message], *, reasoning: bool) -> None:
    """No message says more than its role may; reasoning goes to servers that want it back."""
    for message in messages:
        known = {"role", "content", "tool_call_id" if message["role"] == "tool" else "tool_calls"}
        more = message.keys() - known
        assert not more or (reasoning and message["role"] == "assistant")
        assert all(key.startswith("reasoning") for key in more - {OUTPUT_ITEMS})
        lists = {"reasoning_details", OUTPUT_ITEMS}
        assert all(isinstance(message[key], str) for key in more - lists)
        for call in message.get("tool_calls", ()):
            assert call["type"] == "function"
            assert call["function"].keys() == {"name", "arguments"}
    # Strict servers know no NaN.
    json.dumps(messages, allow_nan=False)


def check_alternating(messages: list[Message]) -> None:
    """No two messages of one role in a row, those with calls and their results aside."""
    for one, other in pairwise(messages):
        if one["role"] == other["role"] and one["role"] != "tool":
            assert "tool_calls" in one or "tool_calls" in other


@given(notebooks, views)
def test_any_notebook_gives_a_valid_request(cells, view):
    messages = request(cells, view)

    check_valid(messages)
    check_keys(messages, reasoning=view.reasoning_of is not None)
    if view.alternate:
        check_alternating(messages)


@given(notebooks, views)
def test_any_notebook_says_the_same_over_all_apis(cells, view):
    chat = request(cells, view)
    responses = request_body(Request("m", chat), "responses")

    json.dumps(responses, allow_nan=False).encode()
    items = [item for item in responses["input"] if item.get("type") != "reasoning"]
    assert {item.get("role", item.get("type")) for item in items} <= {
        "user",
        "assistant",
        "function_call",
        "function_call_output",
    }
    calls = [call for message in chat for call in message.get("tool_calls", ())]
    made = [item for item in items if item.get("type") == "function_call"]
    assert [call["function"]["name"] for call in calls] == [item["name"] for item in made]
    spoken = [m["role"] for m in chat if m["role"] not in ("system", "tool") and m["content"]]
    assert spoken == [item["role"] for item in items if "role" in item]


@given(notebooks, views)
def test_any_notebook_gives_a_request_that_anthropic_takes(cells, view):
    check_messages(request_body(Request("m", request(cells, view)), "anthropic"))


@given(notebooks, views)
def test_images_go_only_to_models_that_see(cells, view):
    messages = request(cells, view)

    parts = [p for m in messages if isinstance(m["content"], list) for p in m["content"]]
    assert view.vision or parts == []


@given(notebooks)
def test_below_a_prune_no_file_is_shown_twice(cells):
    view = View("assistant", "s")
    above = [cell for cell in cells if cell != PRUNE]
    history = Reader(cell_rule=CHAT_CELLS, replay=replay).read([*above, PRUNE], view)

    contexts = list(contexts_above([*above, PRUNE], CHAT_CELLS))
    shown = [
        key
        for context in contexts
        for key, text in files_of_message(
            {
                "role": "user",
                "content": replay_content_reference(context, lambda digest: "the text"),
            }
        ).items()
        if text == "the text"
    ]
    assert len(shown) == len(set(shown))
    check_valid(history.messages)
