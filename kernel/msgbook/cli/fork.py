"""`msgbook fork FILE --at ID`: starts a new conversation with the first cells of another one."""

from __future__ import annotations

import argparse
from pathlib import Path

from msgbook.cli.terminal import CommandError, say
from msgbook.notebook import fork_conversation


def run(arguments: argparse.Namespace) -> int:
    """Run the verb."""
    output = Path(arguments.output) if arguments.output is not None else None
    try:
        say(str(fork_conversation(Path(arguments.file), arguments.at, output)))
    except FileExistsError:
        raise CommandError(f"{output} exists. Choose another name.") from None
    return 0
