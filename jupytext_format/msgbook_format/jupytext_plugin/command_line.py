"""Jupytext's command line, which takes the format of a message file from its name."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from msgbook_format import reads
from msgbook_format.errors import MessageFileError, NotAMessageFile
from msgbook_format.files import has_section
from msgbook_format.jupytext_plugin.message_format import (
    FORMAT_NAME,
    is_message_path,
    is_ours,
    writing,
)
from msgbook_format.jupytext_plugin.pairing import (
    find_converted,
    find_default_formats,
    find_formats_error,
    find_message_file,
    names_section,
)
from msgbook_format.typed import as_dict

Function = Callable[..., Any]


def jupytext_single_file(original: Function) -> Function:
    """Add `--from .msg.md` and `--to .msg.md` where the names of the files imply them.

    Jupytext looks at the extension alone, and would expect a file with a message section.
    """

    def replacement(nb_file: str, args: Any, log: Any, notary: Any) -> Any:
        # Not on a copy: Jupytext sets further attributes, which it reads again for its next file.
        given = args.input_format, args.output_format
        args.input_format = _complete_format(args.input_format, nb_file, default=True)
        args.output_format = _complete_format(
            args.output_format, args.output, default=bool(args.output)
        )
        try:
            _check(nb_file, args)
            with writing(partial(_find_target, nb_file, args)):
                return original(nb_file, args, log, notary)
        except MessageFileError as error:
            sys.stderr.write(f"[jupytext] Error: {error}\n")
            return 1
        finally:
            args.input_format, args.output_format = given

    return replacement


def _find_target(path: str, args: Any, formats: object) -> Path | None:
    """Return where the text of a notebook goes that is read from `path` and names `formats`."""
    found: str | None
    if args.output:
        found = args.output if args.output.endswith(".md") else None
    elif path == "-":
        found = None
    elif args.output_format and is_ours(args.output_format):
        found = find_converted(path, args.input_format, args.output_format)
    elif path.endswith(".md"):
        found = path
    else:
        found = find_message_file(path, formats or find_default_formats(path))
    return Path(found) if found else None


def _check(path: str, args: Any) -> None:
    """Refuse to make an ordinary `.md` file one message, and a pair that is not read again.

    Raises:
        MessageFileError: nothing has been written.
    """
    if args.set_formats:
        error = find_formats_error(path, args.set_formats)
        if error:
            raise MessageFileError(f"{path}: cannot be paired as `{args.set_formats}`: {error}")
    converts = args.output_format and names_section([args.output_format])
    if converts and not path.endswith(".md"):
        _require_no_loss(Path(args.output or f"{path.removesuffix('.ipynb')}.md"), Path(path))
    elif names_section(args.set_formats) or (converts and not args.output):
        _require_section(Path(path))


def _require_section(file: Path) -> None:
    if not file.name.endswith(".md") or is_message_path(file) or not file.is_file():
        return
    if not has_section(file.read_bytes().decode("utf-8", "replace")):
        raise NotAMessageFile(file)


def _require_no_loss(target: Path, source: Path) -> None:
    """Refuse to replace text above the messages of `target` that `source` does not have."""
    if is_message_path(target) or not target.is_file():
        return
    text = target.read_bytes().decode("utf-8", "replace")
    present = reads(text).metadata.get("msgbook", {}) if has_section(text) else {}
    known = _read_own_metadata(source)
    if present and all(present.get(key) == known.get(key) for key in ("document", "frontmatter")):
        return
    raise MessageFileError(
        f"{target}: expected no file, found one with text of its own, which would be lost. Write "
        f"to another name with --output, or add `message_section: true` to it, pair it with "
        f"--set-formats ipynb,md:msg and use --sync."
    )


def _read_own_metadata(notebook: Path) -> dict[str, Any]:
    """Return `metadata.msgbook` of an `.ipynb`; empty if it cannot be read."""
    try:
        ours = json.loads(notebook.read_bytes())["metadata"]["msgbook"]
    except (OSError, ValueError, LookupError, TypeError):
        return {}
    return as_dict(ours)


def _complete_format(fmt: dict[str, Any] | None, path: str | None, *, default: bool) -> Any:
    if not is_message_path(path) or not (fmt or default):
        return fmt
    completed = {"format_name": FORMAT_NAME, "extension": ".md", "suffix": ".msg", **(fmt or {})}
    ours = completed["format_name"] == FORMAT_NAME and completed["extension"] == ".md"
    return completed if ours else fmt
