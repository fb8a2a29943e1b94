"""Whether a prompt says something, and what of it is not understood. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from msgbook.errors import MsgbookError
from msgbook.notebook.cells import (
    HISTORY_VALUES,
    MAGIC_NAME,
    OWN_MAGICS,
    PROMPT_ATTRIBUTES,
    Cell,
    Prompt,
    metadata_of,
    parse_prompt,
)
from msgbook.notebook.transcript import Transcript
from msgbook.request.history import CONTINUE_MAGIC, CONTINUE_WORDS, broke_off, is_continue
from msgbook.text import one_line

_ALONE = "%continue stands alone in its cell; write what is to be said into the next one."

_WHOLE = "%continue: no answer above broke off. Write what you want to know instead."


class EmptyMessageError(MsgbookError):
    """There is nothing to send."""


class UnreadableMsgLineError(MsgbookError):
    """The `%%msg` line of a prompt cannot be read."""


class NothingToContinueError(MsgbookError):
    """There is no answer above that broke off."""


def read_prompt(source: str) -> Prompt:
    """What a cell says to the model."""
    return Prompt(CONTINUE_WORDS) if is_continue(source) else parse_prompt(source)


def check_prompt(source: str, prompt: Prompt, transcript: Transcript) -> None:
    """Go on only if there is something to say.

    Raises:
        UnreadableMsgLineError: Its `%%msg` line cannot be read.
        EmptyMessageError: There is nothing.
        NothingToContinueError: `%continue` asks for what there is not, or says more than that.
    """
    if prompt.problem:
        raise UnreadableMsgLineError(
            f"%%msg in line {prompt.line - 1} cannot be read, so nothing was sent: "
            f"{prompt.problem}. The message itself begins on the next line."
        )
    if not prompt.text.strip():
        raise EmptyMessageError("The message is empty: write something into the cell.")
    if is_continue(source):
        if not broke_off(transcript.earlier):
            raise NothingToContinueError(_WHOLE)
    elif source.split(maxsplit=1)[0] == CONTINUE_MAGIC:
        raise NothingToContinueError(_ALONE)


def _mistyped_magic(source: str) -> str | None:
    """Return a word about a message that looks like a magic; None for any other."""
    words = source.split(maxsplit=1)
    if not words or not words[0].startswith("%") or "\n" in source.strip():
        return None
    near = get_close_matches(words[0], OWN_MAGICS, n=1, cutoff=0.75)
    if words[0] in near or not (near or MAGIC_NAME.fullmatch(source.strip())):
        return None
    meant = f" Is {near[0]} meant?" if near else ""
    return f"There is no magic {one_line(words[0], 40)}: this was sent as a message.{meant}"


def list_prompt_warnings(source: str, prompt: Prompt, current: Cell | None) -> Iterator[str]:
    """What of a prompt, its `%%msg` line and `history` in its metadata is hardly meant, a line each."""
    if words := _mistyped_magic(source):
        yield words
    unknown = sorted(prompt.attributes.keys() - PROMPT_ATTRIBUTES)
    if unknown:
        yield f"%%msg: {', '.join(unknown)} means nothing here and is ignored."
    line = prompt.attributes.get("history")
    noted = metadata_of(current or {}).get("history", "include") if line is None else line
    history = one_line(str(noted), 40)
    if history.strip().lower() not in HISTORY_VALUES:
        where = "the cell's metadata" if line is None else "%%msg"
        yield (
            f"{where}: expected history=include, exclude or summary, got {history}; "
            "it is taken as include."
        )
