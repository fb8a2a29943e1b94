"""Text for a terminal, which text from files must not control, and errors of wrong usage."""

from __future__ import annotations

import json
import os
import re
import sys
from typing import TextIO

from msgbook.errors import MsgbookError

_STEERING = re.compile(
    # Control characters, and those that change the direction of the text after them.
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]"
)

_UNPRINTED = re.compile(r"[^\n -~]")


def printable(text: str) -> str:
    """Return `text` without control and direction characters, except tab and newline."""
    return _STEERING.sub("", text)


def line_of(text: str, limit: int | None = None) -> str:
    """Return `text` as one line without tabs, cut to `limit` characters with an ellipsis."""
    line = printable(" ".join(text.split()))
    return line if limit is None or len(line) <= limit else line[: limit - 1] + "…"


def printable_json(text: str) -> str:
    """Return JSON that standard output shows unchanged: what it could not show is escaped."""
    is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")

    def escape(found: re.Match[str]) -> str:
        char = found[0]
        return char if is_unicode and char.isprintable() else json.dumps(char)[1:-1]

    return _UNPRINTED.sub(escape, text)


def home_as_tilde(text: str) -> str:
    """Return `text` with `~` for the user's home directory at the beginning of paths."""
    home = os.path.expanduser("~").rstrip("/")  # noqa: PTH111 - no error where there is none
    if home in ("", "~"):
        return text
    return re.sub(rf"(?<![\w./-]){re.escape(home)}(?![\w.-])", "~", text)


def write(text: str, stream: TextIO) -> None:
    """Write a text without control characters; characters that the stream cannot encode are escaped."""
    encoding = stream.encoding or "utf-8"
    stream.write(printable(text).encode(encoding, "backslashreplace").decode(encoding))


def say(text: str, stream: TextIO | None = None) -> None:
    """Print a text and a newline, as `write` does, by default on standard output."""
    write(f"{text}\n", stream or sys.stdout)


def complain(verb: str, text: str) -> None:
    """Print an error of a verb as one line on standard error."""
    say(f"msgbook {verb}: {line_of(text)}", sys.stderr)


# Errors of wrong usage.


class CommandError(MsgbookError):
    """A verb was used incorrectly; exit code 2."""
