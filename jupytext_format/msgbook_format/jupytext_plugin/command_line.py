"""Jupytext's command line: what is the name of a message file is its format, too."""

from __future__ import annotations

import sys
from collections.abc import Callable
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any

from msgbook_format.errors import MessageFileError, NotAMessageFile
from msgbook_format.files import has_section
from msgbook_format.jupytext_plugin.names import FORMAT_NAME, is_message_path, writing
from msgbook_format.jupytext_plugin.pairing import find_message_file, names_section

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
            _require_section(nb_file, args)
            with writing(partial(_find_target, nb_file, args.output)):
                return original(nb_file, args, log, notary)
        except MessageFileError as error:
            sys.stderr.write(f"[jupytext] Error: {error}\n")
            return 1

    return replacement


def _find_target(path: str, output: str | None, formats: object) -> Path | None:
    """Where the text of a notebook goes that is read from `path` and names `formats`."""
    if output:
        return Path(output) if output.endswith(".md") else None
    found = path if path.endswith(".md") else find_message_file(path, formats)
    return Path(found) if found else None


def _require_section(path: str, args: Any) -> None:
    """Refuse to turn an ordinary `.md` file into one message of its own."""
    wanted = names_section(args.set_formats) or names_section(
        None if args.output else args.output_format and [args.output_format]
    )
    file = Path(path)
    if not wanted or not path.endswith(".md") or is_message_path(path) or not file.is_file():
        return
    if not has_section(file.read_bytes().decode("utf-8", "replace")):
        raise NotAMessageFile(file)


def _completed(fmt: dict[str, Any] | None, path: str | None, *, default: bool) -> Any:
    if not is_message_path(path) or not (fmt or default):
        return fmt
    completed = {"format_name": FORMAT_NAME, "extension": ".md", "suffix": ".msg", **(fmt or {})}
    ours = completed["format_name"] == FORMAT_NAME and completed["extension"] == ".md"
    return completed if ours else fmt
