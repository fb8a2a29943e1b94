"""The cells that a cassette recorded, in the document as it is now."""

from __future__ import annotations

from pathlib import Path

from msgbook.cassette import CassetteError, Tape, is_cassette, read_cassette, undo
from msgbook.errors import describe_file_error
from msgbook.notebook import Document


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

    Takes back what the recorded turns changed in the metadata.

    Raises:
        CassetteError: The former cassette cannot be used.
    """
    try:
        if not cassette.exists() or not is_cassette(cassette):
            return []
        tape = read_cassette(cassette)
        numbers = find_recorded(document, tape)
    except OSError as error:
        raise CassetteError(describe_file_error(cassette, error)) from error
    except CassetteError as error:
        words = str(error).removesuffix(".")
        raise CassetteError(f"{words}. To record all prompts anew, add --all.") from None
    undo_recorded(document, tape)
    return numbers


def undo_recorded(document: Document, tape: Tape) -> None:
    """Take back what the recorded turns changed in the metadata."""
    for line in reversed(tape.cells):
        undo(document.notebook, [change.model_dump(exclude_unset=True) for change in line.changed])


def clear_recorded(document: Document, tape: Tape, numbers: list[int]) -> None:
    """Remove the answers that the recorded turns wrote."""
    for number, line in zip(numbers, tape.cells, strict=True):
        if not line.cell.kept:
            document.cells[number]["outputs"] = []
