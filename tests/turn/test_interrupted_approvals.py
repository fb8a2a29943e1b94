"""An interrupt while an approval is pending: a turn that has ended says what was decided, and waits for nothing."""

from __future__ import annotations

import asyncio

import pytest
from scripted_turn import ScriptedModel, ScriptedTool, calls, echo, run

from msgbook.approval import Decision
from msgbook_format.turn import blocks_of_type

ASKS = {
    "a call": calls(("t", 1)),
    "the second of two": calls(("free", 1), ("t", 1)),
    "the first of two": calls(("t", 1), ("t", 2)),
    "two side by side": calls(("r", 1), ("r", 2)),
    "beside one that has run": calls(("r", 1), ("reads", 2)),
}


def results(turn):
    return blocks_of_type(turn["blocks"], "tool_result")


def interrupted_while_asked(answer, made):
    """The turn, whose task is cancelled `answer` turns of the loop before a person answers."""
    running = []

    async def approve(_question):
        running[0].cancel()
        for _ in range(answer):
            await asyncio.sleep(0)
        return Decision("user")

    tools = [
        ScriptedTool("t", echo, asks=True),
        ScriptedTool("r", echo, read_only=True, asks=True),
        ScriptedTool("free", echo),
        ScriptedTool("reads", echo, read_only=True),
    ]
    return run(ScriptedModel(made), *tools, approve=approve, started=running.append)


@pytest.mark.parametrize("made", ASKS.values(), ids=ASKS)
@pytest.mark.parametrize("answer", [1, 2, 5])
def test_no_call_is_left_pending_and_each_has_one_result(made, answer):
    turn = interrupted_while_asked(answer, made)

    assert turn["status"] == "interrupted"
    made = blocks_of_type(turn["blocks"], "tool_call")
    assert "pending" not in [call.get("approval") for call in made]
    answered = [result["id"] for result in results(turn)]
    expected = [call["id"] for call in made if not call.get("unfinished")]
    assert sorted(answered) == sorted(expected)


@pytest.mark.parametrize("answer", [1, 2, 5])
def test_the_call_counts_as_denied_and_its_result_says_that_it_was_not_run(answer):
    turn = interrupted_while_asked(answer, ASKS["a call"])

    (call,) = blocks_of_type(turn["blocks"], "tool_call")
    (result,) = results(turn)
    assert call["approval"] == "denied"
    assert result["status"] == "interrupted"
    assert result["content"].startswith("(not run")
    assert "duration" not in result
