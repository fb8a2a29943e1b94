"""The verbs of the command with their arguments, as rows. Imports argparse alone, so that `--help` is fast."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

DOCTOR_TIMEOUT = 60.0
"""Seconds for one request of the doctor: a local server may have to load the model first."""


class Argument:
    """An argument of a verb: what `add_argument` takes.

    Args:
        may_miss: Whether the verb itself says that it is missing. With `nargs="?"` argparse would miss
            it behind an option.
    """

    def __init__(self, *names: str, may_miss: bool = False, **options: Any) -> None:
        self.names = names
        self.options = options
        self.may_miss = may_miss

    def declare(self, parser: argparse._ActionsContainer) -> None:
        """Add it to a parser, or to a group of one."""
        action = parser.add_argument(*self.names, **self.options)
        action.required = action.required and not self.may_miss


class OneOf(tuple[Argument, ...]):
    """Arguments of which one at most is given."""

    __slots__ = ()

    def declare(self, parser: argparse._ActionsContainer) -> None:
        """Add them to a parser."""
        group = parser.add_mutually_exclusive_group()
        for argument in self:
            argument.declare(group)


class Verb(NamedTuple):
    """One verb of the command, or one action of a verb."""

    name: str
    help: str
    """One line for `msgbook --help`."""
    description: str = ""
    arguments: tuple[Argument | OneOf, ...] = ()
    usage: str | None = None
    actions: tuple[Verb, ...] = ()
    """Verbs behind this one, of which one is given."""
    entry: str = ""
    """Where the function is that runs it, `module:name`; empty for `run` of the verb's module in `msgbook.cli`."""
    before: str = ""
    """For a verb of an extra: the verb that `msgbook --help` lists below it."""

    def load(self) -> Callable[[argparse.Namespace], int]:
        """Return the function that takes the arguments and returns the exit code. Only now its module is imported."""
        entry = self.entry or f"msgbook.cli.{self.name.replace('-', '_')}:run"
        module, _, name = entry.partition(":")
        run: Callable[[argparse.Namespace], int] = getattr(import_module(module), name)
        return run

    def declare(self, parser: argparse.ArgumentParser) -> None:
        """Declare its arguments."""
        parser.usage = self.usage
        parser.description = self.description or None
        for argument in self.arguments:
            argument.declare(parser)
        if self.actions:
            actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
            for action in self.actions:
                action.declare(actions.add_parser(action.name, help=action.help))


def switch(name: str, text: str, **options: Any) -> Argument:
    """Return an option without a value."""
    return Argument(name, action="store_true", help=text, **options)


def option(name: str, metavar: str, text: str, **options: Any) -> Argument:
    """Return an option with a value."""
    return Argument(name, metavar=metavar, help=text, **options)


def operand(name: str, metavar: str, text: str | None = None, **options: Any) -> Argument:
    """Return an argument without a name of its own on the command line."""
    return Argument(name, metavar=metavar, help=text, **options)


# What the values are.


