"""A reader gives what reading anew would give, and the prefix law holds."""

from __future__ import annotations

import copy
import json
from functools import partial

import pytest
from history_cells import answers, calls, note, odd_cells, prompt, says
from hypothesis import given
from hypothesis import strategies as st

from msgbook.config import may_contain, redact_json
from msgbook.messages import encode, request_hash
from msgbook.request.history import Reader, View, known_summaries
from msgbook_format.syntax import ChatCells
from msgbook_format.turn import TURN_MIME

VIEW = View("assistant", "Be kind.")
views = st.builds(
    View,
    st.sampled_from(["assistant", "reviewer"]),
    st.just("s"),
    vision=st.booleans(),
    reasoning_of=st.sampled_from([None, "p"]),
    alternate=st.booleans(),
)


@given(st.lists(st.tuples(st.lists(odd_cells, max_size=4), views), max_size=4))
def test_what_is_remembered_is_what_would_be_read(requests):
    reader = Reader()
    for cells, view in requests:
        known = known_summaries(cells)
        fresh = Reader().read(cells, view, known)
        assert str(reader.read(cells, view, known)) == str(fresh)


def test_a_cell_that_was_changed_in_place_is_read_again():
    cell = prompt("Q", says("A")) | {"id": "a"}
    reader = Reader()
    reader.read([cell], VIEW)

    cell["outputs"][0]["data"][TURN_MIME]["blocks"][0]["text"] = "B"

    assert reader.read([cell], VIEW).messages[-1]["content"] == "B"


def test_a_cell_is_read_once_however_often_it_comes():
    replayed = []

    def replay(text, context, vision):
        replayed.append(text)
        return text

    reader = Reader(replay=replay)
    cells = [prompt(f"Q{n}", says("A")) | {"id": f"p{n}"} for n in range(3)]
    reader.read(cells[:2], VIEW)
    reader.read(copy.deepcopy([note("new"), *cells]), VIEW)

    assert replayed == ["Q0", "Q1", "Q2"]


def test_a_magic_that_is_registered_later_counts():
    known = set()
    reader = Reader(cell_rule=ChatCells(lambda name: name in known))
    cell = {"cell_type": "code", "source": "%foo", "metadata": {}, "outputs": []}

    assert reader.read([cell], VIEW).messages[-1]["content"] == "%foo"
    known.add("%foo")
    assert "I ran this code" in reader.read([cell], VIEW).messages[-1]["content"]


@given(st.lists(st.tuples(st.lists(odd_cells, max_size=4), views), max_size=4))
def test_the_hash_is_that_of_the_messages(requests):
    reader = Reader()
    for cells, view in requests:
        history = reader.read(cells, view)
        whole = history.with_prompt({"role": "user", "content": "é now"}, len(cells))

        assert reader.request_hash(history) == request_hash(history.messages)
        assert reader.request_hash(whole) == request_hash(whole.messages)
        assert view.alternate or whole.messages[:-1] == history.messages


def test_each_message_has_the_cell_that_gave_it():
    cells = [note("sys", role="system"), note("n"), prompt("Q", calls("a"), says("A", 2)), note("")]
    history = Reader().read(cells, VIEW)

    assert history.owners == [None, 1, 2, 2, 2, 2]
    assert history.cells == 3


def test_prompts_bring_again_what_they_brought():
    def replay(text, context, vision):
        return f"{text}\n\n{context.get('block', '')}".rstrip()

    cell = prompt("Q", says("A"))
    cell["outputs"][0]["data"][TURN_MIME]["context"] = {"block": "<content_reference>"}
    reader = Reader(replay=replay)

    assert reader.read([cell], VIEW).messages[1]["content"] == "Q\n\n<content_reference>"
    assert (
        reader.prompt_message("Q", {"block": "<content_reference>"}, VIEW)
        == reader.read([cell], VIEW).messages[1]
    )


@pytest.mark.parametrize("looks", [True, False])
def test_nothing_that_must_not_be_sent_is(looks):
    looking = {"may_contain": partial(may_contain, secrets=["sk-key"])} if looks else {}
    reader = Reader(redact=partial(redact_json, secrets=["sk-key"]), **looking)
    image = {"type": "image_url", "image_url": {"url": "http://h/?k=sk-key"}}
    call = calls("a") | {"arguments": '{"k": "sk-key"}'}
    result = answers("a", [{"type": "text", "text": "sk-key"}, image])
    cells = [
        note("sk-key", role="system"),
        prompt("is sk-key", says("sk-key"), call, result),
        note("sk-key"),
    ]
    view = View("assistant", "sk-key", vision=True)

    assert "sk-key" not in str(reader.read(cells, view))
    assert "sk-key" not in str(reader.prompt_message("sk-key", {}, view))


SECRETS = ("sk-0123456789", 'a"\\\n\u00e9\u4e16key', "\u00e9\u00e9\u00e9\u00e9")
pieces = st.lists(
    st.sampled_from([*SECRETS, *(secret[:8] for secret in SECRETS), "x", '"', "\\", "[redacted]"])
).map("".join)


@given(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant"]), "content": pieces | st.none()},
        optional={"tool_calls": st.lists(st.fixed_dictionaries({"id": pieces}), max_size=2)},
    )
)
def test_what_may_hold_no_secret_need_not_be_redacted(message):
    encoded = encode(message)

    assert encoded == json.dumps(
        message, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    ).encode("utf-8", "replace")
    assert may_contain(encoded, SECRETS) or redact_json(message, SECRETS) == message
    assert may_contain(encoded, SECRETS) or not any(secret in str(message) for secret in SECRETS)


def test_neighbours_of_one_role_are_one_message_where_roles_have_to_alternate():
    view = View("assistant", "s", alternate=True)
    cells = [note("a"), prompt("b"), prompt("c", says("A")), note("also", role="assistant")]
    history = Reader().read(cells, view).with_prompt({"role": "user", "content": "d"}, 4)

    assert [(m["role"], m["content"]) for m in history.messages] == [
        ("system", "s"),
        ("user", "a\n\nb\n\nc"),
        ("assistant", "A\n\nalso"),
        ("user", "d"),
    ]
    assert history.owners == [None, 0, 2, 4]
    assert Reader().request_hash(history) == request_hash(history.messages)


def test_calls_and_their_results_are_never_merged():
    view = View("assistant", "s", alternate=True)
    turn = [calls("a"), answers("a"), calls("b", 2), answers("b", step=2), says("A", 3)]

    roles = [m["role"] for m in Reader().read([prompt("Q", *turn)], view).messages]

    assert roles == ["system", "user", "assistant", "tool", "assistant", "tool", "assistant"]


def test_the_prefix_law():
    turn = [
        {"type": "reasoning", "step": 1, "text": "hm"},
        calls("a"),
        answers("a"),
        says("A", 2),
    ]
    cells = [note("n"), prompt("Q0", *turn), note("late", role="system"), prompt("Q1", *turn)]
    reader = Reader()
    first = reader.read(cells[:3], VIEW).with_prompt(reader.prompt_message("Q1", {}, VIEW), 3)
    second = reader.read(cells, VIEW).with_prompt(reader.prompt_message("Q2", {}, VIEW), 4)

    assert second.messages[: len(first.messages)] == first.messages
    assert [m["role"] for m in second.messages[len(first.messages) :]] == [
        "assistant",
        "tool",
        "assistant",
        "user",
    ]
