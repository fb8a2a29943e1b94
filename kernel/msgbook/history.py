"""Cells to messages: the conversation as a model reads it. Pure, and total on odd cells.

Every list of messages that leaves here is one that strict servers accept: each tool call has
exactly one result, no assistant message is empty. What has been sent for a cell is sent again
byte for byte as long as the cell is not edited, so that a server's prefix cache holds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from msgbook import messages
from msgbook.cells import (
    OWN_MAGICS,
    Cell,
    IsMagic,
    Prompt,
    any_magic,
    is_excluded,
    is_prompt,
    metadata_of,
    parse_prompt,
    source_of,
)
from msgbook.messages import Message
from msgbook.output.replay import sound_block, text_of, turn_messages
from msgbook.text import capped
from msgbook_format.turn import Turn, turn_of

CONTINUE_MAGIC = "%continue"
"""A prompt that asks for the rest of the answer above; stands alone in its cell."""

CONTINUE_WORDS = (
    "Your answer broke off here. Go on exactly where it stopped, without repeating what you have "
    "said already."
)
"""What a model is sent for `CONTINUE_MAGIC`."""

_FENCE = re.compile(r"`{3,}")
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass(frozen=True, slots=True)
class History:
    """The beginning of a request."""

    messages: list[Message]
    cells: int
    """How many of the earlier cells gave messages."""


def build_history(
    cells: Sequence[Cell],
    *,
    system_prompt: str,
    agent: str,
    is_magic: IsMagic = any_magic,
) -> History:
    """The messages of the cells above the running one, in document order.

    System notes that stand before the first prompt join the system message; later ones are user
    messages that begin `[system] `.

    Args:
        cells: All cells above the running one.
        agent: Who will answer. Turns of others become user messages that begin `[name] `.
    """
    system = [system_prompt]
    result: list[Message] = []
    count = 0
    prompted = False
    for cell in cells:
        note = _system_note(cell)
        if note and not prompted:
            system.append(note)
            count += 1
            continue
        found = _cell_messages(cell, agent, is_magic)
        prompted = prompted or _is_prompt_cell(cell, is_magic)
        result += found
        count += bool(found)
    return History([messages.system("\n\n".join(system)), *result], count)


def is_continue(source: str) -> bool:
    """Whether a cell asks for the rest of the answer above."""
    return source.strip() == CONTINUE_MAGIC


def broke_off(cells: Sequence[Cell]) -> bool:
    """Whether the last answer of the cells is not whole: cut, stopped, failed or interrupted."""
    for cell in reversed(cells):
        if is_excluded(metadata_of(cell).get("history", "include")):
            continue
        for turn in filter(None, map(turn_of, reversed(_outputs(cell)))):
            if not is_continue(source_of(cell)) or turn_messages(turn["blocks"]):
                return turn["status"] != "done"
    return False


def _cell_messages(cell: Cell, agent: str, is_magic: IsMagic) -> list[Message]:
    kind, source = cell.get("cell_type"), source_of(cell)
    if is_excluded(metadata_of(cell).get("history", "include")) or not source.strip():
        return []
    if kind == "markdown":
        return _note_messages(cell, source)
    if kind != "code":
        return []
    if is_continue(source):
        prompt = Prompt(CONTINUE_WORDS)
    elif is_prompt(source, is_magic):
        prompt = parse_prompt(source)
    else:
        return _code_messages(source, _outputs(cell))
    if is_excluded(prompt.attributes.get("history", "include")):
        return []
    if not prompt.text.strip():
        return []
    result = [messages.user(prompt.text)]
    for output in _outputs(cell):
        turn = turn_of(output)
        if turn is not None:
            result += _answer(turn, agent)
    return result


def _answer(turn: Turn, agent: str) -> list[Message]:
    blocks = [
        sound_block(b) for b in turn["blocks"] if not is_excluded(b.get("history", "include"))
    ]
    speaker = turn.get("agent", agent)
    if speaker == agent:
        return turn_messages(blocks)
    text = text_of(blocks)
    return [messages.user(f"[{speaker}] {text}")] if text else []


def _note_messages(cell: Cell, source: str) -> list[Message]:
    role = metadata_of(cell).get("role")
    if role == "system":
        return [messages.user(f"[system] {source}")]
    return [messages.assistant(source) if role == "assistant" else messages.user(source)]


def _system_note(cell: Cell) -> str:
    """The text of a system note that is not excluded; empty for any other cell."""
    ours = metadata_of(cell)
    if cell.get("cell_type") != "markdown" or ours.get("role") != "system":
        return ""
    return "" if is_excluded(ours.get("history", "include")) else source_of(cell).strip()


def _is_prompt_cell(cell: Cell, is_magic: IsMagic) -> bool:
    source = source_of(cell)
    return cell.get("cell_type") == "code" and bool(source.strip()) and is_prompt(source, is_magic)


def _code_messages(source: str, outputs: list[Cell]) -> list[Message]:
    """A code cell and what it printed, as one user message."""
    magic, _, body = source.lstrip().partition("\n")
    if magic.split()[0] in OWN_MAGICS:
        return []
    language, code = ("python", body) if magic.strip() == "%%python" else ("ipython", source)
    text = f"I ran this code:\n\n{_fenced(code, language)}"
    printed = _ANSI.sub("", "".join(_output_text(output) for output in outputs))
    if printed.strip():
        text += f"\n\nOutput:\n\n{_fenced(capped(printed), '')}"
    return [messages.user(text)]


def _fenced(text: str, language: str) -> str:
    longest = max((len(run) for run in _FENCE.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip(chr(10))}\n{fence}"


def _output_text(output: Cell) -> str:
    """What an output says in words; an image is named."""
    if output.get("output_type") == "stream":
        return source_of({"source": output.get("text", "")})
    if output.get("output_type") == "error":
        lines = output.get("traceback")
        if not isinstance(lines, list) or not lines:
            lines = [f"{output.get('ename')}: {output.get('evalue')}"]
        return "\n".join(str(line) for line in lines) + "\n"
    data = output.get("data")
    if not isinstance(data, dict):
        return ""
    images = "".join(f"[{mime}]\n" for mime in data if str(mime).startswith("image/"))
    text = source_of({"source": data.get("text/plain", "")})
    return images + text + ("\n" if text and not text.endswith("\n") else "")


def _outputs(cell: Cell) -> list[Cell]:
    outputs = cell.get("outputs")
    return [o for o in outputs if isinstance(o, dict)] if isinstance(outputs, list) else []
