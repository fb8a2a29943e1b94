"""The command `msgbook`, also `python -m msgbook`."""

from __future__ import annotations

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    # `python -m` looks into the working directory first, which may be anybody's.
    del sys.path[0]

import argparse
import os
from collections.abc import Sequence
from typing import Any, NoReturn

from msgbook import __version__
from msgbook.cli import chat, check, doctor, fork, list_cells, preview, run, set_default, trust
from msgbook.cli.terminal import complain, line_of, printable, say
from msgbook.errors import MsgbookError

_INTERRUPTED = 130
"""Exit code after Ctrl+C, as shells have it: 128 and the number of SIGINT."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns:
        0 when all is fine, 1 for findings or a failed turn, 2 for usage or input that cannot be
        read, 130 after Ctrl+C.
    """
    argv = list(sys.argv[1:] if argv is None else argv)
    try:
        code = _run(argv)
        # What is buffered still may meet a closed pipe or a full disk.
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read has seen enough.
        _drop_output()
        return 0
    except OSError as error:
        _drop_output()
        file = "" if error.filename is None else f"{error.filename}: "
        complain(argv[0] if argv else "", f"{file}{error.strerror or error}")
        return 2
    except KeyboardInterrupt:
        return _INTERRUPTED
    return code


def _drop_output() -> None:
    """Send what is buffered nowhere: Python flushes once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(argv: list[str]) -> int:
    if argv[:1] == ["jupytext"]:
        # All that follows is Jupytext's, its --help too.
        return _jupytext(argv[1:])
    arguments = _parser().parse_args(argv)
    try:
        code: int = arguments.run(arguments)
    except MsgbookError as error:
        complain(arguments.verb, str(error))
        for line in error.details:
            say(f"  {line_of(line)}", sys.stderr)
        return 2
    return code


class _Parser(argparse.ArgumentParser):
    """A parser that names what it cannot use without doing what is in it."""

    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="msgbook",
        description="Talk to a language model in Jupyter.",
        formatter_class=lambda prog: argparse.HelpFormatter(prog, max_help_position=20),
    )
    parser.add_argument("--version", action="version", version=f"msgbook {__version__}")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    _add_demo(verbs)
    commands = (chat, run, preview, fork, list_cells, check, set_default, trust, doctor)
    for command in commands:
        command.add(verbs)
    verbs.add_parser("jupytext", add_help=False, help="run Jupytext, which knows .msg.md files")
    return parser


def _add_demo(verbs: Any) -> None:
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
    demo.set_defaults(run=_demo)


def _demo(arguments: argparse.Namespace) -> int:
    from msgbook.cli.demo import run_demo

    return run_demo(arguments.folder, headless=arguments.headless)


def _jupytext(argv: list[str]) -> int:
    from msgbook_format.jupytext_plugin import main as run_jupytext

    return run_jupytext(argv)


if __name__ == "__main__":
    sys.exit(main())
