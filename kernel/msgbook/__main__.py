"""The command `msgbook`, also `python -m msgbook`."""

from __future__ import annotations

import sys
import warnings

if __name__ == "__main__" and not sys.flags.safe_path:
    # `python -m` searches the working directory first, which may be anybody's.
    del sys.path[0]

import argparse
import os
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from msgbook import __version__
from msgbook.cli import arguments
from msgbook.cli.arguments import Verb
from msgbook.cli.terminal import complain, line_of, printable, say
from msgbook.errors import MsgbookError

_INTERRUPTED = 130
"""Exit code after Ctrl+C, as in a shell: 128 plus the number of SIGINT."""

_PATHS = {"file", "files", "folder", "target", "new", "output", "out", "record", "replay", "prefix"}
"""Arguments that are paths."""


def _with_extras(verbs: Sequence[Verb]) -> tuple[Verb, ...]:
    """Return the verbs with those of the extras."""
    extras: Sequence[Verb] = import_module("msgbook.extras.verbs").VERBS
    return tuple(
        one
        for verb in verbs
        for one in (*(extra for extra in extras if extra.before == verb.name), verb)
    )


VERBS = _with_extras(arguments.VERBS)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns:
        0 for success, 1 for findings or a failed turn, 2 for wrong usage or unreadable input, 130
        after Ctrl+C.
    """
    argv = list(sys.argv[1:] if argv is None else argv)
    try:
        code = _run(argv)
        # Buffered output may still meet a closed pipe or a full disk.
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has closed its end of the pipe.
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
    # Python flushes buffered output once more when it ends.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(argv: list[str]) -> int:
    given = _parse(argv)
    with warnings.catch_warnings():
        if not sys.warnoptions:
            # Libraries warn those who program with them; what a user has to know is said in words of ours.
            warnings.showwarning = _show_nothing
        return _run_verb(given)


def _show_nothing(*_warning: object, **_place: object) -> None:
    """Stand in for the function that prints warnings."""


def _run_verb(given: argparse.Namespace) -> int:
    run = next(verb for verb in VERBS if verb.name == given.verb).load()
    try:
        code = run(given)
    except MsgbookError as error:
        complain(given.verb, str(error))
        for line in error.details:
            say(f"  {line_of(line)}", sys.stderr)
        return 2
    return code


def _parse(argv: list[str]) -> argparse.Namespace:
    if argv[:1] == ["jupytext"]:
        # All other arguments are Jupytext's, even --help.
        return argparse.Namespace(verb="jupytext", argv=argv[1:])
    given = _parser(argv[0] if argv else "").parse_args(argv)
    for name in _PATHS & vars(given).keys():
        setattr(given, name, _on_disk(getattr(given, name)))
    return given


def _on_disk(value: Any) -> Any:
    """Return a path, or a list of paths, in the Unicode form that the file system has."""
    if isinstance(value, list):
        return [*map(_on_disk, value)]
    if not isinstance(value, str) or value.isascii():
        return value
    from msgbook_format.links import spelled_on_disk  # few names need it

    try:
        found = spelled_on_disk(Path(value))
    except ValueError:  # NUL, which the verb reports
        return value
    return value if found == Path(value) else str(found)


class _Parser(argparse.ArgumentParser):
    """Parser whose errors show no control characters of the arguments."""

    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


def _parser(first: str = "") -> argparse.ArgumentParser:
    """Return the parser of the command.

    Args:
        first: The first argument. If it is a verb, the arguments of others are not declared.
    """
    parser = _Parser(
        prog="msgbook",
        description="Talk to a language model in Jupyter.",
        formatter_class=lambda prog: argparse.HelpFormatter(prog, max_help_position=20),
    )
    parser.add_argument("--version", action="version", version=f"msgbook {__version__}")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    is_verb = any(verb.name == first for verb in VERBS)
    for verb in VERBS:
        declared = verbs.add_parser(verb.name, help=verb.help)
        if not is_verb or verb.name == first:
            verb.declare(declared)
    return parser


if __name__ == "__main__":
    sys.exit(main())
