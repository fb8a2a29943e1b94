"""Checks of a prompt before it is sent, and warnings about what was probably not meant. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches

from msgbook.errors import MsgbookError
from msgbook.notebook import (
    MAGIC_NAME,
    UNREAD,
    Cell,
    Prompt,
    Transcript,
    describe_cell,
    metadata_of,
    once,
    parse_prompt,
    source_of,
)
from msgbook.notebook.magics_table import (
    MSG_ATTRIBUTES,
    OWN_MAGICS,
)
from msgbook.request.history import (
    CONTINUE_WORDS,
    has_incomplete_answer,
    history_of,
)
from msgbook.text import join_first, one_line
from msgbook_format.outputs import has_stale_marks, history_of_outputs
from msgbook_format.syntax import (
    CONTINUE_MAGIC,
    MSG_MAGIC,
    is_continue,
    is_excluded,
    is_history,
    unread_footnote,
)

_NOT_ALONE = "%continue has to be alone in its cell. Write your message into the next cell."

_NOTHING_CUT_OFF = "%continue: no answer above was cut off. Write a message instead."

_MAX_NAMES = 5
"""Unknown attributes that a warning names."""

_STALE_MARKS = (
    ". The cell has other outputs now, so none of them is sent. To choose again, open the property "
    "inspector of JupyterLab (the gears on the right) with the cell selected. Under Advanced Tools, in "
    "the cell's metadata, `msgbook` holds `output_history`. Remove it to send all outputs. Write "
    '`"output_history": {"0": "exclude"}` to hide the first one (1 is the second), or '
    '`"history": "exclude"` to hide the whole cell'
)


class EmptyMessageError(MsgbookError):
    """The message has no text."""


class UnreadableMsgLineError(MsgbookError):
    """The `%%msg` line of a prompt cannot be read."""


class UnreadFootnoteError(MsgbookError):
    """A line of the file may be the footnote of the message, and cannot be read as one."""


class NothingToContinueError(MsgbookError):
    """`%continue` has no answer to continue, or is not alone in its cell."""


def read_prompt(source: str) -> Prompt:
    """Return the prompt in the source of a cell; for `%continue` the text that is sent for it."""
    return Prompt(CONTINUE_WORDS) if is_continue(source) else parse_prompt(source)


def check_prompt(
    source: str, prompt: Prompt, transcript: Transcript, redact: Callable[[str], str]
) -> None:
    """Check that a prompt has something to send.

    Args:
        redact: Removes secrets from a text.

    Raises:
        UnreadableMsgLineError: The `%%msg` line cannot be read.
        UnreadFootnoteError: The footnote cannot be read, so nobody knows whether the message is to be sent.
        EmptyMessageError: The message has no text.
        NothingToContinueError: `%continue` has no answer to continue, or is not alone in its cell.
    """
    if problem := _describe_problem(source, prompt, redact):
        raise UnreadableMsgLineError(
            f"%%msg in line {prompt.line - 1} cannot be read, so nothing was sent: "
            f"{problem}. The message itself begins on the next line."
        )
    said = "history" in prompt.attributes
    if not said and (line := unread_footnote(metadata_of(transcript.current or {}))):
        raise UnreadFootnoteError(
            f"Nothing was sent: {_describe_unread(line, redact)}. It may say that the message is not to be sent. "
            "Mend that line in the file, or choose what is sent of the cell."
        )
    value = metadata_of(transcript.current or {}).get("history", "include")
    if not said and not is_history(value):
        raise UnreadFootnoteError(
            f"Nothing was sent: {_expected_history(value, redact)}. It may say that the message is not to be sent. "
            "Choose what is sent of the cell."
        )
    if not prompt.text.strip():
        raise EmptyMessageError("The message is empty: write something into the cell.")
    if is_continue(source):
        if not has_incomplete_answer(transcript.earlier):
            raise NothingToContinueError(_NOTHING_CUT_OFF)
    elif source.split(maxsplit=1)[0] == CONTINUE_MAGIC:
        raise NothingToContinueError(_NOT_ALONE)


def list_prompt_warnings(source: str, prompt: Prompt, current: Cell | None) -> Iterator[str]:
    """Yield warnings about what was probably not meant in a prompt, its `%%msg` line and metadata."""
    if warning := _warn_of_unknown_magic(source):
        yield warning
    unknown = sorted(prompt.attributes.keys() - MSG_ATTRIBUTES.keys())
    if unknown:
        yield _warn_of_unknown_attributes(unknown)
    written = prompt.attributes.get("history", "include")
    if not is_history(written):
        yield f"%%msg: {_expected_history(written)}; later requests leave this cell out."


def list_left_out(cells: Sequence[Cell], redact: Callable[[str], str]) -> Iterator[str]:
    """Yield a warning for each part of the cells above that is left out to be safe.

    Its `%%msg` line or `history` value cannot be read, or outputs have changed since one of them was
    marked.

    Args:
        redact: Removes secrets from a text.
    """
    for position, cell in enumerate(cells):
        if not _has_left_out(cell):
            continue
        for subject, reason in _left_out(cell, redact):
            yield f"{subject} {describe_cell(cells, position)}{reason}."


@once
def _has_left_out(cell: Cell) -> bool:
    return any(True for _ in _left_out(cell, str))


def _left_out(cell: Cell, redact: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """Yield what is left out of a cell and why: the words before and after the cell's name."""
    source = source_of(cell) if cell.get("cell_type") == "code" else ""
    prompt = parse_prompt(source) if MSG_MAGIC in source else Prompt(source)
    value = history_of(cell)
    if problem := _describe_problem(source, prompt, redact):
        yield "The message of", f" is not sent: its %%msg line cannot be read ({problem})"
    elif value == UNREAD and (line := unread_footnote(metadata_of(cell))):
        yield "The content of", f" is not sent: {_describe_unread(line, redact)}"
    elif not is_history(value):
        yield "The content of", f" is not sent: {_expected_history(value, redact)}"
    elif is_excluded(value):
        return
    elif has_stale_marks(cell):
        yield "You hid an output of", _STALE_MARKS
    else:
        for found in history_of_outputs(cell):
            if not is_history(found):
                yield "An output of", f" is not sent: {_expected_history(found, redact)}"


