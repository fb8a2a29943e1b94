"""Inspection of prompts (Shift+Tab): the meaning of references, macros, magics and tools.

References are resolved as in a turn and show what would be sent, but no question is asked and
nothing runs.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgbook.errors import MsgbookError
from msgbook.kernel.assist.prompt_scope import PromptScope, agent_name_at, macro_at, reference_at
from msgbook.notebook.magics_table import format_help, list_forms
from msgbook.request import (
    ReferencedText,
    ReferenceSources,
    ResolvedReferences,
    SourceError,
    Tag,
    deny_all,
    estimate_text_tokens,
    find_tags,
    resolve_references,
)
from msgbook.text import controls_visible, counted, visible

if TYPE_CHECKING:
    from msgbook.tools import Tool

_SHOWN_LINES = 20
"""Lines of a text that a tooltip shows: more would cover the cells."""
_SHOWN_CHARACTERS = 2000
"""Characters of it; a text may be one line."""
_SHOWN_ITEMS = 20
"""Names of a folder or a list that a tooltip shows."""
_WITH_OUTPUT = re.compile(r"cell:.+|.+\.ipynb:cell:[^:]+", re.IGNORECASE)
_FIRST_WORD = re.compile(r"\s*(%{1,2}\w+)")
_RUNS = "It runs before the model is called, with the same approval as a tool call of a model."
_NOT_OFFERED = "The agent that answers this cell does not have this tool: the call would fail."
_EXPANDED = (
    "It is expanded in references, in project rules and in the files that are sent. In the prompt "
    "itself it stays as it is written."
)


async def inspect(code: str, cursor: int, scope: PromptScope) -> str | None:
    """Describe what is at the cursor of a prompt or a magic; None for plain text.

    Args:
        cursor: Offset in code points; may be out of range.
    """
    cursor = max(0, min(cursor, len(code)))
    magic = _FIRST_WORD.match(code)
    if magic and cursor <= magic.end():
        return _magic_help(magic[1])
    if agent := agent_name_at(code, cursor):
        return _cut(await asyncio.to_thread(_describe_agent, agent, code, scope))
    for tag in find_tags(code).tags:
        end = _end(code, tag)
        if tag.start <= cursor <= end:
            if tag.tool:
                return _cut(await asyncio.to_thread(_describe_tool, tag.tool, code, scope))
            found = _describe(await _resolve(code[tag.start : end], code, scope))
            return _cut(found) if found else None  # `@word` that names no file is plain text
    open_tag = reference_at(code, cursor)
    if open_tag and not open_tag.is_closed:
        return _cut(_describe(await _resolve(f"@[{open_tag.content}]", code, scope))) or None
    # Also with the cursor on the brackets.
    for place in (cursor, cursor + 1, cursor + 2, cursor - 1, cursor - 2):
        if 0 <= place <= len(code) and (name := macro_at(code, place)):
            return _cut(_describe_macro(name.content.strip(), scope.macros(code)))
    return None


def reply(text: str | None) -> dict[str, Any]:
    """Return the content of an `inspect_reply`."""
    data = {} if text is None else {"text/plain": controls_visible(text)}
    return {"status": "ok", "found": text is not None, "data": data, "metadata": {}}


def _magic_help(name: str) -> str | None:
    """Return the help of a magic; None if there is no such magic of msgbook's."""
    forms = [form for form in list_forms() if form.written.split()[0] == name]
    return format_help(forms) if forms else None


def _describe_agent(name: str, code: str, scope: PromptScope) -> str:
    found = (listed.agent for listed in scope.agents(scope.above(code)))
    agent = next((agent for agent in found if agent.name == name), None)
    if agent is None:
        return f"{_visible_lines(name)}: there is no such agent here."
    lines = [f"{agent.name}: {agent.description}" if agent.description else agent.name]
    lines += [f"models: {', '.join(agent.models)}"] if agent.models else []
    lines += [f"tools: {', '.join(agent.tools) or 'none'}"] if agent.tools is not None else []
    return _visible_lines("\n".join(lines))


def _describe_macro(name: str, macros: dict[str, str]) -> str:
    if name not in macros:
        return (
            f"{name}: neither this cell nor a cell above defines it, so it stays as it is written."
        )
    return f"{name} = {_visible_lines(macros[name])}\n\n{_EXPANDED}"


def _end(code: str, tag: Tag) -> int:
    """Return the offset after a reference and its closing bracket."""
    last = tag.arguments or tag.text
    end = code.index(last, tag.start) + len(last)
    return end if tag.is_bare else code.index("]", end) + 1


def _describe_tool(name: str, code: str, scope: PromptScope) -> str:
    tool = next((tool for tool in scope.tools if tool.name == name), None)
    if tool is not None and tool not in scope.offered_tools(code):
        return f"{_signature(tool)}\n\n{_NOT_OFFERED}"
    return f"{_signature(tool) if tool else f'{name}: there is no such tool.'}\n\n{_RUNS}"


async def _resolve(reference: str, code: str, scope: PromptScope) -> ResolvedReferences:
    """Resolve a reference of a cell without running anything."""

    async def run(name: str, arguments: str) -> ReferencedText:
        raise SourceError("tools do not run here")

    async def no_python(name: str) -> str:
        raise MsgbookError("there is no such variable in the notebook")

    above = scope.above(code)
    describe = scope.describe or no_python
    sources = ReferenceSources(
        scope.roots, deny_all, above, scope.cell_rule, describe, run, scope.redact
    )
    return await resolve_references(reference, scope.macros(code), sources)


def _describe(found: ResolvedReferences) -> str:
    lines = [_size(key, text) for key, text in found.files.items()]
    total = sum(map(estimate_text_tokens, found.files.values()))
    shown = lines[:_SHOWN_ITEMS]
    if len(lines) > len(shown):
        shown.append(f"... and {len(lines) - len(shown)} more")
    if len(lines) > 1:
        shown.append(f"together: about {counted(total, 'token')}")
    if any(map(_WITH_OUTPUT.fullmatch, found.files)):
        shown.append("The cell's output is sent with it.")
    shown += [_visible_lines(notice.text) for notice in found.notices]
    heads = [_visible_lines(_head(text)) for text in found.files.values()]
    return "\n".join([*shown, "", heads[0]] if heads else shown)


def _size(key: str, text: str) -> str:
    tokens = counted(estimate_text_tokens(text), "token")
    return f"{_visible_lines(key)}: {counted(len(text.splitlines()), 'line')}, about {tokens}"


def _signature(tool: Tool) -> str:
    function = tool.schema["function"]
    parameters = function["parameters"].get("properties", {})
    required: Sequence[str] = function["parameters"].get("required", ())
    names = (name if name in required else f"{name}?" for name in parameters)
    lines = [f"{tool.name}({', '.join(names)})", "", function["description"]]
    lines += [
        f"  {name}: {value.get('description') or json.dumps(value)}"
        for name, value in parameters.items()
    ]
    return _visible_lines("\n".join(lines))


def _head(text: str) -> str:
    """Return the first lines, and an ellipsis if there are more."""
    lines = text[:_SHOWN_CHARACTERS].splitlines()[:_SHOWN_LINES]
    shown = "\n".join(lines)
    return shown if len(shown) >= len(text.rstrip()) else f"{shown}\n..."


def _cut(text: str) -> str:
    return text[: 2 * _SHOWN_CHARACTERS]


def _visible_lines(text: str) -> str:
    return visible(text, keep="\t\n")
