"""Code of msgbook's line magics, a module for each group of names in `notebook.magics_table`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from importlib import import_module

from msgbook.magics.base import MagicContext, UsageError
from msgbook.notebook.magics_table import OWN_MAGICS, LineMagic

RunMagic = Callable[[MagicContext, Sequence[str]], Awaitable[str]]
"""Function of a magic: given the words after the name, returns the text that the cell prints."""


async def run_magic(source: str, context: MagicContext) -> str:
    """Run a cell that begins with one of msgbook's line magics and return what it prints.

    Raises:
        UsageError: The cell holds more than the magic and the words that it takes.
        MsgbookError: The magic cannot do what it is asked for.
    """
    name, *words = source.split()
    magic = OWN_MAGICS[name]
    if "\n" in source.strip():
        raise UsageError(
            f"{name} must be alone in its cell. Move the other lines into the next cell."
        )
    most = magic.most_words
    if most is not None and len(words) > most:
        expected = (
            f"at most {most} words" if most > 1 else "at most one word" if most else "nothing"
        )
        raise UsageError(
            f"Expected {expected} after {name}, got {' '.join(words)!r}. %help explains it."
        )
    return await find_function(magic)(replace(context, source=source), words)


def find_function(magic: LineMagic) -> RunMagic:
    """Import and return the function that runs a magic."""
    module, _, name = magic.function.partition(".")
    function: RunMagic = getattr(import_module(f"msgbook.magics.{module}"), name)
    return function