def _describe_unread(line: str, redact: Callable[[str], str]) -> str:
    return f"`{one_line(redact(line), 80)}` cannot be read as its footnote"


def _warn_of_unknown_attributes(unknown: Sequence[str]) -> str:
    names = [one_line(name, 40) for name in unknown]
    guesses = [get_close_matches(name.lower(), MSG_ATTRIBUTES, n=1) for name in names[:_MAX_NAMES]]
    near = list(dict.fromkeys(guess for found in guesses for guess in found))
    many = len(names) > 1
    warning = (
        f"%%msg: the unknown attribute{'s' * many} {join_first(names, _MAX_NAMES)} "
        f"{'are' if many else 'is'} ignored."
    )
    if near:
        warning += f" Did you mean {' and '.join(near)}?"
    if "history" in near:
        warning += " This message was sent, and later requests send it too."
    return warning


def _expected_history(value: object, redact: Callable[[str], str] = str) -> str:
    return f"expected history=include, exclude or summary, got {one_line(redact(str(value)), 40)}"


def _describe_problem(source: str, prompt: Prompt, redact: Callable[[str], str]) -> str | None:
    """Return why the `%%msg` line of a prompt cannot be read; None if it can.

    The description quotes the beginning of a word, and half a secret would not be found in it. So the
    redacted line is read again.
    """
    if prompt.problem is None:
        return None
    return parse_prompt(redact(source)).problem or "expected KEY=VALUE, found a secret"


def _warn_of_unknown_magic(source: str) -> str | None:
    """Return a warning about a message that looks like a magic; None for any other."""
    words = source.split(maxsplit=1)
    if not words or not words[0].startswith("%") or "\n" in source.strip():
        return None
    near = get_close_matches(words[0], (*OWN_MAGICS, CONTINUE_MAGIC), n=1, cutoff=0.75)
    if words[0] in (*near, MSG_MAGIC) or not (near or MAGIC_NAME.fullmatch(words[0])):
        return None
    suggestion = f" Did you mean {near[0]}?" if near else ""
    return f"There is no magic {one_line(words[0], 40)}: this was sent as a message.{suggestion}"
