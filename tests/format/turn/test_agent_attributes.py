"""The sub-agents of a tool result stand in a message file as plain attributes, and nothing of them is lost."""

from __future__ import annotations

from typing import Any

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from msgbook_format import reads, writes
from msgbook_format.turn import TURN_MIME, bundle

ROW = {
    "uuid": "u1",
    "name": "Parser",
    "agent": "reviewer",
    "status": "done",
    "steps": 3,
    "file": ".msgbook/subagents/chat-1.msg.md",
    "last": 'Say "no".',
    "duration": 12.5,
    "usage": {"input_tokens": 1200, "output_tokens": 30},
}


def notebook(result: dict[str, Any]) -> nbformat.NotebookNode:
    call = {"type": "tool_call", "step": 1, "id": "c", "name": "dispatch_subagents"}
    block = {"type": "tool_result", "step": 1, "id": "c", "status": "success", "content": "Done."}
    blocks = [{**call, "arguments": "{}", "nonce": "5f3a90c2"}, {**block, **result}]
    turn: Any = {"version": 1, "status": "done", "blocks": blocks}
    output = nbformat.v4.new_output("display_data", bundle(turn))
    cell = nbformat.v4.new_code_cell("Go", id="a", outputs=[output])
    made = reads("")
    made.cells = [cell]
    return made


def result_in(text: str) -> dict[str, Any]:
    block: dict[str, Any] = reads(text).cells[0].outputs[0].data[TURN_MIME].blocks[1]
    return {key: block[key] for key in block if key in ("agents", "attrs")}


def test_rows_are_plain_to_read() -> None:
    text = writes(notebook({"agents": [ROW, {"name": "Docs", "status": "error"}]}))
    assert (
        '[tool] status="success" agent.1.name="Parser" agent.1.agent="reviewer" '
        'agent.1.status="done" agent.1.steps="3" agent.1.duration="12.5s" '
        'agent.1.input_tokens="1200" agent.1.output_tokens="30" agent.1.last="Say \\"no\\"." '
        'agent.1.file=".msgbook/subagents/chat-1.msg.md" agent.1.uuid="u1" '
        'agent.2.name="Docs" agent.2.status="error"\n'
    ) in text
    assert "extra=" not in text


ODD_ROWS = [
    [],
    {},
    "x",
    None,
    [None],
    [{}],
    [{**ROW, "novel": 1}],
    [{**ROW, "steps": "3"}],
    [{**ROW, "steps": True}],
    [{**ROW, "duration": float("1e300")}],
    [{**ROW, "usage": {}}],
    [{**ROW, "usage": {"input_tokens": 1, "novel": 2}}],
    [{**ROW, "name": "\x00\r\ud800"}],
    [{**ROW, "last": "[^a]: [raw] history=none\n# %% [^b]"}],
    [ROW] * 999,
    [ROW] * 1000,
]


@pytest.mark.parametrize("agents", ODD_ROWS, ids=lambda rows: repr(rows)[:60])
def test_rows_of_any_value_come_back(agents: Any) -> None:
    text = writes(notebook({"agents": agents}))
    assert result_in(text) == {"agents": agents}
    assert writes(reads(text)) == text


@pytest.mark.parametrize(
    "attrs",
    [
        [["agent.1.name", "x"]],
        [["agent.2.name", "x"]],
        [["agent.1.novel", "x"]],
        [["agent.1.steps", "many"], ["b", True]],
        [["agent.1.name", True]],
    ],
)
def test_unknown_attributes_that_look_like_rows_come_back(attrs: Any) -> None:
    for agents in ({}, {"agents": [ROW]}):
        text = writes(notebook({**agents, "attrs": attrs}))
        assert result_in(text) == {**agents, "attrs": attrs}
        assert writes(reads(text)) == text


@pytest.mark.parametrize(
    "written",
    [
        'agent.2.name="x"',
        'agent.1.name="x" agent.3.name="y"',
        'agent.1.steps="many"',
        'agent.1.novel="x"',
        'agent.01.name="x"',
        'agent.1.name="x" agent.1.name="y"',
        "agent.1.name agent.1.steps=3",
        'agent.1.name="x" extra="{\\"agents\\":[]}"',
    ],
)
def test_what_a_person_writes_stays(written: str) -> None:
    text = writes(notebook({})).replace('status="success"', f'status="success" {written}')
    assert written in text
    assert writes(reads(text)) == text
    edited = reads(text)
    edited.cells[0].source = "Go on"
    once = writes(edited)
    assert writes(reads(once)) == once


KEYS = ["name", "agent", "status", "steps", "duration", "last", "file", "uuid", "usage", "novel"]
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
VALUES = LEAVES | st.dictionaries(st.sampled_from(["input_tokens", "output_tokens", "x"]), LEAVES)


@given(st.lists(st.dictionaries(st.sampled_from(KEYS), VALUES), max_size=4))
def test_any_rows_come_back(agents: Any) -> None:
    text = writes(notebook({"agents": agents}))
    assert result_in(text) == {"agents": agents}
    assert writes(reads(text)) == text
