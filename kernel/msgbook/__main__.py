"""The command `msgbook`, also `python -m msgbook`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from msgbook import __version__
from msgbook.errors import MsgbookError


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns:
        0 when all is fine, 1 when a turn failed, 2 for usage or input that cannot be read.
    """
    parser = argparse.ArgumentParser(
        prog="msgbook", description="Talk to a language model in Jupyter."
    )
    parser.add_argument("--version", action="version", version=f"msgbook {__version__}")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    demo = verbs.add_parser("demo", help="open a sample conversation with the built-in demo model")
    demo.add_argument(
        "folder",
        nargs="?",
        default="msgbook-demo",
        metavar="DIR",
        help="where the conversation is kept (default: %(default)s)",
    )
    demo.add_argument(
        "--headless", action="store_true", help="run it without a browser and export demo.html"
    )
    arguments = parser.parse_args(argv)
    from msgbook.demo import run_demo

    try:
        return run_demo(arguments.folder, headless=arguments.headless)
    except MsgbookError as error:
        sys.stderr.write(f"msgbook {arguments.verb}: {error}\n")
        return 2


if __name__ == "__main__":
    sys.exit(main())
