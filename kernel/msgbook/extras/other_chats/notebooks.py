"""A chat of another program as a notebook of nbformat 4. Pure.

A prompt brings nothing else with it: its turn says so, and so does the mark of its text (`msgbook.notebook.cells`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

from msgbook.extras.other_chats.chat import ChatMessage, OtherChat
from msgbook.notebook import IMPORTED_TEXT, imported_digest
from msgbook.text import repair_surrogates
from msgbook_format.cells import Claim, resolve_ids
from msgbook_format.document import reads
from msgbook_format.extras.agent_context import escaped
from msgbook_format.turn import TOOL_CALLS, TOOL_RESULTS, TURN_VERSION, bundle, kind_of
from msgbook_format.typed import change_texts

IMPORTED = "imported"
"""Key of `metadata.msgbook` of notebook and cell: where they come from, and what has no other place."""

_Json = dict[str, Any]


def notebook_of(chat: OtherChat) -> _Json:
    """Return the notebook of a chat: prompts with their turns, and notes."""
    cells = [_cell(head, answer) for head, answer in _with_answers(chat.messages)]
    claims = [Claim(None, cell["source"]) for cell in cells]
    for cell, cell_id in zip(cells, resolve_ids(claims), strict=True):
        cell["id"] = cell_id
    notebook = reads("")
    title = {"title": chat.title} if chat.title else {}
    ours = {IMPORTED: {"from": chat.form, **title, **chat.kept}}
    notebook["metadata"]["msgbook"] = repaired(ours)
    notebook["cells"] = cells
    return notebook


def files_of(chat: OtherChat) -> dict[str, bytes]:
    """Return the files that the notebook shows, by their path from its folder."""
    return {name: data for message in chat.messages for name, data in message.images.items()}


def repaired(value: Any) -> Any:
    """Return a JSON value without lone surrogates, which no file can hold."""
    return change_texts(value, repair_surrogates, repair_surrogates)


def _with_answers(
    messages: Sequence[ChatMessage],
) -> Iterator[tuple[ChatMessage | None, list[ChatMessage]]]:
    """Yield each message that makes a cell, with what the assistant answers; None where it answers nobody."""
    head: ChatMessage | None = None
    answer: list[ChatMessage] = []
    for message in messages:
        if message.role == "assistant":
            answer.append(message)
            continue
        if head is not None or answer:
            yield from _separated(head, answer)
        head, answer = message, []
    if head is not None or answer:
        yield from _separated(head, answer)


def _separated(
    head: ChatMessage | None, answer: list[ChatMessage]
) -> Iterator[tuple[ChatMessage | None, list[ChatMessage]]]:
    """Yield an answer that follows no prompt apart: texts as notes, anything else as a turn of no prompt."""
    if head is not None and head.role == "user":
        yield head, answer
        return
    if head is not None:
        yield head, []
    if all(block["type"] == "text" for message in answer for block in message.blocks):
        for message in answer:
            text = "\n\n".join(block["text"] for block in message.blocks)
            yield ChatMessage("assistant", text, kept=message.kept), []
    elif answer:
        yield None, answer


def _cell(head: ChatMessage | None, answer: list[ChatMessage]) -> _Json:
    said = ([head] if head else []) + answer
    kept = [{"message": number, **m.kept} for number, m in enumerate(said, 1) if m.kept]
    ours: _Json = {IMPORTED: repaired(kept)} if kept else {}
    if head is not None and head.role != "user":
        ours["role"] = head.role
        source = repair_surrogates(head.text)
        return {"cell_type": "markdown", "metadata": {"msgbook": ours}, "source": source}
    source = escaped(repair_surrogates(head.text)) if head else ""
    if source:
        ours[IMPORTED_TEXT] = imported_digest(source)
    outputs = []
    if answer:
        turn: Any = _turn(answer, has_images=head is not None and bool(head.images))
        outputs.append({"output_type": "display_data", "data": bundle(turn), "metadata": {}})
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {"msgbook": ours} if ours else {},
        "outputs": outputs,
        "source": source,
    }


def _turn(answer: Sequence[ChatMessage], *, has_images: bool) -> _Json:
    blocks = list(_numbered(answer))
    is_open = not blocks or kind_of(blocks[-1]) in (TOOL_CALLS, TOOL_RESULTS)
    turn: _Json = {
        "version": TURN_VERSION,
        "status": "interrupted" if is_open else "done",
        # The record of a prompt that brought nothing. Images are sent if there is none.
        **({} if has_images else {"context": {"cells": 0}}),
        "blocks": blocks,
    }
    models = [message.model for message in answer if message.model]
    if models:
        turn["model"] = repair_surrogates(models[0])
    times = [message.time for message in answer if message.time]
    if times:
        turn["started"] = times[0]
    durations = [message.duration for message in answer if message.duration is not None]
    if durations:
        turn["duration"] = round(sum(durations), 3)
    usage: dict[str, int] = {}
    for message in answer:
        for key, count in message.usage.items():
            usage[key] = usage.get(key, 0) + count
    return turn | ({"usage": usage} if usage else {})


def _numbered(answer: Sequence[ChatMessage]) -> Iterator[_Json]:
    """Yield the blocks with their steps: a message begins one, and so does what follows a result."""
    step, had_result = 0, False
    for message in answer:
        begins = True
        for block in message.blocks:
            is_result = block in TOOL_RESULTS
            if not is_result and (begins or had_result):
                step, begins = step + 1, False
            had_result = is_result
            numbered = {"type": block["type"], "step": max(step, 1), **repaired(block)}
            if block in TOOL_CALLS:
                known = f"{step}\n{numbered['id']}\n{numbered['name']}".encode()
                numbered["nonce"] = sha256(known).hexdigest()[:8]
            yield numbered


# Names of files from titles of chats, which may be any text. Pure.


_UNSAFE = re.compile(r"[^\w .,()+-]+")
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")
_LONGEST = 80
"""Bytes of a name in UTF-8: with endings and numbers it fits on every file system."""

NAMELESS = "chat"


def safe_stem(title: str) -> str:
    """Return a name for a file, without its ending: letters, digits and a few signs, no path.

    It never begins with a dot or a dash, which hide a file or make it an option, and is not a name of a device.
    """
    text = unicodedata.normalize("NFC", title[:500])
    text = "".join(char for char in text if unicodedata.category(char)[0] != "C" or char.isspace())
    text = " ".join(_UNSAFE.sub(" ", text).split())
    text = text.encode("utf-8", "ignore")[:_LONGEST].decode("utf-8", "ignore")
    text = text.strip(" .-+,")
    return f"{text}_" if _RESERVED.fullmatch(text) else text or NAMELESS
