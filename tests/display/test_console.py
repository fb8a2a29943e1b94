"""Text that only grows says all of a turn once, however it arrives."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from msgbook.display.console import GrowingText, TextDisplay
from msgbook.events import (
    ModelFinished,
    Notice,
    OutputItem,
    ReasoningDelta,
    StepStarted,
    TextDelta,
    ToolApproved,
    ToolCallDelta,
    ToolFinished,
    ToolUpdated,
    TurnFinished,
)
from msgbook.text import without_data
from msgbook.turn.record import TurnRecord

EVENTS = [
    Notice("Long.", "warning"),
    StepStarted(1),
    ReasoningDelta("I "),
    ReasoningDelta("look."),
    ToolCallDelta(0, "c", "read", '{"path": '),
    ToolCallDelta(0, "c", "", '"a"}'),
    ModelFinished("tool_calls", ended=True),
    ToolApproved("c", "auto"),
    ToolFinished("c", "success", "\n".join(f"line {n}" for n in range(30)), 0.1),
    StepStarted(2),
    TextDelta("It is"),
    TextDelta(" **here**.\x1b[31m"),
    ModelFinished("stop", ended=True),
    TurnFinished("done"),
]
WHOLE = (
    '⚠️ Long.\n\n💭 I look.\n\n🔧 read {"path": "a"}\n'
    + "".join(f"  line {n}\n" for n in range(10))
    + "  ...\n\nIt is **here**.␛[31m\n"
)


def record():
    return TurnRecord({}, lambda: "00000000")


@given(st.lists(st.booleans(), min_size=len(EVENTS), max_size=len(EVENTS)))
def test_the_text_is_the_same_however_often_it_is_read(looks):
    turn, text, out = record(), GrowingText(), ""
    for event, look in zip(EVENTS, looks, strict=True):
        turn.apply(event, 0.0)
        if look:
            out += text.more(turn.snapshot()["blocks"])
    out += text.rest(turn.snapshot()["blocks"])

    assert out == WHOLE


def test_text_is_written_while_it_grows():
    turn, text = record(), GrowingText()
    written = []
    for event in EVENTS[1:4]:
        turn.apply(event, 0.0)
        written.append(text.more(turn.snapshot()["blocks"]))

    assert written == ["", "💭 I ", "look."]


LINK = "data:image/png;base64," + "iVBO" * 500


PIECES = [LINK, LINK[:9], LINK[5:40], "A" * 99, "=", ")", " ", "x:;base64,"]


@given(st.lists(st.sampled_from(PIECES)), st.integers(0))
def test_a_text_without_image_data_only_grows_too(pieces, cut):
    whole = "".join(pieces)

    assert without_data(whole).startswith(without_data(whole[:cut], ended=False))


def test_an_image_that_streams_is_written_as_its_size():
    turn, text, written = record(), GrowingText(), []
    for event in (StepStarted(1), *map(TextDelta, ("![x](", LINK[:50], LINK[50:], ")."))):
        turn.apply(event, 0.0)
        written.append(text.more(turn.snapshot()["blocks"]))

    assert written == ["", "![x](", "data:image/png;base64,", "", "… (2 kB))."]


def test_an_interrupted_turn_ends_its_open_block():
    turn, text = record(), GrowingText()
    for event in (*EVENTS[1:5], TurnFinished("interrupted")):
        turn.apply(event, 0.0)

    assert text.rest(turn.snapshot()["blocks"]) == ('💭 I look.\n\n🔧 read {"path":\n')


def test_changes_are_collected_into_few_messages():
    sent = []

    async def show():
        turn = record()
        display = TextDisplay(turn, lambda kind, content: sent.append((kind, content["text"])))
        turn.apply(StepStarted(1), 0.0)
        for number in range(1000):
            turn.apply(TextDelta(f"{number} "), 0.0)
            display.changed()
        display.finish()

    asyncio.run(show())

    assert {kind for kind, _ in sent} == {"stream"}
    assert len(sent) <= 3
    assert "".join(text for _, text in sent) == "".join(f"{n} " for n in range(1000)) + "\n"


def test_a_sub_agent_has_a_line_when_it_starts_and_one_when_it_has_ended():
    turn, text, out = record(), GrowingText(), []
    parser = {"name": "Parser", "agent": "reviewer", "file": ".msgbook/subagents/c-1.msg.md"}
    docs = {"name": "Docs\x1b[2K\nline", "status": "pending"}
    for event in [
        StepStarted(1),
        ToolCallDelta(0, "c", "dispatch_subagents", "{}"),
        ModelFinished("tool_calls", ended=True),
        ToolApproved("c", "user"),
        ToolUpdated("c", {"agents": [{**parser, "status": "pending"}, docs]}),
        ToolUpdated("c", {"agents": [{**parser, "status": "running"}, docs]}),
        ToolUpdated("c", {"agents": [{**parser, "status": "running", "steps": 2}, docs]}),
        ToolUpdated("c", {"agents": [{**parser, "status": "done", "last": "Fine."}, docs]}),
        ToolFinished("c", "success", "# Parser\nFine.", 3.0),
        TurnFinished("done"),
    ]:
        turn.apply(event, 0.0)
        out.append(text.more(turn.snapshot()["blocks"]))
    out.append(text.rest(turn.snapshot()["blocks"]))

    assert [piece for piece in out if piece] == [
        "🔧 dispatch_subagents {}\n",
        "  ⏳ Parser · reviewer · running · .msgbook/subagents/c-1.msg.md\n",
        "  ✅ Parser · reviewer · done · Fine.\n",
        "  ⏹️ Docs␛[2K line · interrupted\n  # Parser\n  Fine.\n",
    ]


def whole_and_in_pieces(*blocks):
    """Return the text of blocks that are all there at once, and of blocks that come one by one."""
    growing, out = GrowingText(), ""
    for number in range(1, len(blocks) + 1):
        out += growing.more(blocks[:number])
    return GrowingText().rest(blocks), out + growing.rest(blocks)


def test_hidden_reasoning_is_one_line():
    hidden = {"type": "reasoning", "text": "", "extra": {"item": {"type": "reasoning"}}}
    blocks = hidden, {"type": "text", "text": "Hi."}, {"type": "reasoning", "text": ""}

    expected = "💭 The model reasoned, but the server does not return its reasoning\n\nHi.\n"
    assert whole_and_in_pieces(*blocks) == (expected, expected)


def test_the_sources_of_a_text_stand_below_it():
    links = [
        {"url": "https://a.example", "title": "A\x1b[2J"},
        {"url": "javascript:x", "title": ""},
    ]
    cited = {"type": "text", "text": "Paris.", "extra": {"annotations": links}}
    call = {"type": "tool_call", "name": "read", "arguments": "{}", "approval": "auto"}

    expected = "Paris.\nSources:\n  1. A␛[2J https://a.example\n  2. javascript:x\n\n🔧 read {}\n"
    assert whole_and_in_pieces(cited, call) == (expected, expected)
    alone = {**cited, "text": ""}
    assert whole_and_in_pieces(alone)[0].startswith("Sources:\n  1. A")


def test_an_item_of_the_server_is_one_line():
    notice = {
        "type": "notice",
        "level": "info",
        "text": "The server sent an item that msgbook cannot display: `x`.",
    }
    kept = {**notice, "extra": {"item": {"type": "x", "encrypted_content": "SECRET" * 10**5}}}

    expected = "ℹ️ The server sent an item that msgbook cannot display: `x`.\n"
    assert whole_and_in_pieces(kept) == (expected, expected)


def shown_at_the_end(*events):
    sent = []

    async def show():
        turn = TurnRecord({"model": "m"}, lambda: "00000000")
        display = TextDisplay(turn, lambda _kind, content: sent.append(content["text"]))
        for event in events:
            turn.apply(event, 0.0)
        display.finish()

    asyncio.run(show())
    return "".join(sent)


def test_another_model_than_was_asked_stands_at_the_end():
    shown = shown_at_the_end(TextDelta("Hi"), ModelFinished("stop", True, model="n\x1b[2J"))

    assert shown == "Hi\n\nℹ️ m (answered by n\\u001b[2J)\n"


def test_the_tokens_of_hidden_reasoning_stand_at_the_end():
    finished = ModelFinished("stop", True, {"output_tokens": 70, "reasoning_tokens": 64})
    ending = TextDelta("Hi"), finished, TurnFinished("done")
    hidden = OutputItem({"type": "reasoning", "id": "rs_1", "encrypted_content": "sealed"})

    line = "💭 The model reasoned, but the server does not return its reasoning\n\n"
    tokens = "\nℹ️ 64 reasoning tokens in this turn\n"
    assert shown_at_the_end(hidden, *ending) == f"{line}Hi\n{tokens}"
    assert shown_at_the_end(ReasoningDelta("I look."), *ending) == "💭 I look.\n\nHi\n"
