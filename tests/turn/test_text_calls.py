"""A tool call that arrives as text: one notice that says what to set, and nothing runs."""

from __future__ import annotations

import asyncio

import pytest
from scripted_turn import ScriptedModel, ScriptedTool, calls, echo, results, run

from msgbook.events import ModelFinished, ReasoningDelta, TextDelta, ToolCallDelta, TurnFinished
from msgbook.turn.text_calls import find_text_call, text_call_notices

TOOLS = [{"type": "function", "function": {"name": name}} for name in ("read", "glob")]

CALLS = {
    "Hermes and Qwen": '<tool_call>\n{"name": "read", "arguments": {"path": "a"}}\n</tool_call>',
    "Qwen Coder": "<tool_call>\n<function=read>\n<parameter=path>\na\n</parameter>\n</function>",
    "Qwen Coder without its frame": "<function=read>\n<parameter=path>\na\n</parameter>\n</function>",
    "GLM": "<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n</tool_call>",
    "Jamba": '<tool_calls>[{"name": "read", "arguments": {"path": "a"}}]</tool_calls>',
    "MiniMax": '<minimax:tool_call>\n<invoke name="read">',
    "Llama 3.1": '<|python_tag|>{"name": "read", "parameters": {"path": "a"}}',
    "Llama 3.1, Python": "<|python_tag|>read.call(path='a')",
    "Llama 3.1, own format": '<function=read>{"path": "a"}</function>',
    "Llama 3.2": '{"name": "read", "parameters": {"path": "a"}}',
    "Mistral": '[TOOL_CALLS] [{"name": "read", "arguments": {"path": "a"}}]',
    "Mistral, newer": '[TOOL_CALLS]read{"path": "a"}',
    "Mistral, with a mark for arguments": '[TOOL_CALLS]read[ARGS]{"path": "a"}',
    "Mistral without its mark": ' [{"name": "read", "arguments": {"path": "a"}}] ',
    "Granite": '<|tool_call|>[{"name": "read", "arguments": {}}]',
    "Kimi": "<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0",
    "DeepSeek": "<\uff5ctool\u2581calls\u2581begin\uff5c><\uff5ctool\u2581call\u2581begin\uff5c>function",
    "Command": '<|START_ACTION|>[\n {"tool_name": "read"}',
    "as the API has it": '{"type": "function", "function": {"name": "read", "parameters": {}}}',
}


@pytest.mark.parametrize("written", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("before", ["", "I look.\n\n", "Like this:\n```\nx\n```\n"])
def test_what_real_models_write_is_found(written, before):
    is_json = written.strip()[0] in "[{" and "TOOL_CALLS" not in written

    found = find_text_call(before + written, TOOLS)

    assert (found is None) == (is_json and before != "")


@pytest.mark.parametrize(
    "text",
    [
        "Hello.",
        "Qwen writes `<tool_call>{...}</tool_call>`, and Mistral ``[TOOL_CALLS] [`{`...]``.",
        'A template writes a call so:\n\n```\n<tool_call>\n{"name": "read"}\n</tool_call>\n```\n',
        "~~~~xml\n<function=read>{}</function>\n~~~~",
        "Cut off:\n\n```text\n[TOOL_CALLS][{",
        "The tag <tool_call> stands before a call, [TOOL_CALLS] too.",
        "Use \\<tool_call>{ if you have to.",
        'The model emits "<tool_call>{...}</tool_call>", or “[TOOL_CALLS][{”.',
        'It writes:\n\n    <tool_call>\n    {"name": "read"}\n    </tool_call>\n',
        "The token <|python_tag|> stands before code.",
        '{"name": "Ada", "arguments": "none"}',
        '{"name": "read"}',
        '{"path": "a"}',
        "[]",
        "[" * 100_000 + "]",
        "{" * 100_000 + "}",
    ],
)
def test_what_explains_or_only_looks_alike_is_not(text):
    assert find_text_call(text, TOOLS) is None


def test_without_tools_nothing_is_looked_for():
    blocks = [{"type": "text", "step": 1, "text": CALLS["Mistral"]}]
    end = [TurnFinished("done", "stop")]

    assert asyncio.run(text_call_notices(end, blocks, [])) == []
    assert len(asyncio.run(text_call_notices(end, blocks, TOOLS))) == 1


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<tool_call>{" * 100_000, "`<tool_call>`"),
        ("a" + "`" * 300_000 + "<tool_call>{", "`<tool_call>`"),
        ("[" * 10**6, None),
    ],
)
def test_long_texts_are_searched_to_the_end(text, found):
    assert find_text_call(text, TOOLS) == found


def notices(turn):
    return [block["text"] for block in turn["blocks"] if block["type"] == "notice"]


def said(*pieces):
    return [*map(TextDelta, pieces), ModelFinished("stop", True)]


def test_the_turn_says_once_what_to_set_and_keeps_the_text_and_runs_nothing():
    written = f"I look.\n{CALLS['Hermes and Qwen']}\n{CALLS['Hermes and Qwen']}"
    read = ScriptedTool("read", echo)

    turn = run(ScriptedModel(said("I look", written[6:])), read, offered=True)

    assert (turn["status"], results(turn), turn["blocks"][0]["text"]) == ("done", [], written)
    (told,) = notices(turn)
    assert "`<tool_call>`" in told
    for option in ("--enable-auto-tool-choice", "--tool-call-parser", "--jinja"):
        assert f"`{option}`" in told


def test_an_answer_with_a_real_call_or_a_call_in_its_reasoning_gets_no_notice():
    first = [TextDelta(CALLS["Mistral"]), ToolCallDelta(0, "c", "read", "{}")]
    thought = [ReasoningDelta(CALLS["Mistral"]), *said("Done.")]
    model = ScriptedModel([*first, ModelFinished("tool_calls", True)], thought)

    assert notices(run(model, ScriptedTool("read", echo), offered=True)) == []


def test_it_is_said_after_earlier_steps_and_of_an_answer_that_reached_its_limit():
    cut = [TextDelta(CALLS["Hermes and Qwen"]), ModelFinished("length", True)]

    turn = run(ScriptedModel(calls(("read", 1)), cut), ScriptedTool("read", echo), offered=True)

    assert turn["finish_reason"] == "length"
    assert len(notices(turn)) == 1
