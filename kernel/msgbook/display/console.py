"""A running turn as growing text, for clients that show no updates (`jupyter console`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgbook.messages import content_text
from msgbook.text import one_line, without_data
from msgbook.throttle import Throttle
from msgbook_format.turn import (
    DISPLAYS,
    ERRORS,
    HIDDEN_REASONING,
    NOTICES,
    REASONINGS,
    TEXTS,
    TOOL_CALLS,
    TOOL_RESULTS,
    Kind,
    ShownAgent,
    Turn,
    is_hidden_reasoning,
    kind_of,
    model_words,
    reasoning_tokens_words,
    replace_controls,
    shown_agents,
    shown_sources,
)

if TYPE_CHECKING:
    from msgbook.turn import TurnRecord


Send = Callable[[str, dict[str, Any]], None]

INTERVAL = 0.1
"""Least seconds between two messages: a client redraws its prompt for each of them."""

_RESULT_LINES, _RESULT_CHARACTERS = 10, 1000
"""Limits for a result that is shown; the model is sent all of it."""

_ROW_CHARACTERS = 120
"""Limit for each text of a sub-agent's line."""

_SIGNS = {REASONINGS: f"{REASONINGS.sign} ", TEXTS: ""}
"""Kinds whose text is written as it grows, with what stands before it."""


class TextDisplay:
    """A `TurnView` that writes the record to the cell's standard output.

    Belongs to the event loop's thread.
    """

    cell_id = None
    display_id = ""
    is_followed = False

    def __init__(self, record: TurnRecord, send: Send) -> None:
        self._record = record
        self._send = send
        self._text = GrowingText()
        self._throttle = Throttle(self._write_more, lambda: INTERVAL)

    def follow(self) -> None:
        """Do nothing: no page shows the cell."""

    def changed(self) -> None:
        """Write the new text soon."""
        self._throttle.schedule()

    def show(self) -> None:
        """Write the new text now."""
        self._throttle.run_now()

    def finish(self) -> None:
        """Write the rest of the text, and what is known only at the end of the turn."""
        self._throttle.cancel()
        turn = self._record.snapshot()
        self._write(self._text.rest(turn["blocks"]) + _ending_text(turn))

    def _write_more(self) -> None:
        self._write(self._text.more(self._record.snapshot()["blocks"]))

    def _write(self, text: str) -> None:
        if text:
            self._send("stream", {"name": "stdout", "text": text})


class GrowingText:
    """The text of a growing list of blocks, in pieces. Pure.

    Written text cannot be changed. So a notice about a retry is written as it first reads, a result
    when it is finished, and a sub-agent when it starts and when it has ended.
    """

    def __init__(self) -> None:
        self._block = 0
        self._length = 0
        self._is_open = False
        self._gap = ""
        self._rows: dict[int, str] = {}

    def more(self, blocks: Sequence[Mapping[str, Any]]) -> str:
        """Return the new text of a running turn."""
        return self._new(blocks, ended=False)

    def rest(self, blocks: Sequence[Mapping[str, Any]]) -> str:
        """Return the new text of a turn that has ended."""
        return self._new(blocks, ended=True)

    def _new(self, blocks: Sequence[Mapping[str, Any]], *, ended: bool) -> str:
        out = []
        for number in range(self._block, len(blocks)):
            block = blocks[number]
            grows = kind_of(block) in _SIGNS
            is_last = not ended and number == len(blocks) - 1
            if block in TOOL_RESULTS and not self._is_open:
                out += self._new_rows(block, live=not ended)
            if grows:
                out.append(self._tail(block, is_last=is_last))
            elif not self._is_open and _is_final(block, is_last=is_last, ended=ended):
                out.append(self._open(block) + _block_text(block))
            if is_last or not (self._is_open or ended or grows):
                break
            if grows:
                out.append(self._end(block))
            self._block, self._length, self._is_open = number + 1, 0, False
            self._rows = {}
        return replace_controls("".join(out))

    def _new_rows(self, block: Mapping[str, Any], *, live: bool) -> list[str]:
        """Return a line for each sub-agent of a result that has started or ended since last time."""
        lines = []
        for index, row in enumerate(shown_agents(block, live=live)[0]):
            written = self._rows.get(index, "pending")
            if row.status != written and (written == "pending" or not row.is_under_way):
                self._rows[index] = row.status
                lines.append(_row_text(row))
        return lines

    def _open(self, block: Mapping[str, Any]) -> str:
        """Open a block, and return the gap before it: a blank line, except for a result."""
        self._is_open = True
        gap = "" if kind_of(block) in (TOOL_RESULTS, ERRORS) else self._gap
        self._gap = "\n"
        return gap

    def _end(self, block: Mapping[str, Any]) -> str:
        """Return what follows the text of a block: a line end, and what is known only at its end."""
        said = f"{REASONINGS.sign} {HIDDEN_REASONING}" if is_hidden_reasoning(block) else ""
        sources = _sources_text(block) if block in TEXTS else ""
        end = "\n" if self._is_open else ""
        if not self._is_open and (said or sources):
            end = self._open(block)
        return end + (f"{said}\n" if said else "") + sources

    def _tail(self, block: Mapping[str, Any], *, is_last: bool) -> str:
        text = without_data(str(block.get("text", "")), ended=not is_last)
        new = text[self._length :]
        if new and not self._is_open:
            new = self._open(block) + _SIGNS[kind_of(block)] + new
        self._length = len(text)
        return new


