"""Cells to messages: the conversation as a model reads it. Pure, and total on odd cells.

Every list of messages that leaves here is one that strict servers accept: each tool call has
exactly one result, no assistant message is empty. What has been sent for a cell is sent again
byte for byte as long as the cell is not edited, so that a server's prefix cache holds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from msgbook import messages
from msgbook.cells import (
    OWN_MAGICS,
    Cell,
    IsMagic,
    any_magic,
    is_excluded,
    is_prompt,
    metadata_of,
    parse_prompt,
    source_of,
)
from msgbook.messages import Message
from msgbook.output.record import INTERRUPTED_RESULT
from msgbook.text import capped
from msgbook_format.turn import Block, Turn, turn_of

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


def turn_messages(blocks: Iterable[Block], *, reasoning: bool = False) -> list[Message]:
    """The assistant and tool messages of a turn's blocks, step by step.

    Args:
        reasoning: Send the model its reasoning back, as `reasoning_content`; right within a turn.
    """
    result: list[Message] = []
    for step in _steps(map(_sound, blocks)):
        result += _step_messages(step, reasoning)
    return result


def _cell_messages(cell: Cell, agent: str, is_magic: IsMagic) -> list[Message]:
    kind, source = cell.get("cell_type"), source_of(cell)
    if is_excluded(metadata_of(cell).get("history", "include")) or not source.strip():
        return []
    if kind == "markdown":
        return _note_messages(cell, source)
    if kind != "code":
        return []
    if not is_prompt(source, is_magic):
        return _code_messages(source, _outputs(cell))
    prompt = parse_prompt(source)
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
    blocks = [_sound(b) for b in turn["blocks"] if not is_excluded(b.get("history", "include"))]
    speaker = turn.get("agent", agent)
    if speaker == agent:
        return turn_messages(blocks)
    text = _step_text(blocks)
    return [messages.user(f"[{speaker}] {text}")] if text else []


def _sound(block: Block) -> Block:
    """The block with the types that it has to have: a file or a page may say anything."""
    sound = dict(block)
    step = block.get("step")
    sound["step"] = step if isinstance(step, int) else 0
    for key in ("text", "id", "name", "arguments"):
        if key in block and not isinstance(sound[key], str):
            sound[key] = json.dumps(sound[key], ensure_ascii=False)
    content = block.get("content", "")
    parts = content if isinstance(content, list) else []
    if not isinstance(content, str) and not (parts and all(map(_is_part, parts))):
        sound["content"] = json.dumps(content, ensure_ascii=False)
    return cast("Block", sound)


def _is_part(part: Any) -> bool:
    """Whether it is a content part that servers take (seed 001)."""
    if not isinstance(part, dict):
        return False
    if part.get("type") == "text":
        return isinstance(part.get("text"), str)
    image = part.get("image_url")
    return (
        part.get("type") == "image_url"
        and isinstance(image, dict)
        and isinstance(image.get("url"), str)
    )


def _steps(blocks: Iterable[Block]) -> list[list[Block]]:
    """The blocks of each step, in order of the steps' first blocks."""
    steps: dict[Any, list[Block]] = {}
    for block in blocks:
        steps.setdefault(block.get("step"), []).append(block)
    return list(steps.values())


def _step_messages(blocks: list[Block], reasoning: bool) -> list[Message]:
    calls: list[dict[str, Any]] = []
    results: list[Message] = []
    waiting = [b for b in blocks if b["type"] == "tool_result"]
    for block in blocks:
        if block["type"] != "tool_call" or block.get("unfinished"):
            continue
        call_id = str(block.get("id", ""))
        calls.append(messages.tool_call(call_id, block.get("name", ""), block.get("arguments", "")))
        answer = next((r for r in waiting if r.get("id") == call_id), None)
        if answer is not None:
            waiting.remove(answer)
        content = answer.get("content", "") if answer is not None else INTERRUPTED_RESULT
        results.append(messages.tool_result(call_id, content))
    text = _step_text(blocks)
    if not text and not calls:
        return []
    message = messages.assistant(text or None, calls)
    thought = "".join(b.get("text", "") for b in blocks if b["type"] == "reasoning")
    if reasoning and thought:
        message["reasoning_content"] = thought
    return [message, *results]


def _step_text(blocks: Iterable[Block]) -> str:
    texts = (b.get("text", "") for b in blocks if b["type"] == "text")
    return "\n\n".join(text for text in texts if text)


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
