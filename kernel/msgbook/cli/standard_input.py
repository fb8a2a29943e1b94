"""The text of standard input."""

from __future__ import annotations

from msgbook.cli.terminal import complain
from msgbook.cli.usage_errors import CommandError
from msgbook.tools.files import decode


def text_of_input(verb: str, data: bytes) -> str:
    """Return the text that was piped into a verb, without its last line end.

    It is decoded as a file to which a message refers. A guess is said on standard error.

    Raises:
        CommandError: It is no text.
    """
    file = decode(data)
    if file is None:
        raise CommandError("standard input: expected text, got binary data")
    if file.is_damaged:
        complain(verb, "standard input: some of its bytes are no text; \ufffd stands for each")
    if file.is_guessed:
        complain(verb, f"standard input: expected UTF-8, got {file.codec}, which is a guess")
    return file.text.removesuffix("\n").removesuffix("\r")
