"""`%context`, `%cache`, `%macros` and `%display`: what the next prompt sends, and how its turn is shown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from msgbook.magics.base import MagicContext, UsageError
from msgbook.notebook import Cell, Transcript, describe_cell, describe_cell_with_id
from msgbook.request import (
    PLACEHOLDER,
    REMOVE,
    Definition,
    MacrosAbove,
    Preview,
    count_tokens,
    estimate_cell_tokens,
    estimate_text_tokens,
    estimate_tokens,
    macros_above,
)
from msgbook.request.history import SentRequest, SharedPrefix, prune_positions, shared_prefix
from msgbook.text import capped, counted, one_line, visible
from msgbook_format.syntax import CellRule
from msgbook_format.typed import change_texts

_SHOWN_CELLS = 100
"""Cells that the table lists, the largest first; the rest are one line."""
_SHOWN_TEXT = 2_000
"""Characters of one text of a message that `full` prints."""
_SHOWN = 200_000
"""Characters that `full` prints in all."""

_SOURCES = {
    "live": "the open notebook",
    "memory": "the cells that this session has run",
    "file": "the saved file",
}


async def context(context: MagicContext, words: Sequence[str]) -> str:
    """Show who answers below this cell and what is sent; `full` prints the messages themselves."""
    if words not in ([], ["full"]):
        raise UsageError(f"Expected %context or %context full, got {' '.join(words)!r}.")
    transcript = replace(await context.transcript(), current=None)
    preview = await context.conversation.preview(PLACEHOLDER, transcript)
    return _full(preview) if words else "\n".join(_summary(preview, transcript))


def _summary(preview: Preview, transcript: Transcript) -> Iterator[str]:
    active_agent, request = preview.prepared.active_agent, preview.prepared.request
    model = visible(preview.body.model)
    who = (
        f"{visible(active_agent.agent.name)} answers, with {model} at {active_agent.provider.name}."
    )
    cells = counted(len(transcript.earlier), "cell")
    verb = "is" if request.cells == 1 else "are"
    yield f"{who} {request.cells} of {cells} above {verb} sent, from {_SOURCES[transcript.source]}."
    yield ""
    owned = zip(request.messages, request.owners, strict=True)
    yield _line("system message", estimate_tokens(m for m, owner in owned if owner is None))
    tools = preview.body.tools
    if tools:
        yield _line(counted(len(tools), "tool"), estimate_tokens([], tools))
    of_cells = estimate_cell_tokens(request)
    own = of_cells.pop(len(transcript.earlier), 0) - estimate_text_tokens(PLACEHOLDER)
    yield from _cells(of_cells, transcript)
    if own > 0:
        yield _line("project rules, with your next prompt", own)
    yield ""
    total = count_tokens(preview)
    window = active_agent.window
    share = f", {total / window:.0%} of a context window of {window:,}" if window else ""
    yield f"In all about {counted(total, 'token')}{share}, plus what you write. These are estimates."
    yield from preview.notices


def _cells(of_cells: dict[int, int], transcript: Transcript) -> Iterator[str]:
    """Yield a line for each cell; of very many only for the largest, and one for the rest."""
    largest = sorted(of_cells, key=lambda position: (-of_cells[position], position))
    shown, rest = largest[:_SHOWN_CELLS], largest[_SHOWN_CELLS:]
    for position in sorted(shown):
        yield _line(describe_cell_with_id(transcript.earlier, position), of_cells[position])
    if rest:
        tokens = sum(of_cells[position] for position in rest)
        yield _line(f"{counted(len(rest), 'smaller cell')}, together", tokens)


def _line(part: str, tokens: int) -> str:
    return f"{part}: {counted(tokens, 'token')}"


def _full(preview: Preview) -> str:
    messages = preview.body.messages
    shown = change_texts(messages, lambda text: capped(text, _SHOWN_TEXT))
    text = visible(json.dumps(shown, ensure_ascii=False, indent=2), keep="\n")
    if len(text) <= _SHOWN and shown == messages:
        return text
    how = (
        f"(Shortened: texts of more than {_SHOWN_TEXT:,} characters, and output of more than {_SHOWN:,}, "
        "show only their beginning and end. `msgbook preview FILE --json` prints everything.)"
    )
    return f"{capped(text, _SHOWN)}\n\n{how}"


# `%cache`: part of the last request that a server may have cached, and what broke the cache.


async def cache(context: MagicContext, _words: Sequence[str]) -> str:
    """Compare the requests of the last two turns."""
    return compare_requests(list(context.conversation.request_builder.sent))


def compare_requests(sent: Sequence[SentRequest]) -> str:
    """Compare the first requests of the last two turns of this session.

    Args:
        sent: Requests in the order in which they were sent.
    """
    if len(sent) < 2:
        return "There is nothing to compare yet: this takes two turns of this session."
    earlier, later = sent[-2:]
    shared = shared_prefix(earlier.request, later.request)
    size = f"The last request had {shared.total:,} bytes of messages."
    same = f"The first {shared.bytes:,} of them ({shared.share:.1%})"
    lines = [f"{size} {same} are the same as in the request before."]
    changes = describe_changes(shared, earlier, later)
    lines += changes or ["Nothing broke the cache: the last request repeats all of the one before."]
    return "\n".join(lines)


def describe_changes(shared: SharedPrefix, earlier: SentRequest, later: SentRequest) -> list[str]:
    """Return what keeps a server from using its cache for all of the earlier request, a line each."""
    lines = []
    if earlier.model != later.model:
        models = f"{visible(earlier.model)}, then {visible(later.model)}"
        lines.append(f"The model changed ({models}). Models share no cache.")
    if earlier.tools != later.tools:
        lines.append(
            "The tools changed. Servers put them first, so they cache nothing that follows."
        )
    if shared.is_broken and earlier.agent != later.agent:
        agents = f"{visible(earlier.agent)}, then {visible(later.agent)}"
        lines.append(
            f"The agent changed ({agents}). Each agent reads the turns of the other as messages."
        )
    elif shared.is_broken:
        lines.append(f"The cache was broken by {_culprit(shared, earlier.cells, later.cells)}")
    return lines


def _culprit(shared: SharedPrefix, before: Sequence[Cell], after: Sequence[Cell]) -> str:
    if shared.before is None or shared.after is None:
        return (
            "the system message: the agent, its system prompt or skills, or a system note changed."
        )
    old, new = before[shared.before], after[shared.after]
    new_prunes = [
        position for position in prune_positions(after) if position not in prune_positions(before)
    ]
    if old == new and new_prunes:
        return f"{describe_cell(after, new_prunes[-1])}: it drops old copies of files."
    if _is_same(old, new, shared):
        return f"{describe_cell(after, shared.after)}: it was edited, was run again, or is sent as a summary now."
    # If the old cell is still there, or the new one was there before, cells were moved or left out.
    if not any(_is_same(old, cell, shared) for cell in after):
        return f"{describe_cell(before, shared.before)}: it was deleted."
    if not any(_is_same(new, cell, shared) for cell in before):
        return f"{describe_cell(after, shared.after)}: it was inserted."
    return (
        f"{describe_cell(before, shared.before)}: it was moved or left out. "
        f"{describe_cell(after, shared.after)} is there now."
    )


def _is_same(one: Cell, other: Cell, shared: SharedPrefix) -> bool:
    """Return whether two cells are the same cell. Without ids their positions decide."""
    if "id" in one or "id" in other:
        return one.get("id") == other.get("id")
    return one == other or shared.before == shared.after


# `%macros`: lists the macros in force below a cell, and removes some.


_USAGE = f"Expected %macros or %macros {REMOVE} NAME ..."
_SHOWN_VALUE = 60
"""Characters of a value."""


async def macros(context: MagicContext, words: Sequence[str]) -> str:
    """List the macros, or with `-d` remove some for the cells below.

    Raises:
        UsageError: The words are not those of `%macros`.
    """
    transcript = await context.transcript()
    cell_rule = context.conversation.request_builder.cell_rule
    return describe_macros(transcript.metadata, transcript.earlier, cell_rule, words)


def describe_macros(
    metadata: Mapping[str, Any], cells: Sequence[Cell], cell_rule: CellRule, words: Sequence[str]
) -> str:
    """Return what `%macros` prints below some cells of a notebook.

    Raises:
        UsageError: The words are not those of `%macros`.
    """
    above = macros_above(metadata, cells, cell_rule)
    if not words:
        return _listing(above, cells)
    if words[0] != REMOVE or len(words) == 1:
        raise UsageError(_USAGE)
    # The cell itself removes them for the cells below it, so there is nothing to do here.
    return "\n".join(
        _removal(name, above.macros.get(name), cells) for name in dict.fromkeys(words[1:])
    )


def _listing(above: MacrosAbove, cells: Sequence[Cell]) -> str:
    names = [visible(name) for name in above.macros]
    values = [_value(macro) for macro in above.macros.values()]
    width, column = max(map(len, names), default=0), max(map(len, values), default=0)
    lines = [
        f"{name:{width}}  {value:{column}}  {_place(macro, cells)}"
        for name, value, macro in zip(names, values, above.macros.values(), strict=True)
    ]
    lines = lines or ["There are no macros here. Write #define NAME TEXT in a prompt to make one."]
    return "\n".join([*lines, *(problem.message for problem in above.problems)])


def _removal(name: str, macro: Definition | None, cells: Sequence[Cell]) -> str:
    shown = visible(one_line(name, _SHOWN_VALUE))
    if macro is None:
        return f"There is no macro {shown} here."
    return f"Removed for the cells below: {shown}, from {_place(macro, cells)}"


def _value(macro: Definition) -> str:
    line = visible(one_line(macro.value, _SHOWN_VALUE + 1))
    return line if len(line) <= _SHOWN_VALUE else f"{line[: _SHOWN_VALUE - 1]}…"


def _place(macro: Definition, cells: Sequence[Cell]) -> str:
    return "the notebook's metadata" if macro.cell is None else describe_cell(cells, macro.cell)


# `%display`: chooses how turns are shown to clients without a page.


_MODES = ("rich", "text")


async def display(context: MagicContext, words: Sequence[str]) -> str:
    """Choose, or show, how turns are displayed to clients that send no cell ids."""
    if words:
        if words[0] not in _MODES:
            raise UsageError(f"Expected %display text or %display rich, got {words[0]!r}.")
        context.display.as_text = words[0] == "text"
    if context.display.as_text:
        return "Turns are written as text while they grow. Notebooks are not affected."
    return "Turns are shown as rich output. In jupyter console, use %display text to see them grow."
