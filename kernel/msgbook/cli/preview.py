"""`msgbook preview FILE`: the request of a prompt as it would be sent; nothing is sent or run."""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgbook.cli.cell_names import require_cell, shown_id, shown_title
from msgbook.cli.terminal import complain, line_of, say
from msgbook.errors import MsgbookError
from msgbook.text import counted, without_data

if TYPE_CHECKING:
    from msgbook.approval import Rule
    from msgbook.config import Settings
    from msgbook.engine import Preview
    from msgbook.messages import Message, Part
    from msgbook.notebook import Cell, Document

_VERB = "preview"
_UNPRINTED = re.compile(r"[^\n -~]")
_SHOWN = {"role", "content", "tool_calls"}
"""Keys of a message that the listing spells in its own way."""


def add(verbs: Any) -> None:
    """Declare the verb."""
    parser = verbs.add_parser(
        _VERB,
        help="show what a prompt would send, and how many tokens each cell costs",
        description="Show the request that a prompt of FILE (.msg.md, .md with message_section, "
        ".ipynb) would make. Nothing is sent and nothing runs: what would have to run first stands "
        'as {"pending": ...}. Exit code: 1 when there would be no request.',
    )
    parser.add_argument("file", metavar="FILE")
    parser.add_argument(
        "--cell",
        metavar="ID",
        help="the prompt (default: the first without an answer, else the last)",
    )
    parser.add_argument(
        "--json", action="store_true", help="print the body of the request, as JSON"
    )
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    return preview_file(Path(arguments.file), arguments.cell, as_json=arguments.json)


def preview_file(path: Path, cell_id: str | None = None, *, as_json: bool = False) -> int:
    """Print the request of a prompt.

    Args:
        cell_id: The prompt's; None for the first that has no answer, else the last.
        as_json: Print the body of the request, in place of a listing.

    Returns:
        0, or 1 when there would be no request.

    Raises:
        MsgbookError: The file or the settings cannot be used, or there is no such cell.
    """
    from msgbook.approval import load_with_project
    from msgbook.cli.file_turns import require_conversation
    from msgbook.config import hide_keys
    from msgbook.notebook import Document

    document = Document.read(path)
    require_conversation(document)
    number = None if cell_id is None else require_cell(document.cells, cell_id, path)
    settings, rules = load_with_project(path.absolute().parent)
    hide_keys(settings)
    try:
        number = _prompt(document, number)
        asked = asyncio.run(_request(document, number, settings, rules))
    except MsgbookError as error:
        complain(_VERB, f"{path}: {error}")
        return 1
    for notice in asked.notices:
        complain(_VERB, f"{path}/{shown_id(document.cells[number])}: {notice}")
    if as_json:
        say(_json(asked))
    else:
        for text in _listing(asked, document.cells, number):
            say(text)
    return 0


def _prompt(document: Document, number: int | None) -> int:
    """The number of the prompt that is looked at.

    Raises:
        MsgbookError: There is none.
    """
    from msgbook.cli.file_turns import is_prompt_cell
    from msgbook.cli.run import prompts_to_answer

    if number is not None:
        if is_prompt_cell(document.cells[number]):
            return number
        raise MsgbookError(f"the cell {shown_id(document.cells[number])} is no prompt")
    for again in (False, True):
        found = prompts_to_answer(document.cells, 0, again=again)
        if found:
            return found[-1 if again else 0]
    raise MsgbookError("there is no prompt in it")


async def _request(
    document: Document, number: int, settings: Settings, rules: Sequence[Rule]
) -> Preview:
    from msgbook.cli.file_turns import engine_for
    from msgbook.notebook import Transcript, source_of

    cell = document.cells[number]
    engine = engine_for(document.path.absolute().parent, settings, rules)
    metadata = document.notebook["metadata"]
    try:
        above = Transcript(
            "file", document.cells[:number], cell, metadata=metadata, path=document.path
        )
        return await engine.preview(source_of(cell), above)
    finally:
        await engine.close()


def _json(asked: Preview) -> str:
    """The body as JSON that comes through any terminal unchanged; an unknown model is null."""
    from msgbook.provider.openai_chat import request_body

    body = request_body(asked.body) | {"model": asked.model}
    text = json.dumps(body, ensure_ascii=False, indent=1)
    is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")

    def escaped(found: re.Match[str]) -> str:
        char = found[0]
        return char if is_unicode and char.isprintable() else json.dumps(char)[1:-1]

    return _UNPRINTED.sub(escaped, text)


def _listing(asked: Preview, cells: Sequence[Cell], number: int) -> Iterator[str]:
    """The request for a person to read, piece by piece."""
    from msgbook.request import estimate_tokens

    active_agent, request = asked.prepared.active_agent, asked.prepared.request
    tools = asked.body.tools
    model = asked.body.model
    tokens = counted(estimate_tokens(request.messages, tools), "token")
    yield line_of(
        f"{_named(cells[number])}: {active_agent.agent.name}, with {model} at "
        f"{active_agent.provider.name}; about {tokens} by estimate"
    )
    if tools:
        names = ", ".join(tool["function"]["name"] for tool in tools)
        yield f"\n--- {counted(len(tools), 'tool')}: {counted(estimate_tokens([], tools), 'token')}\n{names}"
    if asked.body.options:
        yield f"\n--- options\n{json.dumps(asked.body.options, ensure_ascii=False)}"
    for message, owner in zip(request.messages, request.owners, strict=True):
        where = "" if owner is None else f" of {_named(cells[owner])}"
        size = counted(estimate_tokens([message]), "token")
        yield "\n" + line_of(f"--- {message['role']}{where}: {size}")
        yield _spoken(message)


def _named(cell: Cell) -> str:
    return f"cell {shown_id(cell)} ({shown_title(cell)})"


def _spoken(message: Message) -> str:
    content = message.get("content") or ""
    words = [content] if isinstance(content, str) else [_part(part) for part in content]
    words += [
        f"[call {call['id']}: {call['function']['name']} {call['function']['arguments']}]"
        for call in message.get("tool_calls", ())
    ]
    others = (key for key in message if key not in _SHOWN)
    words += [f"[{key}: {message[key]}]" for key in others]
    return without_data("\n".join(filter(None, words)))


def _part(part: Part) -> str:
    """A text, or what an image is called."""
    text = part.get("text")
    if isinstance(text, str):
        return text
    image: Any = part.get("image_url")
    url = image.get("url") if isinstance(image, dict) else None
    return f"[image: {url}]" if isinstance(url, str) else f"[{part.get('type')}]"
