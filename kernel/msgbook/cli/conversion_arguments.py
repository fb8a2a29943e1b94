"""Arguments of the verbs that make other files of a conversation. Imports argparse alone, as `arguments` does."""

from __future__ import annotations

import argparse


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
