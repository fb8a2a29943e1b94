"""`msgbook jupytext ...`: Jupytext's command line, with support for message files."""

from __future__ import annotations

import argparse

from msgbook_format.jupytext_plugin import main


def run(arguments: argparse.Namespace) -> int:
    """Run Jupytext with all arguments after the verb."""
    return main(arguments.argv)
