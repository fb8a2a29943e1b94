"""Replacement of functions of Jupytext 1.19, and a check that they are the ones that we know.

Each replacement calls the original for all other formats. docs/jupytext.md lists what Jupytext would
have to offer instead.
"""

from __future__ import annotations

import functools
import inspect
import json
import re
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import jupytext
import jupytext.cli
import jupytext.combine
import jupytext.config
import jupytext.formats
import jupytext.header
import jupytext.jupytext
import jupytext.pairs
import jupytext.stringparser
from jupytext import languages
from jupytext.cell_reader import MarkdownCellReader
from jupytext.cell_to_text import MarkdownCellExporter

from msgbook_format import reads
from msgbook_format.errors import MessageFileError, NotAMessageFile
from msgbook_format.files import has_section
from msgbook_format.jupytext_plugin import pairing, read_write
from msgbook_format.jupytext_plugin.message_format import (
    FORMAT_NAME,
    is_message_path,
    is_message_suffix,
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
from msgbook_format.jupytext_plugin.read_write import MESSAGE
from msgbook_format.typed import as_dict

Function = Callable[..., Any]

_NAMES = r"^```(`*)(\s*)("
"""Beginning of the pattern of a fence in Jupytext's Markdown, up to the names of languages."""

_LOCK = threading.Lock()
_VERSION = "1.19."


# Jupytext's command line, which takes the format of a message file from its name.


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


# Spelling of our format: `.msg.md:msg` and `md:msg`.


def validate_one_format(original: Function) -> Function:
    """Complete `.msg.md` to `.msg.md:msg`."""

    def replacement(jupytext_format: Any) -> Any:
        if isinstance(jupytext_format, dict) and is_message_suffix(jupytext_format):
            jupytext_format.setdefault("format_name", FORMAT_NAME)
        return original(jupytext_format)

    return replacement


def short_form_one_format(original: Function) -> Function:
    """Keep the format's name after `.md`; without it the next sync would take another format."""

    def replacement(jupytext_format: Any) -> Any:
        short = original(jupytext_format)
        if isinstance(jupytext_format, dict) and is_ours(jupytext_format) and ":" not in short:
            return f"{short}:{FORMAT_NAME}"
        return short

    return replacement


_REPLACEMENTS: dict[str, Callable[[Function], Function]] = {
    # `.msg.md` has to mean our format without `:msg` after it; Jupytext would take `.md` for Markdown.
    "formats.validate_one_format": validate_one_format,
    # Jupytext drops the name after `md`, so that the next sync would take another format.
    "formats.short_form_one_format": short_form_one_format,
    # Jupytext's contents managers refuse to open a pair whose `.ipynb` is newer.
    "pairs.latest_inputs_and_outputs": pairing.latest_inputs_and_outputs,
    # Jupytext takes the outputs from the `.ipynb`; an answer edited in the text would be lost.
    "combine.combine_inputs_with_outputs": pairing.combine_inputs_with_outputs,
    # Jupytext cuts a text into cells by itself, and gives cell readers neither frontmatter nor path.
    "jupytext.reads": read_write.reads,
    # Jupytext decodes files with universal line ends, and reads pipes and devices.
    "jupytext.read": read_write.read,
    # Jupytext writes into the open file, which an error leaves empty.
    "jupytext.write": read_write.write,
    # The counterpart of `reads`. `jupytext.writes` also fills metadata in, so it stays.
    "jupytext.TextNotebookConverter.writes": read_write.converter_writes,
    # Quotes in a message end no cell: an unclosed `"""` would take the cells below along.
    "stringparser.StringParser.__init__": read_write.parser_init,
    # Blanks above and behind `%%msg` are no matter, but would leave the message as code in a script.
    "languages.cell_language": read_write.cell_language,
    # The command line looks at the extension alone, and takes `chat.msg.md` for Markdown.
    "cli.jupytext_single_file": jupytext_single_file,
}
"""Replaced functions. Jupytext's modules import them by name, so each is replaced where it is found."""

_EXPECTED = {
    "formats.validate_one_format": ["jupytext_format"],
    "formats.short_form_one_format": ["jupytext_format"],
    "formats.long_form_one_format": [
        "jupytext_format", "metadata", "update", "auto_ext_requires_language_info",
    ],
    "formats.long_form_multiple_formats": [
        "jupytext_formats", "metadata", "auto_ext_requires_language_info",
    ],
    "pairs.latest_inputs_and_outputs": [
        "path", "fmt", "formats", "get_timestamp", "contents_manager_mode",
    ],
    "paired_paths.paired_paths": ["main_path", "fmt", "formats"],
    "paired_paths.find_base_path_and_format": ["main_path", "formats"],
    "combine.combine_inputs_with_outputs": ["nb_source", "nb_outputs", "fmt"],
    "header.insert_or_test_version_number": [],
    "jupytext.reads": ["text", "fmt", "as_version", "config", "kwargs"],
    "jupytext.read": ["fp", "as_version", "fmt", "config", "kwargs"],
    "jupytext.write": ["nb", "fp", "version", "fmt", "config", "kwargs"],
    "jupytext.TextNotebookConverter.writes": ["self", "nb", "metadata", "kwargs"],
    "stringparser.StringParser.__init__": ["self", "language"],
    "languages.cell_language": ["source", "default_language", "custom_cell_magics"],
    "config.JupytextConfiguration.set_default_format_options": ["self", "format_options", "read"],
    "cli.jupytext_single_file": ["nb_file", "args", "log", "notary"],
}  # fmt: skip
"""Parameters of the functions that are replaced or called."""


def apply() -> str | None:
    """Replace the functions, once; return why it cannot be done, None if it was."""
    with _LOCK:
        if FORMAT_NAME in jupytext.formats._VALID_FORMAT_NAMES:
            return None
        problem = find_problem()
        if problem is None:
            _replace()
        return problem


def find_problem() -> str | None:
    """Return why the replacements do not fit this Jupytext; None if they do."""
    version = getattr(jupytext, "__version__", "without a version")
    if not version.startswith(_VERSION):
        return f"jupytext {version} is not {_VERSION}x"
    for name, expected in _EXPECTED.items():
        try:
            found = list(inspect.signature(_find(name)).parameters)
        except (AttributeError, TypeError, ValueError):
            return f"jupytext {version} has no function {name}"
        if found != expected:
            return f"jupytext {version} has other parameters of {name}: {', '.join(found)}"
    if not MarkdownCellReader.start_code_re.pattern.startswith(_NAMES):
        return f"jupytext {version} finds code in Markdown in another way"
    return None


def _replace() -> None:
    _add_format()
    _add_language()
    for name, wrap in _REPLACEMENTS.items():
        original = _find(name)
        replacement = functools.wraps(original)(wrap(original))
        owner, _, attribute = name.rpartition(".")
        setattr(_find(owner), attribute, replacement)
        _replace_imported(original, replacement)


def _find(name: str) -> Any:
    return functools.reduce(getattr, name.split("."), sys.modules["jupytext"])


def _replace_imported(original: Function, replacement: Function) -> None:
    """Replace a function in every module of Jupytext that imported it by name."""
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] not in ("jupytext", "jupyterlab_jupytext"):
            continue
        for key, value in list(vars(module).items()):
            if value is original:
                setattr(module, key, replacement)


