"""The verbs of the extras, with their arguments. Imports as little as `msgbook.cli.arguments`."""

from __future__ import annotations

from msgbook.cli.arguments import Verb, operand, switch

VERBS = (
    Verb(
        "check",
        "find likely mistakes in message files",
        "Print FILE:LINE: CODE message for each likely mistake in message files. Exit code: 0 without findings, 1 "
        "with findings, 2 if a file cannot be read or is a notebook (.ipynb).",
        (
            operand("files", "FILE", "a message file", nargs="+"),
            switch("--json", "print all findings as one JSON list"),
            switch("--fix", "fix what is safe to fix, and print what remains"),
        ),
        entry="msgbook.extras.check:run",
        before="set-default",
    ),
    Verb(
        "git-setup",
        "let git diff and merge message files by cell",
        "Tell git how to diff and merge *.msg.md files: hunk headers name the cell, --word-diff compares words, and "
        "a merge goes cell by cell. It changes .git/config and .git/info/attributes of this repository, and prints "
        "what it writes.",
        (
            switch(
                "--global",
                "for all of your repositories: your own git configuration and attributes file",
                dest="everywhere",
            ),
            switch("--remove", "take back what it wrote, and leave the rest"),
        ),
        entry="msgbook.extras.git_setup:run",
        before="doctor",
    ),
)
