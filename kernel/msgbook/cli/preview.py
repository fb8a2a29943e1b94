"""`msgbook preview FILE`: shows the request of a prompt. Nothing is sent or run."""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgbook.approval import Rule, load_with_project
from msgbook.cli.cell_names import require_cell, shown_id, shown_title
from msgbook.cli.file_prompts import is_prompt_cell, prompts_to_answer
from msgbook.cli.file_turns import engine_for, require_conversation
from msgbook.cli.terminal import complain, line_of, say
from msgbook.config import Settings, hide_keys
from msgbook.errors import MsgbookError
from msgbook.messages import Message, Part
from msgbook.notebook import Cell, Document, Transcript, source_of, working_folder
from msgbook.provider import request_body
from msgbook.request import Preview, estimate_tokens
from msgbook.text import counted, without_data

_VERB = "preview"
_UNPRINTED = re.compile(r"[^\n -~]")
_SHOWN = {"role", "content", "tool_calls"}
"""Keys of a message that the listing formats itself."""


def run(arguments: argparse.Namespace) -> int:
    """Run the verb."""
    return preview_file(Path(arguments.file), arguments.cell, as_json=arguments.json)


def preview_file(path: Path, cell_id: str | None = None, *, as_json: bool = False) -> int:
    """Print the request of a prompt.

    Args:
        cell_id: Id of the prompt; None for the first without an answer, or else the last.
        as_json: Print the body of the request instead of a listing.

    Returns:
        0, or 1 if there would be no request.

    Raises:
        MsgbookError: The file or the settings cannot be used, or there is no such cell.
    """
    document = Document.read(path)
    require_conversation(document)
    number = None if cell_id is None else require_cell(document.cells, cell_id, path)
    settings, rules = load_with_project(working_folder(path.absolute().parent))
    hide_keys(settings)
    try:
        number = _prompt(document, number)
        preview = asyncio.run(_request(document, number, settings, rules))
    except MsgbookError as error:
        complain(_VERB, f"{path}: {error}")
        return 1
    for notice in preview.notices:
        complain(_VERB, f"{path}/{shown_id(document.cells[number])}: {notice}")
    if as_json:
        say(_json(preview))
    else:
        for text in _listing(preview, document.cells, number):
            say(text)
    return 0


def _prompt(document: Document, number: int | None) -> int:
    """Return the number of the prompt to show.

    Raises:
        MsgbookError: There is none.
    """
    if number is not None:
        if is_prompt_cell(document.cells[number]):
            return number
        raise MsgbookError(f"the cell {shown_id(document.cells[number])} is not a prompt")
    for again in (False, True):
        found = prompts_to_answer(document.cells, 0, again=again)
        if found:
            return found[-1 if again else 0]
    raise MsgbookError("the file has no prompt")


async def _request(
    document: Document, number: int, settings: Settings, rules: Sequence[Rule]
) -> Preview:
    cell = document.cells[number]
    engine = engine_for(working_folder(document.path.absolute().parent), settings, rules)
    metadata = document.notebook["metadata"]
    try:
        above = Transcript(
            "file", document.cells[:number], cell, metadata=metadata, path=document.path
        )
        return await engine.preview(source_of(cell), above)
    finally:
        await engine.close()


def _json(preview: Preview) -> str:
    """Return the body as JSON that any terminal shows unchanged; an unknown model is null."""
    body = request_body(preview.body, preview.prepared.active_agent.api) | {"model": preview.model}
    text = json.dumps(body, ensure_ascii=False, indent=1)
    is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")

    def escape(found: re.Match[str]) -> str:
        char = found[0]
        return char if is_unicode and char.isprintable() else json.dumps(char)[1:-1]

    return _UNPRINTED.sub(escape, text)


def _listing(preview: Preview, cells: Sequence[Cell], number: int) -> Iterator[str]:
    """Yield the request for a person to read, piece by piece."""
    active_agent, request = preview.prepared.active_agent, preview.prepared.request
    tools = preview.body.tools
    model = preview.body.model
    tokens = counted(estimate_tokens(request.messages, tools), "token")
    yield line_of(
        f"{_named(cells[number])}: {active_agent.agent.name}, with {model} at "
        f"{active_agent.provider.name}; about {tokens} (an estimate)"
    )
    if tools:
        names = ", ".join(tool["function"]["name"] for tool in tools)
        yield f"\n--- {counted(len(tools), 'tool')}: {counted(estimate_tokens([], tools), 'token')}\n{names}"
    if preview.body.options:
        yield f"\n--- options\n{json.dumps(preview.body.options, ensure_ascii=False)}"
    for message, owner in zip(request.messages, request.owners, strict=True):
        where = "" if owner is None else f" of {_named(cells[owner])}"
        size = counted(estimate_tokens([message]), "token")
        yield "\n" + line_of(f"--- {message['role']}{where}: {size}")
        yield _format_message(message)


def _named(cell: Cell) -> str:
    return f"cell {shown_id(cell)} ({shown_title(cell)})"


def _format_message(message: Message) -> str:
    content = message.get("content") or ""
    lines = [content] if isinstance(content, str) else [_format_part(part) for part in content]
    lines += [
        f"[call {call['id']}: {call['function']['name']} {call['function']['arguments']}]"
        for call in message.get("tool_calls", ())
    ]
    others = (key for key in message if key not in _SHOWN)
    lines += [f"[{key}: {message[key]}]" for key in others]
    return without_data("\n".join(filter(None, lines)))


def _format_part(part: Part) -> str:
    """Return a text part, or the name of an image."""
    text = part.get("text")
    if isinstance(text, str):
        return text
    image: Any = part.get("image_url")
    url = image.get("url") if isinstance(image, dict) else None
    return f"[image: {url}]" if isinstance(url, str) else f"[{part.get('type')}]"
