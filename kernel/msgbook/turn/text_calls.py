"""Tool calls that a model wrote as text, because the server did not recognize them. Pure.

They are never run: text of a model is not a call. A notice says what to set in the server.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from msgbook.events import Notice, TurnEvent, TurnFinished
from msgbook.provider import TOOL_PARSERS
from msgbook.scanner import Scanner, run_in_thread_if_long
from msgbook_format.turn import TOOL_CALLS, Block, answer_text
from msgbook_format.typed import as_dict, as_items

_CALL = "|".join(
    (
        # Hermes, Qwen, GLM, Jamba, Hunyuan, MiniMax, Seed
        r"<(?:\w{1,20}:)?tool_calls?>(?=\s*(?:[\[{<]|[\w.-]{1,64}\s*<arg_key>))",
        r"<function=[\w.:-]{1,64}>(?=\s*[{<])",  # Llama 3, Qwen Coder
        r"<\|python_tag\|>(?=\s*(?:\{|[\w.]{1,64}\())",  # Llama 3
        r"\[TOOL_CALLS\](?=\s*(?:[\[{]|[\w.-]{1,64}[\[{]))",  # Mistral
        r"<\|tool_call\|>(?=\s*[\[{])",  # Granite, Phi
        r"<\|tool_calls?(?:_section)?_begin\|>",  # Kimi
        r"<[|\uff5c]tool[_\u2581]calls?[_\u2581]begin[|\uff5c]>",  # DeepSeek
        r"<\|START_ACTION\|>(?=\s*[\[{])",  # Command
    )
)
"""What real models write before a call."""

_CALL = rf"(?<![\"'\u201c\u2018\t])(?<! {{4}})(?:{_CALL})"
"""Not one in quotation marks or in indented code, where an answer explains it."""
_MAYBE_CALL = re.compile(_CALL)
_ARGUMENTS = ("arguments", "parameters")


async def text_call_notices(
    end: Sequence[TurnEvent], blocks: Sequence[Block], tools: Sequence[dict[str, Any]]
) -> list[Notice]:
    """Return a notice if the turn ends with an answer that has a tool call in its text.

    Args:
        end: The events that end the turn.
        blocks: Blocks of the last step.
        tools: The tools that were offered.
    """
    failed = any(isinstance(event, TurnFinished) and event.error_name for event in end)
    if failed or not tools or TOOL_CALLS.among(blocks):
        return []
    text = answer_text(blocks)
    written = await run_in_thread_if_long(text, find_text_call, text, tools)
    if written is None:
        return []
    words = (
        f"The model wrote a tool call as text ({written}), so nothing ran. The server does not "
        f"recognize this model's calls: set {TOOL_PARSERS}."
    )
    return [Notice(words, "warning")]


def find_text_call(text: str, tools: Sequence[dict[str, Any]]) -> str | None:
    """Return what marks a tool call in a text, for a reader; None if there is none.

    Code of the text is skipped: there an answer explains how calls are written. JSON is a call if it
    is all of the text and names one of the tools.
    """
    if _MAYBE_CALL.search(text):
        found = Scanner(text, _CALL).next()
        return f"`{found[0]}`" if found else None
    names = {tool.get("function", {}).get("name") for tool in tools}
    return "JSON" if _is_json_call(text.strip(), names) else None


def _is_json_call(text: str, names: set[Any]) -> bool:
    if text[:1] not in ("{", "[") or text[-1:] not in ("}", "]"):
        return False
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    calls = as_items(value)
    return bool(calls) and all(_names_call(call, names) for call in calls)


def _names_call(value: Any, names: set[Any]) -> bool:
    given = as_dict(value)
    call = given["function"] if isinstance(given.get("function"), dict) else given
    name = call.get("name")
    return isinstance(name, str) and name in names and any(key in call for key in _ARGUMENTS)
