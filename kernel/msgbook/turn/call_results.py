"""Calls that do not run as the model wrote them: with changed arguments, interrupted, or not run. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from msgbook.approval import Approve, Decision, Question
from msgbook.events import ToolFinished
from msgbook.messages import with_text_before
from msgbook.text import one_line, visible
from msgbook.tool_calls import parse_arguments
from msgbook.tools import Content, Tool
from msgbook_format.turn import TOOL_RESULTS, Block

_TOLD = (
    "The user changed the arguments of this call before it ran. It ran with these arguments: {}\n\n"
)

_TOLD_LIMIT = 20_000
"""Characters of the arguments that the model is told."""

_PROBLEM_LIMIT = 300
"""Characters of what is wrong with a call: pydantic repeats the whole value."""


def call_to_run(call: Block) -> Block:
    """Return a call as it runs: with a person's arguments in place of the model's, if there are any."""
    edited = call.get("edited_arguments")
    return call if edited is None else {**call, "arguments": edited}


def with_edit_told(calls: Iterable[Block], finished: ToolFinished) -> Content:
    """Return a result that says first which arguments the call ran with, if a person wrote them."""
    call = next((call for call in calls if call["id"] == finished.id), None)
    edited = call.get("edited_arguments") if call is not None else None
    if call is None or edited is None or call.get("approval") in ("denied", "pending"):
        return finished.content
    rest = len(edited) - _TOLD_LIMIT
    told = _TOLD.format(
        edited if rest <= 0 else f"{edited[:_TOLD_LIMIT]}… ({rest} more characters)"
    )
    return with_text_before(finished.content, told)


async def decide(question: Question, tool: Tool, approve: Approve) -> Decision:
    """Ask until a call is approved, denied, or has arguments of a person that fit its tool."""
    while True:
        decision = await approve(question)
        problem = misfit(decision.arguments, tool.schema) if decision.approval == "edited" else ""
        if not problem:
            return decision
        question = replace(question, problem=problem, draft=decision.arguments)


def misfit(arguments: str, schema: dict[str, Any]) -> str:
    """Return why arguments do not fit a tool, in a sentence; empty if they do.

    Patterns are not compared, since a schema from elsewhere may have one that takes forever, and no
    other schema is loaded. The tool checks its arguments itself.
    """
    try:
        given = parse_arguments(arguments)
    except ValueError as error:
        return _sentence(str(error))
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match
    from jsonschema.validators import extend
    from referencing import Registry

    def other_keys(checker: Any, allowed: Any, value: Any, schema: Any) -> Any:
        if "patternProperties" not in schema:
            yield from strict(checker, allowed, value, schema)

    strict = Draft202012Validator.VALIDATORS["additionalProperties"]
    keywords = {"pattern": _nothing, "patternProperties": _nothing}
    checker = extend(Draft202012Validator, {**keywords, "additionalProperties": other_keys})
    parameters = {"additionalProperties": False, **schema["function"]["parameters"]}
    try:
        found = best_match(checker(parameters, registry=Registry()).iter_errors(given))
    except Exception as problem:  # a schema of any author
        return _sentence(f"the schema of the tool cannot be used: {type(problem).__name__}")
    if found is None:
        return ""
    where = ".".join(str(part) for part in found.absolute_path)
    return _sentence(f"{where}: {found.message}" if where else found.message)


def _nothing(*_: Any) -> tuple[()]:
    return ()


def _sentence(words: str) -> str:
    shown = visible(one_line(words, _PROBLEM_LIMIT)).rstrip(".")
    return f"These arguments do not fit: {shown}."


# Calls that have no result yet, and the results of those that had none when their turn ended. Pure.


INTERRUPTED_RESULT = "(interrupted: the tool did not finish)"

NOT_RUN_RESULT = "(not run: the turn was stopped before the call was approved)"


def running_result(blocks: Sequence[Block], call_id: str) -> Block | None:
    """Return the result, among the blocks of a step, of a call that has not finished; None if it has none yet."""
    results = TOOL_RESULTS.among(blocks)
    return next((b for b in results if b["id"] == call_id and "status" not in b), None)


def calls_without_result(calls: Iterable[Block], blocks: Sequence[Block]) -> list[Block]:
    """Return the calls of a step that have not finished, given the step's blocks."""
    results = TOOL_RESULTS.among(blocks)
    answered = {block["id"] for block in results if "status" in block}
    return [call for call in calls if call["id"] not in answered]


def stopped_call_result(call: Block, output: str = "") -> str:
    """Return the content of a stopped call's result.

    Args:
        call: A call that was started, or that waits for approval. A call that waits for approval
            has done nothing, unless its tool produced output before it asked.
        output: Output of the tool so far.
    """
    if call.get("approval") == "pending" and not output:
        return NOT_RUN_RESULT
    return interrupted_result(output)


def interrupted_result(output: str) -> str:
    """Return the content of the result of a tool that ran and had this output."""
    return f"{output}\n{INTERRUPTED_RESULT}" if output else INTERRUPTED_RESULT
