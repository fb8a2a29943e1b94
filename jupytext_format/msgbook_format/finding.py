"""What `check` finds, and what it is given to look at files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

OutputFileRule = Callable[[str, str | None], str | None]
"""Takes the values of `output_file` and `sha256`; returns a message if that file cannot be used."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One probable mistake in a text."""

    line: int
    """Line in the file, from 1."""
    code: str
    """Short name of the rule; docs/commands.md lists all of them."""
    message: str
    """What was found, how it is read, and what to do, in one or two sentences."""
    fixable: bool = False
    """True if `fix` removes it."""
