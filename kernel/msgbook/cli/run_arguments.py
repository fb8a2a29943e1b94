"""Arguments of `msgbook run`. Imports argparse alone, so that `--help` is fast."""

from __future__ import annotations

import argparse

from msgbook.cli.arguments import declare_approval


def declare_run(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msgbook run`."""
    parser.description = (
        "Answer the prompts of FILE (.msg.md, .md with message_section, .ipynb, .mtm) that have no answer, from "
        "top to bottom, and write the file after each. DIR: do so with all conversations in it, several at once, "
        "and print a table. Code cells are not run. Exit code: 0 if all prompts are answered, 1 if a turn failed, "
        "which ends the run of its file, 2 if a file cannot be used."
    )
    parser.add_argument(
        "file", metavar="FILE|DIR", help="a message file, an .ipynb or an .mtm, or a folder"
    )
    parser.add_argument(
        "--jobs",
        type=_count,
        metavar="N",
        help="files or models that answer at once (default: 4)",
    )
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="answer the files of DIR on the Dask cluster of that scheduler",
    )
    parser.add_argument(
        "--model",
        action="append",
        metavar="NAME",
        help="answer FILE anew with that model, and with each other one that is named so; needs --out",
    )
    parser.add_argument(
        "--out",
        metavar="DIR",
        help="folder of a new file for each --model and of their comparison as HTML and JSON",
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--all", action="store_true", help="answer all prompts again")
    which.add_argument(
        "--from", dest="first", metavar="ID", help="answer that prompt and all below it again"
    )
    cassette = parser.add_mutually_exclusive_group()
    cassette.add_argument(
        "--record", metavar="CASSETTE", help="record the run in that file, NAME.cassette.jsonl"
    )
    cassette.add_argument(
        "--replay",
        metavar="CASSETTE",
        help="answer the prompts that were answered in that recording again, as they were: without a "
        "network, and nothing runs; a difference is exit code 1 and leaves FILE as it is",
    )
    declare_approval(parser)


def _count(word: str) -> int:
    number = int(word) if word.isascii() and word.isdecimal() else 0
    if not number:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 on, not {word!r}")
    return number
