"""Jupytext's command line with the format `msg`, in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

TOUR = (Path(__file__).parents[1] / "format" / "fixtures" / "tour.msg.md").read_text()

COMMAND = """
import sys, warnings
warnings.simplefilter("error", UserWarning)
from msgbook_format.jupytext_plugin import register
assert register() and register()
import jupytext, jupytext.cli
"""


def jupytext(run: Callable[[str], str], *commands: str) -> None:
    """Run command lines of Jupytext one after the other."""
    run(f"for command in {commands!r}:\n    assert not jupytext.cli.jupytext(command.split())")
