"""`msgbook preview FILE`: shows the request of a prompt. Nothing is sent or run."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgbook.approval import Rule, load_with_project
from msgbook.cli.file_prompts import (
    is_prompt_cell,
    prompts_to_answer,
    require_cell,
    shown_id,
    shown_title,
)
from msgbook.cli.file_turns import open_conversation, require_conversation
from msgbook.cli.terminal import complain, line_of, printable_json, say
from msgbook.config import Settings, hide_keys
from msgbook.errors import MsgbookError
from msgbook.notebook import Cell, Document, Transcript, source_of, working_folder
from msgbook.request import Preview, body_of, count_tokens, estimate_tokens, list_messages
from msgbook.text import counted

_VERB = "preview"


def run(arguments: argparse.Namespace) -> int:
    """Run the verb."""
    return preview_file(
        Path(arguments.file), arguments.cell, as_json=arguments.json, of_run=arguments.run
    )


def preview_file(
    path: Path, cell_id: str | None = None, *, as_json: bool = False, of_run: bool = False
) -> int:
    """Print the request of a prompt, as the notebook's kernel would send it.

    Args:
        cell_id: Id of the prompt; None for the first without an answer, or else the last.
        as_json: Print the body of the request instead of a listing.
        of_run: Print what `msgbook run` would send, which has no Python.

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
        preview = asyncio.run(_request(document, number, settings, rules, as_kernel=not of_run))
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
        if is_prompt_cell(document.cells[number], document.cell_rule):
            return number
        raise MsgbookError(f"the cell {shown_id(document.cells[number])} is not a prompt")
    for again in (False, True):
        found = prompts_to_answer(document.cells, document.cell_rule, 0, again=again)
        if found:
            return found[-1 if again else 0]
    raise MsgbookError("the file has no prompt")


async def _request(
    document: Document,
    number: int,
    settings: Settings,
    rules: Sequence[Rule],
    *,
    as_kernel: bool,
) -> Preview:
    cell = document.cells[number]
    folder = working_folder(document.path.absolute().parent)
    conversation = open_conversation(
        folder, settings, rules, cell_rule=document.cell_rule, as_kernel=as_kernel
    )
    metadata = document.notebook["metadata"]
    try:
        above = Transcript(
            "file", document.cells[:number], cell, metadata=metadata, path=document.path
        )
        return await conversation.preview(source_of(cell), above)
    finally:
        await conversation.services.close()


def _json(preview: Preview) -> str:
    return printable_json(json.dumps(body_of(preview), ensure_ascii=False, indent=1))


def _listing(preview: Preview, cells: Sequence[Cell], number: int) -> Iterator[str]:
    """Yield the request for a person to read, piece by piece."""
    active_agent = preview.prepared.active_agent
    tools = preview.body.tools
    model = preview.body.model
    tokens = counted(count_tokens(preview), "token")
    yield line_of(
        f"{_named(cells[number])}: {active_agent.agent.name}, with {model} at "
        f"{active_agent.provider.name}; about {tokens} (an estimate)"
    )
    if tools:
        names = ", ".join(tool["function"]["name"] for tool in tools)
        yield f"\n--- {counted(len(tools), 'tool')}: {counted(estimate_tokens([], tools), 'token')}\n{names}"
    if preview.body.options:
        yield f"\n--- options\n{json.dumps(preview.body.options, ensure_ascii=False)}"
    for message in list_messages(preview):
        where = "" if message.cell is None else f" of {_named(cells[message.cell])}"
        size = counted(message.tokens, "token")
        yield "\n" + line_of(f"--- {message.role}{where}: {size}")
        yield message.text


def _named(cell: Cell) -> str:
    return f"cell {shown_id(cell)} ({shown_title(cell)})"