def _add_language() -> None:
    """Let `%%msg` be the name of a language: in a script of Python a message then stands in comments.

    Its words would be Python there, and a line `# %%` in it would begin a cell.
    """
    languages._JUPYTER_LANGUAGES.add(MESSAGE)
    languages._JUPYTER_LANGUAGES_LOWER_AND_UPPER.add(MESSAGE)
    start = MarkdownCellReader.start_code_re.pattern
    MarkdownCellReader.start_code_re = re.compile(start.replace(_NAMES, f"{_NAMES}{MESSAGE}|", 1))


def _add_format() -> None:
    # After Jupytext's own formats, so that `.md` alone stays `markdown`.
    jupytext.formats.JUPYTEXT_FORMATS.append(
        jupytext.formats.NotebookFormatDescription(
            format_name=FORMAT_NAME,
            extension=".md",
            header_prefix="",
            cell_reader_class=MarkdownCellReader,
            cell_exporter_class=MarkdownCellExporter,
            current_version_number="1.0",
        )
    )
    jupytext.formats._VALID_FORMAT_NAMES.add(FORMAT_NAME)
    # Our texts hold all metadata: Jupytext neither filters it nor warns.
    jupytext.formats.FORMATS_WITH_NO_CELL_METADATA.add(FORMAT_NAME)
