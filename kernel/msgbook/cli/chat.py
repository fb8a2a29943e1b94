"""`msgbook chat FILE TEXT`: ask something, and keep question and answer in a file."""

from __future__ import annotations

import argparse
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgbook.cli.run import add_approval
from msgbook.cli.terminal import complain, line_of
from msgbook.cli.usage_errors import CommandError
from msgbook.errors import describe_file_error
from msgbook.text import without_data

if TYPE_CHECKING:
    from msgbook.cli.file_turns import FileTurns
    from msgbook.config import ApprovalPolicy
    from msgbook.notebook import Cell, Document

_VERB = "chat"


def add(verbs: Any) -> None:
    """Declare the verb."""
    parser = verbs.add_parser(
        _VERB,
        help="ask something in the terminal and keep the conversation in a file",
        description="Make a conversation of TEXT in FILE (.msg.md or .ipynb) and print the answer. "
        "Where standard output is no terminal, that is the text of the answer alone.",
    )
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("text", metavar="TEXT", help="what to say; - reads it from standard input")
    parser.add_argument(
        *("--continue", "--force"),
        dest="go_on",
        action="store_true",
        help="go on with the conversation that FILE holds; without it an existing file is an error",
    )
    parser.add_argument("--model", metavar="NAME", help="the model that answers")
    parser.add_argument("--agent", metavar="NAME", help="the agent that answers")
    add_approval(parser)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from msgbook.host import hide_from_children

    hide_from_children()
    names = {"agent": arguments.agent, "model": arguments.model}
    for key, name in names.items():
        if name is not None and (not name or line_of(name) != name):
            raise CommandError(f"--{key}: expected a name, found {name!r}")
    return chat(
        Path(arguments.file),
        _read_stdin() if arguments.text == "-" else arguments.text,
        go_on=arguments.go_on,
        attributes={key: name for key, name in names.items() if name},
        approval=arguments.approval or "allow",
    )


def chat(
    path: Path,
    text: str,
    *,
    go_on: bool = False,
    attributes: dict[str, str] | None = None,
    approval: ApprovalPolicy = "allow",
) -> int:
    """Put a prompt at the end of a conversation, and answer it. The prompt is saved first.

    Args:
        text: What the user says, to the letter: it is a prompt even if it begins like a magic.
        go_on: Whether the file may exist.
        attributes: `agent` and `model` of the new cell.
        approval: The widest policy for tool calls.

    Returns:
        0, or 1 when the turn failed.

    Raises:
        MsgbookError: The file or the settings cannot be used, or the file cannot be written.
    """
    from msgbook.cli.file_turns import require_conversation, run_turns
    from msgbook.cli.screen import Screen
    from msgbook.text import repair_surrogates
    from msgbook_format.turn import answer_text

    text = repair_surrogates(text)
    if not text.strip():
        raise CommandError("expected something to say, found nothing")
    document = _open(path, go_on=go_on)
    require_conversation(document)
    number = _append(document, as_prompt(text), attributes or {})
    _save_prompt(document)
    screen = Screen(
        _VERB,
        live=sys.stdout.isatty(),
        heading=None,
        summary=lambda _cell, turn: without_data(answer_text(turn["blocks"])),
        place=lambda _cell: str(path),
    )

    async def job(answering: FileTurns) -> int:
        failure = await answering.answer(number)
        if failure is not None:
            words = f"{failure.name}: {failure.message}"
            complain(_VERB, f"{path}: {words} (msgbook run {path} asks again)")
        return 1 if failure else 0

    return run_turns(document, screen, job, approval=approval)


def as_prompt(text: str) -> str:
    """The source of a prompt that says `text`, whatever it begins with."""
    from msgbook.notebook import is_prompt, parse_prompt

    means_itself = is_prompt(text) and parse_prompt(text).text == text
    return text if means_itself else f"\\{text}"


def _open(path: Path, *, go_on: bool) -> Document:
    from msgbook.notebook import Document

    try:
        exists = path.exists()
    except (OSError, ValueError) as error:
        raise CommandError(describe_file_error(path, error)) from error
    if not exists:
        return Document.new(path)
    if not go_on:
        raise CommandError(f"{path}: is there already; --continue goes on with it")
    return Document.read(path)


def _save_prompt(document: Document) -> None:
    """Write the file before anybody is asked: nothing that was typed is lost."""
    from msgbook_format.errors import MessageFileError

    try:
        document.save()
    except (MessageFileError, OSError) as error:
        raise CommandError(describe_file_error(document.path, error)) from error


def _append(document: Document, source: str, ours: dict[str, str]) -> int:
    """Put a new prompt below all cells, in place of a last one that is empty; its number."""
    from msgbook.notebook import new_prompt

    cells = document.cells
    if cells and _is_blank(cells[-1]):
        del cells[-1]
    taken = [cell.get("id") for cell in cells]
    cell_id = secrets.token_hex(4)
    while cell_id in taken:
        cell_id = secrets.token_hex(4)
    cells.append(new_prompt(source, cell_id, ours))
    return len(cells) - 1


def _is_blank(cell: Cell) -> bool:
    from msgbook.notebook import source_of

    return (
        cell.get("cell_type") == "code" and not source_of(cell).strip() and not cell.get("outputs")
    )


def _read_stdin() -> str:
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    return text.removesuffix("\n").removesuffix("\r")