def _is_final(block: Mapping[str, Any], *, is_last: bool, ended: bool) -> bool:
    """Return whether the text of a block that is written in one piece can no longer change."""
    kind = kind_of(block)
    if not kind.state or kind.state in block:
        return True
    return ended if kind is TOOL_RESULTS else not is_last


def _block_text(block: Mapping[str, Any]) -> str:
    """Return a block as lines; an error has none, since it becomes an output of its own."""
    write = _LINES.get(kind_of(block))
    return "" if write is None else write(block)


def _notice_text(block: Mapping[str, Any]) -> str:
    sign = NOTICES.sign if block.get("level") == "info" else "⚠️"
    return f"{sign} {block.get('text', '')}\n"


def _call_text(block: Mapping[str, Any]) -> str:
    denied = " (denied)" if block.get("approval") == "denied" else ""
    arguments = one_line(str(block.get("arguments", "")))
    return f"{TOOL_CALLS.sign} {block.get('name')} {arguments}{denied}\n"


def _display_text(block: Mapping[str, Any]) -> str:
    if "id" in block:
        return ""
    return f"{DISPLAYS.sign} An image of the model, which only a page can show\n"


def _ending_text(turn: Turn) -> str:
    """Return a line with the tokens of hidden reasoning, and one with both models if another answered."""
    lines = []
    if any(map(is_hidden_reasoning, turn["blocks"])):
        lines.append(reasoning_tokens_words(turn))
    if "answered_model" in turn:
        lines.append(model_words(turn))
    told = "".join(f"ℹ️ {replace_controls(one_line(line))}\n" for line in lines if line)
    return f"\n{told}" if told else ""


def _sources_text(block: Mapping[str, Any]) -> str:
    """Return the sources of a text as lines; empty if it has none."""
    sources, further = shown_sources(block)
    if not sources:
        return ""
    lines = [
        f"{number}. {source.title}" + (f" {source.url}" if source.url else "")
        for number, source in enumerate(sources, 1)
    ]
    if further:
        lines.append(f"… and {further:,} more")
    return "".join(f"{line}\n" for line in ("Sources:", *(f"  {line}" for line in lines)))


def _row_text(row: ShownAgent) -> str:
    """Return the line of a sub-agent; one that starts has a name and a file, and little else."""
    texts = [f"{row.sign} {row.name}", *row.texts()]
    if row.is_under_way and row.file is not None:
        texts.append(row.file)
    return "  " + " · ".join(one_line(text, _ROW_CHARACTERS) for text in texts) + "\n"


def _result_text(block: Mapping[str, Any]) -> str:
    content = content_text(block.get("content", ""))
    lines = content[:_RESULT_CHARACTERS].splitlines()[:_RESULT_LINES]
    if sum(map(len, lines)) + len(lines) < len(content):
        lines.append("...")
    if block.get("status") != "success":
        lines.insert(0, f"({block.get('status', 'interrupted')})")
    return "".join(f"  {line}\n" for line in lines)


_LINES: dict[Kind, Callable[[Mapping[str, Any]], str]] = {
    TOOL_CALLS: _call_text,
    TOOL_RESULTS: _result_text,
    DISPLAYS: _display_text,
    NOTICES: _notice_text,
}
