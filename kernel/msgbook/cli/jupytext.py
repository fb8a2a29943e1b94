"""`msgbook jupytext ...`: Jupytext's command line, with support for message files."""

from __future__ import annotations

import argparse
import sys

from msgbook_format.jupytext_plugin import main


def run(arguments: argparse.Namespace) -> int:
    """Run Jupytext with all arguments after the verb."""
    # Jupytext's parser names the program in `--help` by this.
    sys.argv[0] = "msgbook jupytext"
    return main(arguments.argv)
