"""`%context`: the request of the next prompt, cell by cell."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from msgbook.magics.base import MagicContext, UsageError
from msgbook.notebook import Transcript, describe_cell_with_id
from msgbook.request import (
    PLACEHOLDER,
    Preview,
    count_tokens,
    estimate_cell_tokens,
    estimate_text_tokens,
    estimate_tokens,
)
from msgbook.text import capped, counted, visible

_SHOWN_CELLS = 100
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
    preview = await context.engine.preview(PLACEHOLDER, transcript)
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
    window = active_agent.agent.context_window
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
    shown = [_bounded(message) for message in messages]
    text = visible(json.dumps(shown, ensure_ascii=False, indent=2), keep="\n")
    if len(text) <= _SHOWN and shown == messages:
        return text
    how = (
        f"(Shortened: texts of more than {_SHOWN_TEXT:,} characters, and output of more than {_SHOWN:,}, "
        "show only their beginning and end. `msgbook preview FILE --json` prints everything.)"
    )
    return f"{capped(text, _SHOWN)}\n\n{how}"


def _bounded(value: Any) -> Any:
    if isinstance(value, str):
        return capped(value, _SHOWN_TEXT)
    if isinstance(value, list):
        return [_bounded(item) for item in value]
    if isinstance(value, dict):
        return {key: _bounded(item) for key, item in value.items()}
    return value
