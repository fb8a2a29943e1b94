"""A person may change a call: what runs was asked about as it is, and the model is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from scripted_turn import SAID, ScriptedModel, calls, run

from msgbook.approval import ApprovalRequest, Decision, Question
from msgbook.errors import ToolError
from msgbook.tools import CallContext, Tool
from msgbook.turn.call_results import misfit

SENT = {"path": "a", "size": 1}


def tool(ran: list[str], *, free: Sequence[str] = ()) -> Any:
    def bind(context: CallContext) -> Callable[..., Any]:
        async def make(path: str, size: int = 0) -> str:
            if path not in free:
                context.require(ApprovalRequest(f"it makes {path}", preview=f"+{path}\n"))
            if path == "bad":
                raise ToolError("no such path")
            ran.append(path)
            return f"made {path}"

        return make

    return Tool("make", bind)


def run_with(
    answers: list[Decision], ran: list[str], **more: Any
) -> tuple[dict[str, Any], list[Question], ScriptedModel]:
    asked: list[Question] = []

    async def approve(question: Question) -> Decision:
        asked.append(question)
        return answers.pop(0)

    model = ScriptedModel(calls(("make", SENT)), SAID)
    return run(model, tool(ran, **more), approve=approve), asked, model


def edited(**arguments: Any) -> Decision:
    return Decision("edited", arguments=json.dumps(arguments))


def parts(turn: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    call, result = turn["blocks"][:2]
    return call, result


def test_edited_arguments_are_asked_about_anew_and_then_run():
    ran: list[str] = []
    turn, asked, model = run_with([edited(path="b"), Decision("user")], ran)

    assert ran == ["b"]
    assert [q.approval_request.reason for q in asked] == ["it makes a", "it makes b"]
    assert [q.approval_request.preview for q in asked] == ["+a\n", "+b\n"]
    assert [json.loads(q.call["arguments"])["path"] for q in asked] == ["a", "b"]
    assert [(q.can_edit, q.is_edited) for q in asked] == [(True, False), (True, True)]
    call, result = parts(turn)
    assert json.loads(call["arguments"]) == SENT
    assert json.loads(call["edited_arguments"]) == {"path": "b"}
    assert call["approval"] == "user"
    told = 'The user changed the arguments of this call before it ran. It ran with these arguments: {"path": "b"}'
    assert result["content"] == f"{told}\n\nmade b"
    sent = model.requests[1].messages
    assert json.loads(sent[-2]["tool_calls"][0]["function"]["arguments"]) == SENT
    assert sent[-1]["content"].startswith(told)


def test_arguments_that_do_not_fit_the_tool_are_asked_about_once_more_with_the_reason():
    ran: list[str] = []
    wrong = Decision("edited", arguments='{"path": 3}')
    twice = Decision("edited", arguments='{"path": "b", "path": "c"}')
    turn, asked, _ = run_with([wrong, twice, Decision("user")], ran)

    assert ran == ["a"]
    assert [q.problem for q in asked] == [
        "",
        "These arguments do not fit: path: 3 is not of type 'string'.",
        "These arguments do not fit: an object has the same key twice.",
    ]
    assert [q.draft for q in asked] == ["", wrong.arguments, twice.arguments]
    assert "edited_arguments" not in parts(turn)[0]
    assert parts(turn)[1]["content"] == "made a"


def test_edited_arguments_may_be_denied_and_the_model_is_not_told_that_they_ran():
    turn, _, _ = run_with([edited(path="b"), Decision("denied", "Denied: no")], ran := [])

    assert ran == []
    call, result = parts(turn)
    assert (call["approval"], result["status"], result["content"]) == (
        "denied",
        "denied",
        "Denied: no",
    )


def test_a_person_may_edit_any_number_of_times():
    answers = [edited(path=str(n)) for n in range(8)]
    turn, asked, _ = run_with([*answers, Decision("user")], ran := [])

    assert ran == ["7"]
    assert len(asked) == 9
    assert parts(turn)[1]["status"] == "success"


def test_arguments_that_need_no_approval_run_as_they_were_written():
    turn, asked, _ = run_with([edited(path="b")], ran := [], free=["b"])

    assert (ran, len(asked)) == (["b"], 1)
    assert parts(turn)[0]["approval"] == "user"


def test_a_failure_of_edited_arguments_says_with_which_it_failed():
    turn, _, _ = run_with([edited(path="bad"), Decision("user")], [])

    assert parts(turn)[1]["status"] == "error"
    assert parts(turn)[1]["content"].endswith('{"path": "bad"}\n\nno such path')


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("[1]", "expected a JSON object"),
        ("{", "Expecting property name"),
        ('{"path": "a", "more": 1}', "'more' was unexpected"),
        ("{}", "'path' is a required property"),
        ("[" * 100_000, "nested too deeply"),
        ('{"path": "a\\u202e", "size": "\\u202e"}', "\\u202e"),
    ],
)
def test_what_does_not_fit_is_said_in_words(arguments, words):
    said = misfit(arguments, tool([]).schema)

    assert words in said
    assert "\u202e" not in said


@pytest.mark.parametrize(
    "parameters",
    [
        {"properties": {"path": {"type": "string", "pattern": "(a+)+$"}}},
        {"patternProperties": {"(p+)+x": {"type": "string"}}, "additionalProperties": True},
    ],
)
def test_a_schema_of_a_server_cannot_hold_the_kernel_up(parameters):
    schema = {"function": {"parameters": {"type": "object", **parameters}}}

    assert misfit(json.dumps({"path": "a" * 50 + "b"}), schema) == ""


@pytest.mark.parametrize(
    "broken", [{"$ref": "http://example.invalid/x.json"}, {"type": "rubbish"}, {"required": 3}]
)
def test_a_schema_that_cannot_be_used_is_told_and_loads_nothing(broken):
    schema = {"function": {"parameters": {"properties": {"path": broken}}}}

    assert "cannot be used" in misfit('{"path": {"a": 1}}', schema)
