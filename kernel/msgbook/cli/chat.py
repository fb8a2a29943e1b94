"""`msgbook chat FILE TEXT`: sends a message and keeps it, with its answer, in a file.

`msgbook chat FILE --resume` sends no message, but goes on where the conversation stopped.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from msgbook.cli.file_notebook import position_of
from msgbook.cli.file_prompts import append_prompt
from msgbook.cli.file_turns import FileTurns, require_conversation, run_turns
from msgbook.cli.incomplete_answers import (
    describe_incomplete,
    describe_last_answer,
    how_to_go_on,
    resume,
)
from msgbook.cli.screen import Screen
from msgbook.cli.terminal import CommandError, complain, line_of
from msgbook.config import ApprovalPolicy
from msgbook.errors import describe_file_error
from msgbook.host import hide_from_children
from msgbook.notebook import Document, DocumentError
from msgbook.text import repair_surrogates, without_data
from msgbook.tools.files import decode
from msgbook_format.errors import MessageFileError, NotAMessageFile
from msgbook_format.files import SUFFIX, require_no_link
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
    path, attributes = Path(arguments.file), {key: name for key, name in names.items() if name}
    approval: ApprovalPolicy = arguments.approval or "allow"
    if arguments.resume:
        if arguments.text is not None:
            raise CommandError("--resume takes no TEXT; use one or the other")
        return resume_chat(path, attributes=attributes, approval=approval)
    if arguments.text is None:
        raise CommandError("expected TEXT, the message, or --resume")
    return chat(
        path,
        text_of_input(_VERB, sys.stdin.buffer.read()) if arguments.text == "-" else arguments.text,
        go_on=arguments.go_on,
        force=arguments.force,
        attributes=attributes,
        approval=approval,
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
    number = append_prompt(document, document.cell_rule.as_message(text), attributes or {})
    return _answer(document, number, attributes or {}, approval)


def resume_chat(
    path: Path, *, attributes: dict[str, str] | None = None, approval: ApprovalPolicy = "allow"
) -> int:
    """Go on with a conversation whose last answer is incomplete or missing.

    Args:
        attributes: `agent` and `model` of the cell that is answered, if they are to be others.
        approval: The widest policy for tool calls.

    Returns:
        0, also if there is nothing to resume; 1 if the turn failed.

    Raises:
        MsgbookError: The file or the settings cannot be used, or the file cannot be written.
    """
    document = Document.read(path)
    require_conversation(document)
    document.require_writable()
    number = resume(document, attributes or {})
    if number is None:
        complain(_VERB, f"{path}: nothing to resume; {describe_last_answer(document)}")
        return 0
    return _answer(document, number, attributes or {}, approval)


def _answer(
    document: Document, number: int, attributes: dict[str, str], approval: ApprovalPolicy
) -> int:
    """Save a prompt, answer it and say what is missing. Return the exit code."""
    _save_prompt(document)
    path = document.path
    screen = Screen(
        _VERB,
        live=sys.stdout.isatty(),
        heading=None,
        summary=lambda _cell, turn: without_data(answer_text(turn["blocks"])),
        place=lambda _cell: str(path),
    )

    cell = document.cells[number]

    async def job(answering: FileTurns) -> int:
        failure = await answering.answer(number)
        words = failure and f"{failure.name}: {failure.message}"
        words = words or describe_incomplete(cell)
        if words:
            go_on = how_to_go_on(document, position_of(document.cells, cell))
            advice = _how_to_retry(go_on, path, words, attributes)
            complain(_VERB, f"{path}: {words} ({advice})")
        return 1 if failure else 0

    return run_turns(document, screen, job, approval=approval)


def _how_to_retry(retry: str, path: Path, failure: str, attributes: dict[str, str]) -> str:
    """Return advice after a failure, which may quote a wrong attribute of the cell."""
    wrong = [key for key, name in attributes.items() if repr(name) in failure]
    if not wrong:
        return retry
    return f"{wrong[0]}= of the new cell is from --{wrong[0]}: correct it in {path}; {retry}"


def _open(path: Path, *, go_on: bool, adopt: bool) -> Document:
    try:
        require_no_link(path)
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
            raise CommandError(f"{path} exists and is not a conversation. {_OTHER_NAME}") from None
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


# The text of standard input.


def text_of_input(verb: str, data: bytes) -> str:
    """Return the text that was piped into a verb, without its last line end.

    It is decoded as a file to which a message refers. A guess is said on standard error.

    Raises:
        CommandError: It is not text.
    """
    file = decode(data)
    if file is None:
        raise CommandError("standard input: expected text, got binary data")
    if file.is_damaged:
        complain(verb, "standard input: some of its bytes are not text; \ufffd stands for each")
    if file.is_guessed:
        complain(verb, f"standard input: expected UTF-8, got {file.codec}, which is a guess")
    return file.text.removesuffix("\n").removesuffix("\r")
