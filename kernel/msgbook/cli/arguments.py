"""What a verb of the command is, and the arguments of each. Imports argparse alone, so that `--help` is fast."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

DOCTOR_TIMEOUT = 60.0
"""Seconds for one request of the doctor: a local server may have to load the model first."""


class Verb(NamedTuple):
    """One verb of the command."""

    name: str
    help: str
    """One line for `msgbook --help`."""
    declare: Callable[[argparse.ArgumentParser], None]
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


def declare_demo(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msgbook demo`."""
    parser.add_argument(
        "folder",
        nargs="?",
        default="msgbook-demo",
        metavar="DIR",
        help="folder of the conversation (default: %(default)s)",
    )
    parser.add_argument(
        "--headless", action="store_true", help="run it without a browser and export demo.html"
    )


def declare_chat(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msgbook chat`."""
    parser.usage = "%(prog)s [options] FILE (TEXT | --resume)"
    parser.description = (
        "Start a conversation in FILE with the message TEXT and print the answer. If "
        "standard output is not a terminal, only the text of the answer is printed."
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        help="the conversation: a .msg.md, .ipynb, .mtm or .mutsumi-notebook file, or, if it exists, a .md "
        "with message_section",
    )
    text = parser.add_argument(
        "text", metavar="TEXT", help="the message; - reads it from standard input"
    )
    # With `nargs="?"` argparse would miss it behind an option. The verb says what is missing.
    text.required = False
    parser.add_argument(
        "--continue",
        dest="go_on",
        action="store_true",
        help="continue the conversation in FILE; otherwise an existing file is an error",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="the same, and if FILE is an ordinary Markdown file (.md), add a message section at its end",
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="instead of TEXT: continue the last answer if it broke off, was stopped or failed",
    )
    parser.add_argument("--model", metavar="NAME", help="the model that answers")
    parser.add_argument("--agent", metavar="NAME", help="the agent that answers")
    declare_approval(parser)


def declare_preview(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msgbook preview`."""
    parser.description = (
        "Show the request that a prompt of FILE (.msg.md, .md with message_section, .ipynb, .mtm) would make. "
        'Nothing is sent and nothing runs: {"pending": ...} stands for what would run first. Exit code: '
        "1 if there would be no request."
    )
    parser.add_argument("file", metavar="FILE", help="a message file, an .ipynb or an .mtm")
    parser.add_argument(
        "--cell",
        metavar="ID",
        help="the prompt (default: the first without an answer, or else the last)",
    )
    parser.add_argument("--json", action="store_true", help="print the body of the request as JSON")
    parser.add_argument(
        "--run",
        action="store_true",
        help="show what `msgbook run` and `msgbook chat` would send, which have no Python",
    )


def declare_list(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msgbook list`."""
    parser.description = (
        "FILE: print a line for each cell: ID TAB KIND TAB title or first words. The kinds are prompt, "
        "code, note, system and raw. FILE/agent: print the names of its agents, the default first. "
        "FILE/ID: print the text of the cell with that id."
    )
    parser.add_argument(
        "target",
        metavar="FILE[/agent|/ID]",
        help="a message file, an .ipynb or an .mtm, with or without what to print of it",
    )


def declare_set_default(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msgbook set-default`."""
    parser.description = (
        "Set default_agent in the frontmatter of a message file and change nothing else. If the file defines "
        "agents, AGENT has to be one that `msgbook list FILE/agent` lists."
    )
    parser.add_argument("file", metavar="FILE", help="a message file")
    parser.add_argument("agent", metavar="AGENT", help="name of the agent")


def declare_agents(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msgbook agents`."""
    parser.description = (
        "Print the conversations in DIR, those of sub-agents below the ones that started them: "
        "status, time of the last change, file, name and task."
    )
    parser.add_argument(
        "folder", nargs="?", default=".", metavar="DIR", help="a folder (default: this one)"
    )
    parser.add_argument("--json", action="store_true", help="print them as one JSON list")


def declare_trust(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msgbook trust`."""
    parser.description = (
        "Trust the .msgbook/config.toml of the project that DIR belongs to, as it is now. If it changes, "
        "it has to be trusted again."
    )
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--revoke", action="store_true", help="stop trusting the project")


def declare_doctor(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msgbook doctor`."""
    parser.description = (
        "Show the settings in force, and check the installation and the model's server with three "
        "short requests. Exit code: 0 if no check failed, 1 if some did, 2 if the settings cannot be read."
    )
    parser.add_argument("--json", action="store_true", help="print everything as one JSON object")
    parser.add_argument(
        "--setup", action="store_true", help="first write msgbook.toml from your answers"
    )
    parser.add_argument("--offline", action="store_true", help="do not check the server")
    parser.add_argument(
        "--timeout",
        type=_seconds,
        default=DOCTOR_TIMEOUT,
        metavar="SECONDS",
        help="limit for one request (default: %(default)g)",
    )
    parser.add_argument("--provider", metavar="NAME", help="check this provider, not the default")
    parser.add_argument("--model", metavar="NAME", help="check with this model")


def declare_jupytext(parser: argparse.ArgumentParser) -> None:
    """Declare nothing: Jupytext parses its own arguments."""


def declare_approval(parser: argparse.ArgumentParser) -> None:
    """Declare the argument of verbs that may call tools."""
    parser.add_argument(
        "--approval",
        choices=("ask", "deny"),
        help="ask about calls that need approval, or deny them; a stricter MSGBOOK_APPROVAL still holds",
    )


def _seconds(word: str) -> float:
    try:
        seconds = float(word)
    except ValueError:
        seconds = 0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a positive number of seconds, not {word!r}")
    return seconds


# Arguments of the verbs that make other files of a conversation.


def declare_fork(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msgbook fork`."""
    parser.description = (
        "Copy the cells of FILE, from the first to the one with that id, with their answers into a new "
        "file, and print its name. FILE is not changed."
    )
    parser.add_argument("file", metavar="FILE", help="a message file, an .ipynb or an .mtm")
    parser.add_argument("--at", required=True, metavar="ID", help="the last cell of the new file")
    parser.add_argument(
        "--output", metavar="NEW", help="name of the new file (default: FILE with -fork)"
    )


def declare_convert(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msgbook convert`."""
    parser.usage = "%(prog)s [options] FILE [NEW]"
    parser.description = (
        "Write the conversation of FILE into the file NEW, whose name chooses the form: .msg.md, .ipynb, "
        ".mtm or .mutsumi-notebook; .json for OpenAI messages, .jsonl for a line of training data. FILE is a "
        "conversation in any of these forms, an archive of ChatGPT or Claude (.zip or conversations.json), "
        "logs of llm (logs.db, or the JSON of `llm logs --json`) or a .chat of jupyter-ai. FILE is not "
        "changed, and nothing in it is run. What has no place in NEW is said on standard error."
    )
    parser.add_argument("file", metavar="FILE", help="what to convert; its form is recognized")
    new = parser.add_argument("new", metavar="NEW", help="the file to write")
    # With `nargs="?"` argparse would miss it behind an option. The verb says what is missing.
    new.required = False
    parser.add_argument(
        "--out",
        metavar="DIR",
        help="write each conversation of FILE into this folder, named by its title",
    )
    parser.add_argument(
        "--to",
        choices=("msg.md", "ipynb", "mtm", "openai-messages", "openai-jsonl"),
        metavar="FORM",
        help="the form to write, instead of what NEW says: %(choices)s; without NEW and --out, the last two "
        "go to standard output",
    )
    parser.add_argument(
        "--system-prompt",
        action="store_true",
        help="begin OpenAI messages with the system prompt of the agent that would answer next, as a request does",
    )
    parser.add_argument(
        "--force", action="store_true", help="replace the conversation in NEW if it exists"
    )


def declare_export(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msgbook export`."""
    parser.description = (
        "Write the conversation of FILE as a document that can be passed on: nothing in it runs or loads. "
        "FILE is not changed."
    )
    parser.add_argument("file", metavar="FILE", help="a message file, an .ipynb or an .mtm")
    parser.add_argument(
        "--to",
        choices=("html", "markdown", "pdf", "slides", "notebook"),
        default="html",
        help="kind of the document (default: %(default)s)",
    )
    parser.add_argument(
        "--output", metavar="NEW", help="the file to write (default: beside FILE, with its name)"
    )
    parser.add_argument("--force", action="store_true", help="replace NEW if it exists")
    parser.add_argument(
        "--no-reasoning",
        dest="reasoning",
        action="store_false",
        help="leave out the model's reasoning",
    )
    parser.add_argument(
        "--no-tools",
        dest="tools",
        action="store_false",
        help="leave out tool calls and their results",
    )
    parser.add_argument(
        "--excluded",
        action="store_true",
        help="show prompts and code that are excluded from requests, too",
    )
    parser.add_argument("--system", action="store_true", help="show system prompts, too")


def declare_kernel(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `msgbook kernel`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    install = actions.add_parser(
        "install", help="let another Jupyter start kernels of this environment"
    )
    install.description = (
        "Install a kernelspec: a Jupyter of another environment then offers a kernel that runs in this one, with "
        "its packages. msgbook's extension has to be installed where that Jupyter runs."
    )
    install.add_argument(
        "--code-first",
        action="store_true",
        help="Python + Chat: cells are Python, and those that begin with %%%%msg are messages (default: a chat)",
    )
    install.add_argument(
        "--name",
        metavar="N",
        help="name of the kernelspec, behind msgbook- or msgbook-python- (default: this environment's)",
    )
    install.add_argument(
        "--display-name", metavar="D", help="what the launcher shows (default: with that name)"
    )
    where = install.add_mutually_exclusive_group()
    where.add_argument("--user", action="store_true", help="for this user (the default)")
    where.add_argument("--prefix", metavar="P", help="for the environment in that folder")


# Arguments of `msgbook run`.


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
        "--max-cost",
        type=_amount,
        metavar="AMOUNT",
        help="send no more once the run has cost so much, in the currency of the prices (US dollars)",
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


def _amount(word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        number = 0.0
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"expected a positive number, not {word!r}")
    return number


def _count(word: str) -> int:
    number = int(word) if word.isascii() and word.isdecimal() else 0
    if not number:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 on, not {word!r}")
    return number