def _number(word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        return 0.0
    return number if 0 < number < math.inf else 0.0


def _seconds(word: str) -> float:
    if not (seconds := _number(word)):
        raise argparse.ArgumentTypeError(f"expected a positive number of seconds, not {word!r}")
    return seconds


def _amount(word: str) -> float:
    if not (amount := _number(word)):
        raise argparse.ArgumentTypeError(f"expected a positive number, not {word!r}")
    return amount


def _count(word: str) -> int:
    number = int(word) if word.isascii() and word.isdecimal() else 0
    if not number:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 on, not {word!r}")
    return number


_CHAT = "a message file, an .ipynb or an .mtm"
_FILE = operand("file", "FILE", _CHAT)
_APPROVAL = Argument(
    "--approval",
    choices=("ask", "deny"),
    help="ask about calls that need approval, or deny them; a stricter MSGBOOK_APPROVAL still holds",
)

VERBS = (
    Verb(
        "demo",
        "open a sample notebook and a sample chat with the built-in demo model",
        arguments=(
            operand(
                "folder",
                "DIR",
                "folder of the samples (default: %(default)s)",
                nargs="?",
                default="msgbook-demo",
            ),
            switch("--headless", "run them without a browser and export a page of each"),
        ),
    ),
    Verb(
        "chat",
        "send a message from the terminal and keep the conversation in a file",
        "Start a conversation in FILE with the message TEXT and print the answer. If standard output is not a "
        "terminal, only the text of the answer is printed.",
        (
            operand(
                "file",
                "FILE",
                "the conversation: a .msg.md, .ipynb, .mtm or .mutsumi-notebook file, or, if it exists, a .md with "
                "message_section",
            ),
            operand("text", "TEXT", "the message; - reads it from standard input", may_miss=True),
            switch(
                "--continue",
                "continue the conversation in FILE; otherwise an existing file is an error",
                dest="go_on",
            ),
            switch(
                "--force",
                "the same, and if FILE is an ordinary Markdown file (.md), add a message section at its end",
            ),
            switch(
                "--resume",
                "instead of TEXT: continue the last answer if it broke off, was stopped or failed",
            ),
            option("--model", "NAME", "the model that answers"),
            option("--agent", "NAME", "the agent that answers"),
            _APPROVAL,
        ),
        usage="%(prog)s [options] FILE (TEXT | --resume)",
    ),
    Verb(
        "run",
        "answer the prompts of a conversation that have no answer",
        "Answer the prompts of FILE (.msg.md, .md with message_section, .ipynb, .mtm) that have no answer, from top "
        "to bottom, and write the file after each. DIR: do so with all conversations in it, several at once, and "
        "print a table. Code cells are not run. Exit code: 0 if all prompts are answered, 1 if a turn failed, which "
        "ends the run of its file, 2 if a file cannot be used.",
        (
            operand("file", "FILE|DIR", f"{_CHAT}, or a folder"),
            option("--jobs", "N", "files or models that answer at once (default: 4)", type=_count),
            option(
                "--max-cost",
                "AMOUNT",
                "send no more once the run has cost so much, in the currency of the prices (US dollars)",
                type=_amount,
            ),
            option(
                "--dask", "ADDRESS", "answer the files of DIR on the Dask cluster of that scheduler"
            ),
            option(
                "--model",
                "NAME",
                "answer FILE anew with that model, and with each other one that is named so; needs --out",
                action="append",
            ),
            option(
                "--out",
                "DIR",
                "folder of a new file for each --model and of their comparison as HTML and JSON",
            ),
            OneOf(
                (
                    switch("--all", "answer all prompts again"),
                    option(
                        "--from", "ID", "answer that prompt and all below it again", dest="first"
                    ),
                )
            ),
            OneOf(
                (
                    option(
                        "--record",
                        "CASSETTE",
                        "record the run in that file, NAME.cassette.jsonl",
                    ),
                    option(
                        "--replay",
                        "CASSETTE",
                        "answer the prompts that were answered in that recording again, as they were: without a "
                        "network, and nothing runs; a difference is exit code 1 and leaves FILE as it is",
                    ),
                )
            ),
            _APPROVAL,
        ),
    ),
    Verb(
        "preview",
        "show what a prompt would send, and how many tokens each cell costs",
        "Show the request that a prompt of FILE (.msg.md, .md with message_section, .ipynb, .mtm) would make. "
        'Nothing is sent and nothing runs: {"pending": ...} stands for what would run first. Exit code: 1 if there '
        "would be no request.",
        (
            _FILE,
            option(
                "--cell",
                "ID",
                "the prompt (default: the first without an answer, or else the last)",
            ),
            switch("--json", "print the body of the request as JSON"),
            switch(
                "--run",
                "show what `msgbook run` and `msgbook chat` would send, which have no Python",
            ),
        ),
    ),
    Verb(
        "fork",
        "start a new conversation with the first cells of another",
        "Copy the cells of FILE, from the first to the one with that id, with their answers into a new file, and "
        "print its name. FILE is not changed.",
        (
            _FILE,
            option("--at", "ID", "the last cell of the new file", required=True),
            option("--output", "NEW", "name of the new file (default: FILE with -fork)"),
        ),
    ),
    Verb(
        "convert",
        "write a conversation in another form, or chats of other programs as conversations",
        "Write the conversation of FILE into the file NEW, whose name chooses the form: .msg.md, .ipynb, .mtm or "
        ".mutsumi-notebook; .json for OpenAI messages, .jsonl for a line of training data. FILE is a conversation in "
        "any of these forms, an archive of ChatGPT or Claude (.zip or conversations.json), logs of llm (logs.db, or "
        "the JSON of `llm logs --json`) or a .chat of jupyter-ai. FILE is not changed, and nothing in it is run. What "
        "has no place in NEW is said on standard error.",
        (
            operand("file", "FILE", "what to convert; its form is recognized"),
            operand("new", "NEW", "the file to write", may_miss=True),
            option(
                "--out",
                "DIR",
                "write each conversation of FILE into this folder, named by its title",
            ),
            option(
                "--to",
                "FORM",
                "the form to write, instead of what NEW says: %(choices)s; without NEW and --out, the last two go to "
                "standard output",
                choices=("msg.md", "ipynb", "mtm", "openai-messages", "openai-jsonl"),
            ),
            switch(
                "--system-prompt",
                "begin OpenAI messages with the system prompt of the agent that would answer next, as a request does",
            ),
            switch("--force", "replace the conversation in NEW if it exists"),
        ),
        usage="%(prog)s [options] FILE [NEW]",
    ),
    Verb(
        "export",
        "write a conversation as a page, Markdown, PDF, slides or notebook",
        "Write the conversation of FILE as a document that can be passed on: nothing in it runs or loads. FILE is "
        "not changed.",
        (
            _FILE,
            Argument(
                "--to",
                choices=("html", "markdown", "pdf", "slides", "notebook"),
                default="html",
                help="kind of the document (default: %(default)s)",
            ),
            option("--output", "NEW", "the file to write (default: beside FILE, with its name)"),
            switch("--force", "replace NEW if it exists"),
            Argument(
                "--no-reasoning",
                dest="reasoning",
                action="store_false",
                help="leave out the model's reasoning",
            ),
            Argument(
                "--no-tools",
                dest="tools",
                action="store_false",
                help="leave out tool calls and their results",
            ),
            switch("--excluded", "show prompts and code that are excluded from requests, too"),
            switch("--system", "show system prompts, too"),
        ),
    ),
    Verb(
        "list",
        "list the cells or the agents of a conversation, or print one cell",
        "FILE: print a line for each cell: ID TAB KIND TAB title or first words. The kinds are prompt, code, note, "
        "system and raw. FILE/agent: print the names of its agents, the default first. FILE/ID: print the text of "
        "the cell with that id.",
        (operand("target", "FILE[/agent|/ID]", f"{_CHAT}, with or without what to print of it"),),
    ),
    Verb(
        "agents",
        "list the conversations of a folder and what they do",
        "Print the conversations in DIR, those of sub-agents below the ones that started them: status, time of the "
        "last change, file, name and task.",
        (
            operand("folder", "DIR", "a folder (default: this one)", nargs="?", default="."),
            switch("--json", "print them as one JSON list"),
        ),
    ),
    Verb(
        "set-default",
        "choose the agent that answers by default",
        "Set default_agent in the frontmatter of a message file and change nothing else. If the file defines agents, "
        "AGENT has to be one that `msgbook list FILE/agent` lists.",
        (operand("file", "FILE", "a message file"), operand("agent", "AGENT", "name of the agent")),
    ),
    Verb(
        "trust",
        "accept the model and the approval rules that a project sets",
        "Trust the .msgbook/config.toml of the project that DIR belongs to, as it is now. If it changes, it has to "
        "be trusted again.",
        (operand("folder", "DIR"), switch("--revoke", "stop trusting the project")),
    ),
    Verb(
        "kernel",
        "let a Jupyter of another environment start this one's kernels",
        actions=(
            Verb(
                "install",
                "let another Jupyter start kernels of this environment",
                "Install a kernelspec: a Jupyter of another environment then offers a kernel that runs in this one, "
                "with its packages. msgbook's extension has to be installed where that Jupyter runs.",
                (
                    switch(
                        "--code-first",
                        "Python + Chat: cells are Python, and those that begin with %%%%msg are messages (default: "
                        "a chat)",
                    ),
                    option(
                        "--name",
                        "N",
                        "name of the kernelspec, behind msgbook- or msgbook-python- (default: this environment's)",
                    ),
                    option(
                        "--display-name", "D", "what the launcher shows (default: with that name)"
                    ),
                    OneOf(
                        (
                            switch("--user", "for this user (the default)"),
                            option("--prefix", "P", "for the environment in that folder"),
                        )
                    ),
                ),
            ),
        ),
    ),
    Verb(
        "doctor",
        "check the settings and the model's server",
        "Show the settings in force, and check the installation and the model's server with three short requests. "
        "Exit code: 0 if no check failed, 1 if some did, 2 if the settings cannot be read.",
        (
            switch("--json", "print everything as one JSON object"),
            switch("--setup", "first write msgbook.toml from your answers"),
            switch("--offline", "do not check the server"),
            option(
                "--timeout",
                "SECONDS",
                "limit for one request (default: %(default)g)",
                type=_seconds,
                default=DOCTOR_TIMEOUT,
            ),
            option("--provider", "NAME", "check this provider, not the default"),
            option("--model", "NAME", "check with this model"),
        ),
    ),
    # Jupytext parses its own arguments.
    Verb("jupytext", "run Jupytext with support for .msg.md files"),
)
"""The verbs of the core, as `msgbook --help` lists them."""
