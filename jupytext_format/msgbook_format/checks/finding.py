"""The finding: a probable mistake in a text."""

from __future__ import annotations

from dataclasses import dataclass


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
