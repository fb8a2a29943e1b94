"""Jupytext's command line: what is the name of a message file is its format, too."""

from __future__ import annotations

import sys
from collections.abc import Callable
from copy import copy
from typing import Any

from msgbook_format.errors import MessageFileError
from msgbook_format.jupytext_plugin.names import FORMAT_NAME, is_message_path

Function = Callable[..., Any]


def jupytext_single_file(original: Function) -> Function:
    """Take `--from .msg.md` and `--to .msg.md` for granted where the names of the files say it.

    Jupytext keeps only the extension of a name, and would take a file for one with a section.
    """

    def replacement(nb_file: str, args: Any, log: Any, notary: Any) -> Any:
        args = copy(args)
        args.input_format = _completed(args.input_format, nb_file, default=True)
        args.output_format = _completed(args.output_format, args.output, default=bool(args.output))
        try:
            return original(nb_file, args, log, notary)
        except MessageFileError as error:
            sys.stderr.write(f"[jupytext] Error: {error}\n")
            return 1

    return replacement


def _completed(fmt: dict[str, Any] | None, path: str | None, *, default: bool) -> Any:
    if not is_message_path(path) or not (fmt or default):
        return fmt
    completed = {"format_name": FORMAT_NAME, "extension": ".md", "suffix": ".msg", **(fmt or {})}
    ours = completed["format_name"] == FORMAT_NAME and completed["extension"] == ".md"
    return completed if ours else fmt
