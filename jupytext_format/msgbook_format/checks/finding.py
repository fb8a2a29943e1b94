"""What checking a text gives."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing in a message file that is probably not meant so."""

    line: int
    """Line in the file, from 1."""
    code: str
    """Short name of the kind of finding; docs/commands.md lists all with their cures."""
    message: str
    """One sentence or two: what was found, how it is read, what to do."""
    fixable: bool = False
    """Whether `fix` mends it."""
