"""The verbs of the extras, with their arguments. Imports as little as `msgbook.cli.arguments`."""

from __future__ import annotations

import argparse

from msgbook.cli.arguments import Verb


def declare_check(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msgbook check`."""
    parser.description = (
        "Print FILE:LINE: CODE message for each likely mistake in message files. Exit code: 0 without "
        "findings, 1 with findings, 2 if a file cannot be read or is a notebook (.ipynb)."
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="a message file")
    parser.add_argument("--json", action="store_true", help="print all findings as one JSON list")
    parser.add_argument(
        "--fix", action="store_true", help="fix what is safe to fix, and print what remains"
    )


def declare_git_setup(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msgbook git-setup`."""
    parser.description = (
        "Tell git how to diff and merge *.msg.md files: hunk headers name the cell, --word-diff compares "
        "words, and a merge goes cell by cell. It changes .git/config and .git/info/attributes of this "
        "repository, and prints what it writes."
    )
    parser.add_argument(
        "--global",
        dest="everywhere",
        action="store_true",
        help="for all of your repositories: your own git configuration and attributes file",
    )
    parser.add_argument(
        "--remove", action="store_true", help="take back what it wrote, and leave the rest"
    )


VERBS = (
    Verb(
        "check",
        "find likely mistakes in message files",
        declare_check,
        "msgbook.extras.check:run",
        before="set-default",
    ),
    Verb(
        "git-setup",
        "let git diff and merge message files by cell",
        declare_git_setup,
        "msgbook.extras.git_setup:run",
        before="doctor",
    ),
)
