"""Replay of a recorded conversation: its answers are made again from a cassette, and compared."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from msgbook.approval import Rule, load_with_project
from msgbook.cli.file_notebook import position_of
from msgbook.cli.file_prompts import prompts_to_answer, shown_id
from msgbook.cli.file_turns import FileTurns, require_conversation
from msgbook.cli.run import run_screen
from msgbook.cli.terminal import complain, say
from msgbook.config import Settings
from msgbook.engine import Conversation, Services
from msgbook.errors import describe_file_error
from msgbook.extras.cassettes import (
    CassetteError,
    Player,
    Tape,
    is_cassette,
    read_cassette,
    undo,
    undo_edits,
)
from msgbook.host import home_folder, private_paths, saved_approver
from msgbook.notebook import Cell, Document, working_folder
from msgbook.text import counted

_VERB = "run"


@dataclass(frozen=True, slots=True)
class Replayed:
    """A conversation that was replayed, in memory."""

    document: Document
    """With the replayed answers; its file is as it was."""
    answered: int
    """Number of prompts."""
    failed: bool
    """Whether the last turn failed, as in the recording."""
    difference: str | None
    """The first difference from the cassette, in one line; None for none."""
    diff: list[str]
    """Lines of its unified diff."""


def run_replay(path: Path, cassette: Path) -> int:
    """Replay a conversation, and write its file if nothing differs from the cassette.

    Returns:
        0, or 1 if something differs or a recorded turn failed.

    Raises:
        MsgbookError: The file or the cassette cannot be used, or the file cannot be written.
    """
    Document.read(path).require_writable()
    replayed = replay_file(path, cassette)
    if replayed.difference is not None:
        complain(_VERB, f"{path} is not replayed: {replayed.difference}")
        for line in replayed.diff:
            say(line, sys.stderr)
        return 1
    what = "is as it was"
    if replayed.document.is_changed:
        replayed.document.save()
        what = "is written"
    say(f"{path}: {counted(replayed.answered, 'prompt')} replayed; the file {what}.")
    return 1 if replayed.failed else 0


def replay_file(path: Path, cassette: Path) -> Replayed:
    """Replay a conversation in memory: without a network, and nothing runs.

    Raises:
        MsgbookError: The file or the cassette cannot be used.
    """
    document = Document.read(path)
    require_conversation(document)
    settings, rules = load_with_project(working_folder(path.absolute().parent))
    tape = read_cassette(cassette, settings.secrets)
    undo_recorded(document, tape)
    numbers = find_recorded(document, tape)
    clear_recorded(document, tape, numbers)
    player = Player(tape, settings.secrets)
    recorded = [document.cells[number] for number in numbers]
    failed = asyncio.run(_answer(document, recorded, player, settings, rules))
    again = {position_of(document.cells, cell) for cell in recorded}
    new = [
        n
        for n in prompts_to_answer(document.cells, document.cell_rule, 0, again=False)
        if n not in again
    ]
    if new:
        name = shown_id(document.cells[new[0]])
        player.problems.note(f"cell {name} was not recorded. Record the conversation again")
    player.check_unused()
    problems = player.problems
    return Replayed(document, len(numbers), failed, problems.first, problems.diff)


async def _answer(
    document: Document,
    cells: Sequence[Cell],
    player: Player,
    settings: Settings,
    rules: Sequence[Rule],
) -> bool:
    """Answer the prompts from the cassette until one differs. Returns whether the last turn failed."""
    folder = working_folder(document.path.absolute().parent)
    conversation = Conversation(
        Services(
            replace(player.settings, other_keys=settings.secrets),
            private=private_paths(),
            home=home_folder(),
            cassette=player,
        ),
        folder,
        approver=saved_approver(settings, folder, rules),
        cell_rule=document.cell_rule,
    )
    turns = FileTurns(document, conversation, run_screen(document.path), None, is_saved=False)
    failure = None
    try:
        for cell in cells:
            player.problems.place = f"cell {shown_id(cell)}"
            failure = await turns.answer(position_of(document.cells, cell))
            if player.problems.first is not None:
                break
        player.problems.place = ""
    finally:
        await conversation.services.close()
    return failure is not None


# The cells that a cassette recorded, in the document as it is now.


def find_recorded(document: Document, tape: Tape) -> list[int]:
    """Return the numbers of the cells that were answered, from 0, in the order of the recording.

    Raises:
        CassetteError: There is none, or one of them is not in the document.
    """
    cells = document.cells
    by_id = {cell.get("id"): number for number, cell in enumerate(cells)}
    if not tape.cells:
        raise CassetteError(f"{tape.path}: no prompt was recorded. Record the conversation again.")
    numbers = []
    for line in tape.cells:
        ran = line.cell
        number = ran.number if ran.id is None else by_id.get(ran.id)
        if number is None or number >= len(cells):
            name = ran.id or f"number {ran.number + 1}"
            raise CassetteError(
                f"{tape.path}: the recorded cell {name} is not in {document.path}. Is the cassette that of "
                "another conversation? Otherwise record this one again."
            )
        numbers.append(number)
    return numbers


def find_recorded_before(document: Document, cassette: Path) -> list[int]:
    """Return the cells that a former cassette of this name recorded, to record them anew.

    Takes back what the recorded turns changed in the metadata and in other cells.

    Raises:
        CassetteError: The former cassette cannot be used.
    """
    try:
        if not cassette.exists() or not is_cassette(cassette):
            return []
        tape = read_cassette(cassette)
        find_recorded(document, tape)
        undo_recorded(document, tape)
        return find_recorded(document, tape)
    except OSError as error:
        raise CassetteError(describe_file_error(cassette, error)) from error
    except CassetteError as error:
        words = str(error).removesuffix(".")
        raise CassetteError(f"{words}. To record all prompts anew, add --all.") from None


def undo_recorded(document: Document, tape: Tape) -> None:
    """Take back what the recorded turns changed in the metadata and in other cells."""
    for line in reversed(tape.cells):
        undo(document.notebook, [change.model_dump(exclude_unset=True) for change in line.changed])
        undo_edits(document.cells, line.edits)


def clear_recorded(document: Document, tape: Tape, numbers: list[int]) -> None:
    """Remove the answers that the recorded turns wrote."""
    for number, line in zip(numbers, tape.cells, strict=True):
        if not line.cell.kept:
            document.cells[number]["outputs"] = []
