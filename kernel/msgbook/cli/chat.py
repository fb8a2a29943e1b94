"""`msgbook chat FILE TEXT`: sends a message and keeps it, with its answer, in a file."""

from __future__ import annotations

import argparse
import secrets
import sys
from pathlib import Path

from msgbook.cli.file_turns import FileTurns, require_conversation, run_turns
from msgbook.cli.screen import Screen
from msgbook.cli.terminal import complain, line_of
from msgbook.cli.usage_errors import CommandError
from msgbook.config import ApprovalPolicy
from msgbook.errors import describe_file_error
from msgbook.host import hide_from_children
from msgbook.notebook import (
    Cell,
    Document,
    DocumentError,
    as_prompt,
    new_prompt,
    source_of,
)
from msgbook.text import repair_surrogates, without_data
from msgbook_format.errors import MessageFileError, NotAMessageFile
from msgbook_format.files import SUFFIX
from msgbook_format.turn import answer_text

_VERB = "chat"
_MARKDOWN = ".md"
_OTHER_NAME = f"For a new conversation, give another name that ends with {SUFFIX}."


def run(arguments: argparse.Namespace) -> int:
    """Run the verb."""
    hide_from_children()
    names = {"agent": arguments.agent, "model": arguments.model}
    for key, name in names.items():
        if name is not None and (not name or line_of(name) != name):
            raise CommandError(f"--{key}: expected a name, got {name!r}")
    return chat(
        Path(arguments.file),
        _read_stdin() if arguments.text == "-" else arguments.text,
        go_on=arguments.go_on,
        force=arguments.force,
        attributes={key: name for key, name in names.items() if name},
        approval=arguments.approval or "allow",
    )


def chat(
    path: Path,
    text: str,
    *,
    go_on: bool = False,
    force: bool = False,
    attributes: dict[str, str] | None = None,
    approval: ApprovalPolicy = "allow",
) -> int:
    """Append a prompt to a conversation and answer it. The prompt is saved first.

    Args:
        text: Text of the message: it is a message even if it begins like a magic.
        go_on: Whether the file may exist.
        force: Whether it may also be an ordinary Markdown file, which gets a message section.
        attributes: `agent` and `model` of the new cell.
        approval: The widest policy for tool calls.

    Returns:
        0, or 1 if the turn failed.

    Raises:
        MsgbookError: The file or the settings cannot be used, or the file cannot be written.
    """
    text = repair_surrogates(text)
    if not text.strip():
        raise CommandError("expected a message, got an empty text")
    document = _open(path, go_on=go_on or force, adopt=force)
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
            complain(_VERB, f"{path}: {words} ({_how_to_retry(path, words, attributes or {})})")
        return 1 if failure else 0

    return run_turns(document, screen, job, approval=approval)


def _how_to_retry(path: Path, failure: str, attributes: dict[str, str]) -> str:
    """Return advice after a failure, which may quote a wrong attribute of the new cell."""
    retry = f"msgbook run {path} tries again"
    wrong = [key for key, name in attributes.items() if repr(name) in failure]
    if not wrong:
        return retry
    return f"{wrong[0]}= of the new cell is from --{wrong[0]}: correct it in {path}, then {retry}"


def _open(path: Path, *, go_on: bool, adopt: bool) -> Document:
    try:
        exists = path.exists()
    except (OSError, ValueError) as error:
        raise CommandError(describe_file_error(path, error)) from error
    if not exists:
        return Document.new(path)
    try:
        document = Document.read(path)
    except DocumentError as error:
        if not isinstance(error.__cause__, NotAMessageFile):
            raise
        if path.suffix != _MARKDOWN:
            raise CommandError(f"{path} exists and is no conversation. {_OTHER_NAME}") from None
        if adopt:
            return Document.adopt(path)
        raise CommandError(
            f"{path} exists and holds no messages: its frontmatter has no key `message_section`. "
            f"Add the key by hand, or let --force add it and a section at the end. {_OTHER_NAME}"
        ) from None
    if not go_on:
        raise CommandError(
            f"{path} exists. Add --continue to append the message to it. {_OTHER_NAME}"
        )
    return document


def _save_prompt(document: Document) -> None:
    """Write the file before the request is sent, so that nothing typed is lost."""
    try:
        document.save()
    except (MessageFileError, OSError) as error:
        raise CommandError(describe_file_error(document.path, error)) from error


def _append(document: Document, source: str, ours: dict[str, str]) -> int:
    """Append a prompt, or replace an empty last cell by it, and return its number."""
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
    return (
        cell.get("cell_type") == "code" and not source_of(cell).strip() and not cell.get("outputs")
    )


def _read_stdin() -> str:
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    return text.removesuffix("\n").removesuffix("\r")
